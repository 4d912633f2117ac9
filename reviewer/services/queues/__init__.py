"""Queues for people: profiles, plans, drawing, sharing out, progress, and the verdict at the end.

With them what is done to many evaluations at once: tags, exclusions, a queue of those in sight.
May import `listing`, `audits` and what they stand on, stats and store.
"""
