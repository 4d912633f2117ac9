"""Queues for people: profiles, plans, drawing, sharing out, progress, and the verdict at the end.

Imports the services beside it, never the other way round.
"""
