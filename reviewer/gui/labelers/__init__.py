"""Who labels: their dots, the choice at the start, and everybody's profiles."""
