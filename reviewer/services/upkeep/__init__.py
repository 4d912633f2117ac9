"""Project files as a whole: making, opening, checking and mending them.

May import `bots` and what it stands on, `sharing`, paths and store; the tests of an
example only inside functions.
"""
