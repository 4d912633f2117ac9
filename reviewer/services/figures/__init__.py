"""Every figure of a scope: columns, agreement, corrected means, deviations, and their document."""
