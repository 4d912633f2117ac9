"""What a lead does where people and judge differ: decisions, causes, questions, the rubric to-do.

Decisions are labels of the kind `adjudication`, causes and questions are marks; how a disagreement
stands follows from them and is never stored. May import `listing`, `audits` and what they stand
on, scoring, stats and store.
"""
