"""What belongs to this computer, not to a project: settings, keys, trust, logs, recent files.

Beneath all other packages of services. May import confined, paths, scoring and store.
"""
