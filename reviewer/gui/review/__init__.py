"""The Review page: queue, conversation, one card a metric, live figures.

Knows services and domain; it decides what is shown, never what is true.
"""
