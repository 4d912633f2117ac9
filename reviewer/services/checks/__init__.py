"""What a release is held to: figures against limits, each a line that holds or does not.

May import the flat service modules, `evaluating`, `monitoring` and `reporting`, and the rooms
below.
"""
