"""Project files as a whole: making, opening, checking and mending them.

May import `bots`, `judging` and what they stand on, paths and store; the tests of an example
and the demo's prompts only inside functions.
"""
