"""What things are: rubrics, evaluations, labels, runs, change reports and errors.

Frozen values without behaviour towards the outside. May import pydantic; nothing of the house.
"""
