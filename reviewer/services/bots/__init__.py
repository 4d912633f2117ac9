"""Bots: their settings, the cases that they answer, and those that examples bring.

May import `calls`, `testing` and what they stand on, formats, paths, scoring and store. Never sees
the package of judges.
"""
