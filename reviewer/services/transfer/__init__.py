"""Into the project and out of it: import, mappings, previews, carried labels, export."""
