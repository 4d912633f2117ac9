"""The values that most people gave, for many evaluations at once."""

import numpy as np
from numpy.typing import NDArray


def modes(
    places: NDArray[np.int64], values: NDArray[np.float64], size: int
) -> NDArray[np.float64]:
    """Give the value that occurs most at each place, NaN where several tie; shape (size,)."""
    found = np.full(size, np.nan)
    if not places.size:
        return found
    order = np.lexsort((values, places))
    places, values = places[order], values[order]
    first = np.r_[True, (places[1:] != places[:-1]) | (values[1:] != values[:-1])]
    starts = np.flatnonzero(first)
    counts = np.diff(np.r_[starts, places.size])
    places, values = places[starts], values[starts]
    best = np.zeros(size, dtype=np.int64)
    np.maximum.at(best, places, counts)
    winning = counts == best[places]
    alone = winning & (np.bincount(places[winning], minlength=size)[places] == 1)
    found[places[alone]] = values[alone]
    return found


def ties(counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows of counts by category have no one value that most gave; shape (d,)."""
    rows, values = np.nonzero(counts)
    often = counts[rows, values].astype(np.int64)
    every = np.repeat(rows.astype(np.int64), often)
    found = modes(every, np.repeat(values.astype(np.float64), often), len(counts))
    return np.isnan(found)
