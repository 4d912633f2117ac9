"""Numbers in, numbers out: gaps, agreement, intervals, estimates, tallies; imports numpy only."""
