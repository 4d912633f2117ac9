"""What stands in the list of evaluations: rows, orders and progress.

May import `figures` and `project`, and store; what rests on numpy inside functions
alone, as a list stands before numpy is loaded.
"""
