"""Watching production and runs: a feed of new records, samples, a status, and the trend per run.

May import the flat service modules and `evaluating`, and the rooms below.
"""
