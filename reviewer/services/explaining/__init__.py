"""How a figure is calculated, with the numbers of the case."""
