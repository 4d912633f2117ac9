"""Reports of runs: what a system's own report says, and what people's labels add to it.

May import the flat service modules and `evaluating`, the reports, store, scoring, stats and
domain.
"""
