"""Into the project and out of it: import, mappings, previews, carried labels, export.

May import `figures`, `listing`, `project` and `computer`, confined, formats, stats and
store.
"""
