"""What every figure of a page offers, whichever page it stands on.

A figure is copied as a sentence, explained with its numbers filled in, and opened as the responses
behind it. May import the widgets beside it; no page.
"""
