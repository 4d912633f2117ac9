"""Project files as a whole: making, opening, checking and mending them."""
