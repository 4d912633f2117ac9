"""What the figures say in sentences, and where to look.

May import `figures` and `project`, stats and store.
"""
