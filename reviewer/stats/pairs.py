"""Distinct pairs of exact values with their counts, and what is counted on a scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats
from reviewer.stats.moments import MomentStack, pearson, stacked_moments
from reviewer.stats.values import Scale

BINS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Hold distinct pairs: auto, human and how often each pair occurs, all of shape (d,)."""

    auto: Floats
    human: Floats
    counts: Floats

    @property
    def n(self) -> int:
        """Count the pairs."""
        return round(float(self.counts.sum()))

    def moments(self, draws: Floats) -> MomentStack:
        """Work out moments for resampled counts of shape (sets, d)."""
        return stacked_moments(self.auto, self.human, draws)


@dataclass(frozen=True, slots=True, eq=False)
class Conversations:
    """Hold which conversation each single pair comes from, and where it is counted.

    Attributes:
        codes: shape (n,), conversations from 0, every one of them there.
        table: shape (n,), flat cell of the table, -1 for a pair that is not in it.
        exact: shape (n,), place among the exact pairs.
    """

    codes: NDArray[np.intp]
    table: NDArray[np.intp]
    exact: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Hold all that agreement of two raters is computed from.

    Attributes:
        scale: the declared scale; None for a range without levels, which has no table.
        table: shape (k, k), rows human, columns auto, majority label by nearest auto level.
        pairs: the exact pairs, or None if every pair lies on the scale, so the table says all.
        n_no_majority: pairs left out of the table because no label has the majority.
        n_rounded: pairs in the table whose auto score was moved to the nearest level.
        judged: shape (k,), how many automatic scores each level has in all, where labels were
            chosen by them: every level then counts by its share. None: labels count alike.
        conversations: for intervals, where several pairs come from one conversation.
    """

    scale: Scale | None
    table: Floats
    pairs: Pairs | None = None
    n_no_majority: int = 0
    n_rounded: int = 0
    judged: Floats | None = None
    conversations: Conversations | None = None

    def exact(self) -> Pairs:
        """Give the exact pairs: those kept, else the table's cells."""
        if self.pairs is not None or self.scale is None:
            return self.pairs or pairs_of([], [])
        return cells(self.table, self.scale)


def pairs_of(auto: Sequence[float] | Floats, human: Sequence[float] | Floats) -> Pairs:
    """Collect equal pairs, in the order of auto, then human."""
    x, y = np.asarray(auto, dtype=np.float64), np.asarray(human, dtype=np.float64)
    order = np.argsort(x)
    ordered = x[order]
    if (ordered[1:] > ordered[:-1]).all():
        # nothing occurs twice: there is nothing to count
        return Pairs(ordered, y[order], np.ones(len(x)))
    lefts, left = np.unique(x, return_inverse=True)
    rights, right = np.unique(y, return_inverse=True)
    codes, counts = np.unique(left * max(len(rights), 1) + right, return_counts=True)
    at, place = np.divmod(codes, max(len(rights), 1))
    return Pairs(lefts[at], rights[place], counts.astype(np.float64))


def pairs_of_counts(counts: Mapping[tuple[float, float], int]) -> Pairs:
    """Make pairs of kept counts by (auto, human), in the order of auto, then human."""
    ordered = sorted(counts)
    return Pairs(
        np.array([auto for auto, _ in ordered], dtype=np.float64),
        np.array([human for _, human in ordered], dtype=np.float64),
        np.array([counts[key] for key in ordered], dtype=np.float64),
    )


def cells(table: Floats, scale: Scale) -> Pairs:
    """Read a table (rows human, columns auto) as pairs, empty cells included."""
    values = np.array(scale.values, dtype=np.float64)
    return Pairs(
        np.tile(values, len(values)), np.repeat(values, len(values)), table.ravel().astype(float)
    )


def table_evidence(table: Sequence[Sequence[int]], scale: Scale) -> Evidence:
    """Take a whole table of counts (rows human, columns auto) on a declared scale.

    Raises:
        ValueError: if its size is not the scale's or a count is negative.
    """
    counts = np.array(table, dtype=np.float64)
    k = len(scale.values)
    if counts.shape != (k, k) or (counts < 0).any():
        raise ValueError(f"The table must be {k} by {k} counts of 0 or more, like its scale.")
    return Evidence(scale, counts)


def array_evidence(
    auto: Floats, human: Floats, scale: Scale | None, majority: Floats | None = None
) -> Evidence:
    """Count pairs given as columns of the same length.

    Args:
        auto: exact automatic scores.
        human: exact human scores (means of labels).
        scale: the declared scale, or None for a range without levels.
        majority: each pair's majority label, NaN where there is none; default the human scores.
    """
    if scale is None:
        return Evidence(None, np.zeros((0, 0)), pairs_of(auto, human))
    chosen = human if majority is None else majority
    columns, moved = places(auto, scale)
    rows, off = places(np.where(np.isnan(chosen), scale.values[0], chosen), scale)
    counted = ~(np.isnan(chosen) | off)
    k = len(scale.values)
    codes = (rows * k + columns)[counted]
    table = np.bincount(codes, minlength=k * k).reshape(k, k).astype(np.float64)
    grid = not moved.any() and bool(counted.all()) and bool((chosen == human).all())
    return Evidence(
        scale,
        table,
        None if grid else pairs_of(auto, human),
        n_no_majority=int((~counted).sum()),
        n_rounded=int((moved & counted).sum()),
    )


def in_conversations(
    evidence: Evidence,
    auto: Floats,
    human: Floats,
    majority: Floats,
    clusters: NDArray[np.int64],
) -> Evidence:
    """Add which conversation each pair comes from; columns as for `array_evidence`."""
    codes = np.unique(clusters, return_inverse=True)[1]
    table = np.full(len(auto), -1, dtype=np.intp)
    if evidence.scale is not None:
        columns, _ = places(auto, evidence.scale)
        low = evidence.scale.values[0]
        rows, off = places(np.where(np.isnan(majority), low, majority), evidence.scale)
        table = np.where(np.isnan(majority) | off, -1, rows * len(evidence.scale.values) + columns)
    exact = table
    if evidence.pairs is not None or evidence.scale is None:
        _, left = np.unique(auto, return_inverse=True)
        rights, right = np.unique(human, return_inverse=True)
        exact = np.unique(left * max(len(rights), 1) + right, return_inverse=True)[1]
    return replace(evidence, conversations=Conversations(codes, table, exact))


def places(values: Floats, scale: Scale) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Find each value's nearest place (ties: the lower) and whether it had to move."""
    levels = np.array(scale.values, dtype=np.float64)
    at = np.searchsorted(levels, values)
    upper, lower = np.minimum(at, len(levels) - 1), np.maximum(at - 1, 0)
    below = np.round(np.abs(values - levels[lower]), 9)
    above = np.round(np.abs(levels[upper] - values), 9)
    nearest = np.where(below <= above, lower, upper)
    return nearest, np.minimum(below, above) != 0


def spearman(pairs: Pairs, draws: Floats) -> Floats:
    """Give Spearman's rho (average ranks) for resampled counts of shape (sets, d)."""
    left, right = _mid_ranks(pairs.auto, draws), _mid_ranks(pairs.human, draws)
    n = draws.sum(axis=1)
    x, y = left - n[:, None] / 2, right - n[:, None] / 2
    stack = MomentStack(
        n=n,
        bias=n,
        s_auto=(draws * x * x).sum(axis=1),
        s_human=(draws * y * y).sum(axis=1),
        s_cross=(draws * x * y).sum(axis=1),
        s_gap=n,
    )
    return pearson(stack)


def _mid_ranks(values: Floats, draws: Floats) -> Floats:
    _, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(int(place.max(initial=-1)) + 1))
    groups = np.add.reduceat(draws[:, order], starts, axis=1)
    ranks: Floats = (np.cumsum(groups, axis=1) - groups / 2)[:, place]
    return ranks


def grid_of(pairs: Pairs) -> tuple[NDArray[np.intp], tuple[int, int]]:
    """Place each pair in the table of its distinct values: flat cell, and the table's shape."""
    lefts, left = np.unique(pairs.auto, return_inverse=True)
    rights, right = np.unique(pairs.human, return_inverse=True)
    return right * len(lefts) + left, (len(rights), len(lefts))


def binned(pairs: Pairs) -> Pairs:
    """Gather values into at most 40 equally filled bins a side, each at its mean."""
    auto, human = _binned(pairs.auto, pairs.counts), _binned(pairs.human, pairs.counts)
    lefts, left = np.unique(auto, return_inverse=True)
    rights, right = np.unique(human, return_inverse=True)
    codes, place = np.unique(left * len(rights) + right, return_inverse=True)
    at, other = np.divmod(codes, len(rights))
    counts = np.bincount(place, pairs.counts).astype(np.float64)
    return Pairs(lefts[at], rights[other], counts)


def _binned(values: Floats, counts: Floats) -> Floats:
    distinct, place = np.unique(values, return_inverse=True)
    weight = np.bincount(place, counts)
    middle = (np.cumsum(weight) - weight / 2) / weight.sum()
    bins = np.minimum((middle * BINS).astype(np.intp), BINS - 1)
    sums, sizes = np.bincount(bins, weight * distinct, BINS), np.bincount(bins, weight, BINS)
    means = np.divide(sums, sizes, out=np.zeros(BINS), where=sizes > 0)
    chosen: Floats = means[bins][place]
    return chosen
