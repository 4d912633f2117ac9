"""Bring a judge nearer to people without fooling oneself.

Labels have a half that prompts are made with and a half that they are held to: here are both, the
examples that the first offers, the figures of the second with every look at them, and judges side
by side. May import `adjudicating`, `audits` and what they stand on, scoring, stats and store;
`jobs` builds on it.
"""
