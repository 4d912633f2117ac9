"""Average ranks, Spearman's rho and Kendall's tau-b of values that lie on no grid."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats, dot, unlike

Places = NDArray[np.int64]


def average_ranks(values: Floats) -> Floats:
    """Rank values from 1; equal values share the mean of their ranks."""
    return _mid_ranks(rank_places(values), np.ones(len(values)))


def spearman(left: Places, right: Places, counts: Floats) -> float:
    """Give Spearman's rho of d distinct pairs with counts; NaN if one side is constant.

    `left` and `right` are the places of both sides, as `rank_places` gives them.
    """
    if not (left.any() and right.any()):
        return float("nan")
    middle = (counts.sum() + 1) / 2
    x, y = _mid_ranks(left, counts) - middle, _mid_ranks(right, counts) - middle
    rho = dot(counts, x * y) / np.sqrt(dot(counts, x * x) * dot(counts, y * y))
    return float(np.clip(rho, -1.0, 1.0))


def kendall_b(left: Places, right: Places, counts: Floats) -> float:
    """Give tau-b of d distinct pairs with counts in O(d log d); NaN if one side is constant.

    `left` and `right` are the places of both sides, as `rank_places` gives them.
    """
    apart_left, apart_right = (
        unlike(np.bincount(x, counts).astype(np.float64)) for x in (left, right)
    )
    room = apart_left * apart_right
    if room <= 0:
        return float("nan")
    order = np.argsort(left * (right.max() + 1) + right)
    codes = right[order].astype(np.int32)
    if (counts == 1).all():
        discordant = float(_inversions(codes))
    else:
        discordant = _weighted_inversions(codes, counts[order])
    # apart on both sides: apart on either, less those that are no tie of both
    comparable = apart_left + apart_right - unlike(counts)
    return float((comparable - 4 * discordant) / np.sqrt(room))


def rank_places(values: Floats) -> Places:
    """Give each value's place among the distinct ones, from 0; faster than `np.unique`."""
    if (values[1:] >= values[:-1]).all():
        return np.cumsum(np.diff(values, prepend=values[:1]) > 0, dtype=np.int64)
    order = np.argsort(values)
    ordered = values[order]
    places = np.empty(len(values), dtype=np.int64)
    places[order] = np.cumsum(np.diff(ordered, prepend=ordered[:1]) > 0)
    return places


def _mid_ranks(place: Places, counts: Floats) -> Floats:
    totals = np.bincount(place, counts)
    ranks: Floats = (np.cumsum(totals) - (totals - 1) / 2)[place]
    return ranks


# Both counts go bit by bit from the highest: inside each group of equal higher bits the ones that
# stand before a zero are its inversions; then all zeros go before all ones, which keeps the order
# inside each new group and every group in one piece.


def _inversions(codes: NDArray[np.int32]) -> int:
    """Count the pairs that stand in falling order."""
    total = 0
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        group = codes >> (bit + 1)
        starts = np.flatnonzero(group[1:] != group[:-1]) + 1
        longest = int(np.diff(starts, prepend=0, append=len(codes)).max())
        if longest <= _SMALL:
            return total + _falling(codes, group, longest)
        is_one = (codes >> bit & 1).astype(np.bool_)
        zeros, ones = np.flatnonzero(~is_one), np.flatnonzero(is_one)
        # before the k-th zero at place p stand p - k ones, less those before its group
        first = np.searchsorted(zeros, starts)
        held = np.diff(first, append=len(zeros))
        total += int(zeros.sum()) - len(zeros) * (len(zeros) - 1) // 2
        total -= int(((starts - first) * held).sum())
        codes = codes[np.concatenate([zeros, ones])]
    return total


def _falling(codes: NDArray[np.int32], group: NDArray[np.int32], longest: int) -> int:
    """Count falling pairs inside short groups by comparing at every distance."""
    total = 0
    for lag in range(1, longest):
        falls = codes[lag:] < codes[:-lag]
        total += int(np.count_nonzero(falls & (group[lag:] == group[:-lag])))
    return total


def _weighted_inversions(codes: NDArray[np.int32], counts: Floats) -> float:
    """Add up the products of counts over all pairs that stand in falling order."""
    total = 0.0
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        group = codes >> (bit + 1)
        is_one = (codes >> bit & 1).astype(np.bool_)
        ones = counts * is_one
        zeros, before = counts - ones, np.cumsum(ones)
        starts = np.flatnonzero(group[1:] != group[:-1]) + 1
        total += dot(zeros, before)
        if len(starts):
            total -= dot(np.add.reduceat(zeros, starts), before[starts - 1])
        if bit:
            order = np.concatenate([np.flatnonzero(~is_one), np.flatnonzero(is_one)])
            codes, counts = codes[order], counts[order]
    return total


_SMALL: Final = 64
"""Longest group in which comparing at every distance is faster than another bit."""
