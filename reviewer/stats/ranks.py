"""Average ranks and Kendall's tau-b of values that lie on no grid."""

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats


def average_ranks(values: Floats) -> Floats:
    """Rank values from 1; equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks: Floats = middle[place]
    return ranks


def kendall_b(auto: Floats, human: Floats, counts: Floats) -> float:
    """Give tau-b of d distinct pairs with counts in O(d log d); NaN if one side is constant."""
    _, left = np.unique(auto, return_inverse=True)
    _, right = np.unique(human, return_inverse=True)
    n = counts.sum()
    squares = n**2
    tied_left = (np.bincount(left, counts) ** 2).sum()
    tied_right = (np.bincount(right, counts) ** 2).sum()
    room = (squares - tied_left) * (squares - tied_right)
    if room <= 0:
        return float("nan")
    order = np.lexsort((right, left))
    discordant = _inversions(right[order].astype(np.int64), counts[order])
    tied_both = (counts**2).sum()
    comparable = squares - tied_left - tied_right + tied_both
    return float((comparable - 4 * discordant) / np.sqrt(room))


def _inversions(codes: NDArray[np.int64], counts: Floats) -> float:
    """Add up the products of counts over all pairs that stand in falling order.

    One pass a bit, from the highest: inside each group of equal higher bits the ones that stand
    before a zero are its inversions; then each group is split, zeros first, keeping the order.
    """
    total = 0.0
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        group = codes >> (bit + 1)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        ones = counts * ((codes >> bit) & 1)
        zeros = counts - ones
        before = np.cumsum(ones) - ones
        total += float(zeros @ before - np.add.reduceat(zeros, starts) @ before[starts])
        if bit:
            order = _stable_order(codes >> bit)
            codes, counts = codes[order], counts[order]
    return total


def _stable_order(keys: NDArray[np.int64]) -> NDArray[np.intp]:
    # numpy sorts 16-bit keys by radix, several times faster
    small = keys.max(initial=0) < 2**16
    return np.argsort(keys.astype(np.uint16) if small else keys, kind="stable")
