"""What scores a response: deterministic scorers, judges and bots behind one protocol.

A failure is a value, not an exception. May import confined, domain, and from stats only what turns
scores into an overall, a verdict, a grade or an interval.
"""
