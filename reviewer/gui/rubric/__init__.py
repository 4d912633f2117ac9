"""The rubric editor: a rubric as tables and fields, checked at every key press.

Knows services and domain and no page; a change is kept as a new version, never over an old one.
"""
