"""Reports of runs made: cases gathered, files written, runs held to targets; and audit packets.

May import `adjudicating`, `comparing`, `calls` and what they stand on, formats, paths, reports,
scoring, stats and store.
"""
