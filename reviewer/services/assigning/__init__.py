"""Queues for people: profiles, plans, drawing, sharing out, progress, and the verdict at the end.

May import `audits` and what it stands on, scoring, stats and store.
"""
