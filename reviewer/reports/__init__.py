"""Reports for readers who have no program: templates to HTML, Markdown and JSON, charts as SVG.

Knows no Qt. `systems` counts what each system says of a run.
May import domain, paths, scoring (cases and the rules of an overall), stats, and jinja2.
"""
