"""Figures that follow every label: running tallies, equal to a full recompute.

May import `figures` and `project`, scoring, stats and store.
"""
