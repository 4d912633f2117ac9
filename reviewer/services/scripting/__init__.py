"""What scripts need beside the window's services: judging what lies in no project.

`reviewer.api` stands on it. May import `monitoring`, `reporting`, `upkeep` and what they stand
on, formats, paths, reports, scoring, stats and store; the model library only inside functions.
"""
