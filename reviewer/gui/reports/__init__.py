"""The Reports page: reports, recipes and packets, and exports, previewed and written.

Knows services and domain; it decides what is shown, never what is true.
"""
