"""What belongs to this computer, not to a project: settings, keys, trust, logs, recent files."""
