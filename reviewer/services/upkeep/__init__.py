"""Project files as a whole: making, opening, checking and mending them.

May import `transfer`, `figures`, `project` and `computer`, paths and store; the tests of
an example only through `computer.deferred`.
"""
