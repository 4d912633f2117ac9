"""What is done to many evaluations at once: tags and exclusions, each call one undoable action.

May import `assigning`, `project` and store.
"""
