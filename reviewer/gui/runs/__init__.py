"""The Runs page: what was imported, by what it was scored, its rubric, its backups.

Knows services and domain; it decides what is shown, never what is true.
"""
