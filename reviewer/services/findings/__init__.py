"""What the figures say in sentences, and where to look.

May import `tallying`, `figures` and `project`, stats and store.
"""
