"""Figures of the Audit page beyond the document of statistics: what people and judge reach.

May import `explaining`, `findings`, `tallying`, `figures`, `listing` and `project`, scoring,
stats and store.
"""
