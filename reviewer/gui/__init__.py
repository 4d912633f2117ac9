"""The window: composition, pages, item models, actions, theme, notices and background tasks.

The only room that knows Qt. May import services, domain, paths and the result types of stats.
"""
