"""Plots: what every chart of the window can do, and the kinds of charts.

Hovering, choosing by pointer and by keys, copying as a picture or as the numbers behind it, and
the theme's colours are in `plot`; each other module is one kind. The plotting library takes half a
second to import, so it is imported where a chart is made. May import the widgets beside it.
"""
