"""Watching production and runs: a feed of new records, samples, a status, and the trend per run.

May import `jobs` and what it stands on, reports, scoring, stats and store.
"""
