"""The processes that work beside the window and an import.

On re-evaluations (`python -m reviewer.worker`), at a hub, with functions of packages, and at
reading a large file. Each is started by its command line and never imported by the window, so that
a crash here is a message there. May import services.
"""
