"""Reports for readers who have no program: templates to HTML, Markdown and JSON, charts as SVG.

Knows no Qt. May import domain, paths, the result types of stats, and jinja2.
"""
