"""Work packages, a queue for one labeler in a project file of its own, and sheets; both come back.

What a labeler must not see is never put into a file. May import `queues`, `transfer`,
`listing`, `project` and `computer`, formats and store.
"""
