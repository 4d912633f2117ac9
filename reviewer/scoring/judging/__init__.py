"""How a judge is asked and read: prompts as templates, texts fenced as data, replies checked.

Knows no network: `scoring.llm` calls. May import confined, domain, `scoring.calling` and its
neighbours that read cases, jinja2 and pydantic.
"""
