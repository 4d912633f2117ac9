"""The figures that each evaluation system reports, from scored cases, in its own field names.

Pure functions from cases and scores to typed results. May import scoring's own modules, domain
and stats.
"""
