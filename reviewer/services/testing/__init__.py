"""Test sets: cases without a response, in versions, with their check and their results over runs.

May import `transfer`, `figures` and `project`, formats, scoring, stats and store; never
`jobs`, which takes its cases from here.
"""
