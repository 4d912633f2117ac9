"""Reports of runs made: their cases gathered, their files written, and runs held to targets.

May import `comparing`, `calls` and what they stand on, reports, scoring, stats and store.
"""
