"""What the figures say in sentences, and where to look."""
