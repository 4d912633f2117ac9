"""The Reports page: what will be exported, previewed, and the export itself.

Knows services and domain; it decides what is shown, never what is true.
"""
