"""The window's own widgets, colours, fonts and words; they know no project and no page."""
