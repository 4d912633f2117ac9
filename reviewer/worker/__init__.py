"""The process that works on re-evaluations beside the window: `python -m reviewer.worker`.

Started by its command line and never imported by the window, so that a crash here is a message
there. May import services.
"""
