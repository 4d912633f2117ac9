"""Labels as people enter them, and undo.

May import `transfer`, whose imports are undone, too, `project` and store.
"""
