"""Reports of runs: what a system's own report says, and what people's labels add to it.

May import `comparing`, `calls` and what they stand on, reports, scoring, stats and store.
"""
