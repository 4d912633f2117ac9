"""Every figure of a scope: columns, agreement, corrected means, deviations, and their document.

May import `project`, paths, scoring, stats and store. `human_columns` and
`human_scores` make the only human score, of many evaluations and of one; `figure_table` holds the
only overall and verdict.
"""
