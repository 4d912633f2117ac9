"""The window: composition, pages, item models, actions, theme, notices and background tasks.

The only room that knows Qt. May import services, domain, paths and the result types of stats.
`kit` holds the widgets, colours and words that pages share. What the first page does without is
imported inside functions, and loaded by `warm_up` once that page is painted.
"""
