"""Reports of runs: what a system's own report says, and what people's labels add to it.

May import `evaluating` and what it stands on, reports, scoring, stats and store.
"""
