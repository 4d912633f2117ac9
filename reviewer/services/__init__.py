"""Use cases: an open session, labelling and undo, live figures, queues, transfer and settings.

The only room that brings store, formats, scoring and reports together. May import those,
stats, domain and paths. A package holds one matter, and none imports another in a circle:
`project` and `computer` lie beneath all, `figures` and `listing` beneath what tells or changes
something. Each says what it may import beside domain. What is heavy is imported inside the
function that needs it, so that the first page stands without it.
"""
