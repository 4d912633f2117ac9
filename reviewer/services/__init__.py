"""Use cases: an open session, labelling and undo, live figures, queues, transfer and settings.

The only room that brings store, formats, scoring and reports together. May import those,
stats, domain and paths. `deferred` names what is loaded only when it is asked for.
"""
