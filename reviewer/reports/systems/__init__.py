"""What each of the five systems says of a run: its own figures, counted from its own cases."""
