"""A project that several people share, in the window: sharing, inviting, joining, who is there."""
