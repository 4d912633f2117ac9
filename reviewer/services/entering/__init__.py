"""Labels as people enter them, and undo."""
