"""The window: composition, pages, item models, actions, theme, notices and background tasks.

The only room that knows Qt. May import services, domain, paths and the result types of stats.
`kit` holds the widgets, colours and words that pages share, `deferred` names what is loaded only
after the first page is painted.
"""
