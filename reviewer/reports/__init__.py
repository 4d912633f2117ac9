"""Reports for readers who have no program: what they say, and how it is written.

`fields` declares every field once; `report` holds the figures from which they are told. Templates
to HTML and Markdown lie in `resources/reports`. `systems` counts what each system says of a run.
Knows no project: `services.reporting` gathers cases and labels. Knows no Qt.
May import confined, domain, paths, scoring (cases and the rules of an overall), stats, jinja2,
and pydantic where JSON is written.
"""
