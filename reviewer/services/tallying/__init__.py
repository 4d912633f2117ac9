"""Figures that follow every label: running tallies, equal to a full recompute."""
