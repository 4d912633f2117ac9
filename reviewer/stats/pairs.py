"""Distinct pairs of exact values with their counts, and what is counted on a scale."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats, MomentStack, pearson, stacked_moments
from reviewer.stats.intervals import Weights
from reviewer.stats.values import Scale

BINS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Hold distinct pairs: auto, human and how often each pair occurs, all of shape (d,).

    Attributes:
        weights: what one of each pair counts; None where each counts 1.
    """

    auto: Floats
    human: Floats
    counts: Floats
    weights: Weights | None = None

    @property
    def n(self) -> int:
        """Count the pairs."""
        return round(float(self.counts.sum()))

    @property
    def weighed(self) -> "Pairs":
        """Give the pairs with what they count in place of their counts."""
        if self.weights is None:
            return self
        return Pairs(self.auto, self.human, self.weights.of(self.counts))

    def moments(self, draws: Floats) -> MomentStack:
        """Work out moments for resampled counts of shape (sets, d)."""
        return stacked_moments(self.auto, self.human, draws)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Hold the distinct ways in which evaluations were scored and labelled.

    Attributes:
        columns: shape (d,), place of the level nearest to the auto score.
        shares: shape (d, k), which part of an evaluation's labels lies at each place.
        counts: shape (d,), how many evaluations are alike.
        weights: what one of them counts; None where each counts 1.
    """

    columns: NDArray[np.intp]
    shares: Floats
    counts: Floats
    weights: Weights | None = None

    @property
    def n(self) -> int:
        """Count the evaluations."""
        return round(float(self.counts.sum()))

    @property
    def is_single(self) -> bool:
        """Tell whether every evaluation has one label, or several alike."""
        return bool((self.shares.max(axis=1, initial=0.0) == 1).all())

    def tables(self, draws: Floats) -> Floats:
        """Give a table (rows human, columns auto) for each set of counts, shape (sets, d)."""
        k = self.shares.shape[1]
        stack = np.zeros((len(draws), k, k))
        for column in np.unique(self.columns).tolist():
            mine = np.flatnonzero(self.columns == column)
            stack[:, :, column] = draws[:, mine] @ self.shares[mine]
        return stack

    def table(self) -> Floats:
        """Give the table, each evaluation counting what it weighs."""
        counts = self.counts if self.weights is None else self.weights.of(self.counts)
        found: Floats = self.tables(counts[None])[0]
        return found


def cells_of(answers: Answers) -> tuple[Floats, Weights, Floats] | None:
    """Give the cells of a table of single labels for each stratum, also those that are empty.

    Returns:
        Counts, weights, and where each cell goes in the table, shape (cells, k²); None where an
        evaluation has several labels or those drawn one by one had different chances.
    """
    weights, k = answers.weights, answers.shares.shape[1]
    if weights is None or not weights.is_even or not answers.is_single:
        return None
    rows = answers.shares.argmax(axis=1)
    counts, each, groups, places = [], [], [], []
    for group in np.unique(weights.groups).tolist():
        mine = np.flatnonzero(weights.groups == group)
        flat = rows[mine] * k + answers.columns[mine]
        columns = np.unique(answers.columns[mine])
        cells = (np.arange(k)[:, None] * k + columns).ravel()
        counts.append(np.bincount(flat, answers.counts[mine], k * k)[cells])
        each.append(np.full(cells.size, weights.each[mine[0]]))
        groups.append(np.full(cells.size, group, dtype=np.intp))
        places.append(cells)
    into = np.eye(k * k)[np.concatenate(places)]
    return np.concatenate(counts), Weights(np.concatenate(each), np.concatenate(groups)), into


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Hold single labels: the place of each one's evaluation among the pairs, and its value."""

    pairs: NDArray[np.int64]
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Conversations:
    """Hold which conversation each single pair comes from, and where it is counted.

    Attributes:
        codes: shape (n,), conversations from 0, every one of them there.
        table: shape (n,), place among the answers, or flat cell of the table where there are no
            answers; -1 for a pair that is not in it.
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
        table: shape (k, k), rows human by label, columns auto by nearest level; an evaluation's
            labels share what it counts.
        pairs: the exact pairs, or None if every pair lies on the scale, so the table says all.
        answers: what the table is made of, where it is not one label an evaluation and each
            counting 1; else None.
        n_no_majority: pairs without one value that most people gave.
        n_rounded: pairs in the table whose auto score was moved to the nearest level.
        n_off_level: labels that lie between the levels, so that they are in no table.
        conversations: for intervals, where several pairs come from one conversation.
        placed: evaluations in the table, where neither it nor the answers tell their number.
    """

    scale: Scale | None
    table: Floats
    pairs: Pairs | None = None
    answers: Answers | None = None
    n_no_majority: int = 0
    n_rounded: int = 0
    n_off_level: int = 0
    conversations: Conversations | None = None
    placed: int | None = None

    @property
    def n_table(self) -> int:
        """Count the evaluations in the table."""
        if self.placed is not None:
            return self.placed
        return round(float(self.table.sum())) if self.answers is None else self.answers.n

    @property
    def weights(self) -> Weights | None:
        """Give the weights of the exact pairs, None where each counts 1."""
        return None if self.pairs is None else self.pairs.weights

    def exact(self) -> Pairs:
        """Give the exact pairs: those kept, else the table's cells."""
        if self.pairs is not None or self.scale is None:
            return self.pairs or pairs_of([], [])
        return cells(self.table, self.scale)


def pairs_of(
    auto: Sequence[float] | Floats, human: Sequence[float] | Floats, weights: Weights | None = None
) -> Pairs:
    """Collect equal pairs, in the order of auto, then human."""
    x, y = np.asarray(auto, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if weights is not None:
        return _weighted_pairs(x, y, weights)[0]
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


def _weighted_pairs(
    auto: Floats, human: Floats, weights: Weights
) -> tuple[Pairs, NDArray[np.intp]]:
    """Collect pairs that are alike and count alike; also the place of each pair among them."""
    columns = [auto, human, weights.each, weights.groups.astype(np.float64)]
    numbers = np.stack([np.unique(x, return_inverse=True)[1] for x in columns], axis=1)
    at, place, counts = alike_rows(numbers)
    found = Weights(weights.each[at], weights.groups[at])
    return Pairs(auto[at], human[at], counts.astype(np.float64), found), place


def alike_rows(
    rows: NDArray[np.intp],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Find rows of small whole numbers that are the same, in their order.

    Returns:
        The first of each, the place of each row among those, and how often each occurs.
    """
    sizes = rows.max(axis=0, initial=0).astype(object) + 1
    if np.multiply.reduce(sizes) > np.iinfo(np.int64).max:
        _, first, place, counts = np.unique(
            rows, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        return first, place.ravel(), counts
    # each row as the digits of one number: numbers are sorted much faster than rows
    digits = np.append(np.multiply.accumulate(sizes[:0:-1])[::-1], 1).astype(np.int64)
    _, first, place, counts = np.unique(
        rows @ digits, return_index=True, return_inverse=True, return_counts=True
    )
    return first, place, counts


def cells(table: Floats, scale: Scale) -> Pairs:
    """Read a table (rows human, columns auto) as pairs, empty cells included."""
    values = np.array(scale.values, dtype=np.float64)
    return Pairs(
        np.tile(values, len(values)), np.repeat(values, len(values)), table.ravel().astype(float)
    )


def array_evidence(auto: Floats, human: Floats, scale: Scale | None) -> Evidence:
    """Count pairs of single values given as columns of the same length.

    Args:
        auto: exact scores of one side.
        human: exact scores of the other.
        scale: the declared scale, or None for a range without levels.
    """
    if scale is None:
        return Evidence(None, np.zeros((0, 0)), pairs_of(auto, human))
    columns, moved = places(auto, scale)
    rows, off = places(human, scale)
    grid = not moved.any() and not off.any()
    return Evidence(
        scale,
        _counted(columns, rows, ~off, len(scale.values)),
        None if grid else pairs_of(auto, human),
        n_rounded=int((moved & ~off).sum()),
        n_off_level=int(off.sum()),
    )


def _counted(
    columns: NDArray[np.intp], rows: NDArray[np.intp], there: NDArray[np.bool_], k: int
) -> Floats:
    codes = (rows * k + columns)[there]
    return np.bincount(codes, minlength=k * k).reshape(k, k).astype(np.float64)


def in_conversations(
    evidence: Evidence, auto: Floats, human: Floats, clusters: NDArray[np.int64]
) -> Evidence:
    """Add which conversation each pair comes from; columns as for `array_evidence`."""
    table = np.full(len(auto), -1, dtype=np.intp)
    if evidence.scale is not None:
        columns, _ = places(auto, evidence.scale)
        rows, off = places(human, evidence.scale)
        table = np.where(off, -1, rows * len(evidence.scale.values) + columns)
    exact = table if evidence.pairs is None else exact_places(auto, human, evidence.weights)
    codes = np.unique(clusters, return_inverse=True)[1]
    return replace(evidence, conversations=Conversations(codes, table, exact))


def exact_places(auto: Floats, human: Floats, weights: Weights | None) -> NDArray[np.intp]:
    """Give the place of each pair among those that `pairs_of` collects."""
    if weights is not None:
        return _weighted_pairs(auto, human, weights)[1]
    _, left = np.unique(auto, return_inverse=True)
    rights, right = np.unique(human, return_inverse=True)
    found: NDArray[np.intp] = np.unique(left * max(len(rights), 1) + right, return_inverse=True)[1]
    return found


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
    return pearson(stack).value


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
    return Pairs(lefts[at], rights[other], np.bincount(place, pairs.counts).astype(np.float64))


def _binned(values: Floats, counts: Floats) -> Floats:
    distinct, place = np.unique(values, return_inverse=True)
    weight = np.bincount(place, counts)
    middle = (np.cumsum(weight) - weight / 2) / weight.sum()
    bins = np.minimum((middle * BINS).astype(np.intp), BINS - 1)
    sums, sizes = np.bincount(bins, weight * distinct, BINS), np.bincount(bins, weight, BINS)
    means = np.divide(sums, sizes, out=np.zeros(BINS), where=sizes > 0)
    chosen: Floats = means[bins][place]
    return chosen
