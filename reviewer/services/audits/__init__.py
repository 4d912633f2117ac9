"""Figures of the Audit page beyond the document of statistics: what people and judge reach.

May import `explaining`, `findings`, `tallying`, `figures` and `project`, scoring, stats and
store.
"""
