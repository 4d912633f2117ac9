"""Every figure of a scope: columns, agreement, corrected means, deviations, and their document.

May import `queueing` and `project`, paths, stats and store.
"""
