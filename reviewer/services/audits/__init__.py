"""Figures of the Audit page beyond the document of statistics: what people and judge reach.

May import `explaining`, `findings`, `figures` and `project`, reports, scoring, stats and store.
"""
