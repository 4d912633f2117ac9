"""Work packages in the window: making one for a labeler elsewhere, taking returned ones in."""
