"""What a release is held to: figures against limits, each a line that holds or does not.

May import `evaluating`, `monitoring`, `reporting` and what they stand on, scoring, stats and
store.
"""
