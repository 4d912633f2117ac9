"""The Audit page: how far judge and people agree in a scope, and the responses behind it.

The scope and the verdict stand on the left, a row of sections in the middle, and what is listed
on the right. A section (`section`, the table is in `sections`) reads beside the window and only
while it is in view; every figure can be copied, explained and opened, as `gui.figures` has it.

Knows services, domain and stats' result types; it decides what is shown, never what is true.
"""
