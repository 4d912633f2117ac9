"""How a figure is calculated, with the numbers of the case.

May import `tallying`, `figures` and `project`, scoring and stats.
"""
