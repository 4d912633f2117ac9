"""What scripts need beside the window's services: judging what lies in no project.

`reviewer.api` stands on it. May import the flat service modules, `evaluating` and `reporting`,
and the rooms below.
"""
