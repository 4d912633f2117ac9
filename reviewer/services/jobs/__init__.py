"""Re-evaluation: what is scored, judged or answered again, one loop for window and command line.

Nothing that was there is overwritten: a job adds a score set or a run. What was paid for is kept
at once, so that a job that stops can go on without paying twice. May import `judging`, `bots` and
what they stand on, formats, scoring and store; the libraries of models and of clusters only inside
functions.
"""
