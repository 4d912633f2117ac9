"""Judges: their endpoints, prompts and parameters, and one evaluation before one of them.

May import `calls` and what it stands on, scoring and store; the model library only inside
functions. Never sees the package of bots.
"""
