"""Watching production and runs: a feed of new records, samples, a status, and the trend per run.

May import `evaluating` and what it stands on, scoring, stats and store.
"""
