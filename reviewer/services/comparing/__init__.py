"""Two runs on the same cases, or two judges on the same responses, side by side.

May import `audits` and what it stands on, reports, stats and store.
"""
