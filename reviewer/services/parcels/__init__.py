"""Work packages: a queue for one labeler in a project file of its own, and its way back.

Sheets for spreadsheets, too. What a labeler must not see is never put into the file. May import
`queues`, `transfer`, `listing`, `project` and `computer`, formats and store.
"""
