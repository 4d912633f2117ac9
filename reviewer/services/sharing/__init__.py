"""A project that several people share through a hub: what is sent, and where it goes that comes.

The file stays whole and works alone; a hub joins the files. May import `parcels`, `transfer`,
`queues`, `labelling`, `project` and `computer`, formats, store, hub and paths.
"""
