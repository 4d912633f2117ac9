"""What a release is held to: figures against limits, each a line that holds or does not.

May import `monitoring`, `reporting` and what they stand on, reports, scoring, stats and store.
"""
