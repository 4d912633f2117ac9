"""The Audit page: how far judge and people agree in a scope, and the responses behind it.

Knows services, domain and stats' result types; it decides what is shown, never what is true.
"""
