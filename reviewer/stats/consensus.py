"""One category out of several people's: by majority, or weighing people by their confusions.

The values that most people gave are found for many evaluations at once. Source: Dawid and Skene
1979, as the most probable parameters under a prior of one label spread over all categories and
one more on the right one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats

LABELERS_FROM: Final = 3
"""Overlapping labelers that a weighing of people needs at all."""
MANY_LABELERS: Final = 5
MANY_ITEMS: Final = 300
"""Either so many labelers or so many shared items must be there as well."""
TOLERANCE: Final = 1e-6
MOST_STEPS: Final = 200
_LEAST: Final = 1e-300

Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Hold who gave which category to which item; one row a current label.

    Attributes:
        items, labelers, values: shape (v,), numbered from 0.
        n_items, n_labelers, n_values: how many there are of each; `n_values` is the declared
            scale, not the categories seen.
    """

    items: Ints
    labelers: Ints
    values: Ints
    n_items: int
    n_labelers: int
    n_values: int

    def __post_init__(self) -> None:
        """Check the rows.

        Raises:
            ValueError: for columns of different length or a number out of range.
        """
        sizes = {len(self.items), len(self.labelers), len(self.values)}
        bounds = (
            (self.items, self.n_items),
            (self.labelers, self.n_labelers),
            (self.values, self.n_values),
        )
        outside = any(
            len(column) and (column.min() < 0 or column.max() >= end) for column, end in bounds
        )
        if len(sizes) > 1 or outside or self.n_values < 1:
            raise ValueError("Every vote needs an item, a labeler and a value that were declared.")

    def counts(self) -> Floats:
        """Count the labels of each item by category; shape (items, values)."""
        cells = self.items * self.n_values + self.values
        found = np.bincount(cells, minlength=self.n_items * self.n_values)
        return found.reshape(self.n_items, self.n_values).astype(np.float64)

    def shared(self) -> NDArray[np.bool_]:
        """Tell which items have two labels or more."""
        return np.asarray(np.bincount(self.items, minlength=self.n_items) >= 2)


@dataclass(frozen=True, slots=True)
class Consensus:
    """Hold each item's category.

    Attributes:
        values: number of the category; None without labels or where several tie.
        probabilities: share of the labels (majority) or probability (Dawid and Skene) of it.
        n: labels of each item.
        n_tied: items where several tie, which go to adjudication.
    """

    values: tuple[int | None, ...]
    probabilities: tuple[float | None, ...]
    n: tuple[int, ...]
    n_tied: int


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene:
    """Hold a fitted model of people's confusions, and the consensus that follows.

    Attributes:
        consensus: each item's most probable category.
        shares: shape (k,), categories' shares.
        confusions: shape (labelers, k, k), rows the true category, columns what they say.
        accuracies: one a labeler, over the shares; None without a label.
    """

    consensus: Consensus
    shares: Floats
    confusions: Floats
    accuracies: tuple[float | None, ...]


def majority_consensus(votes: Votes) -> Consensus:
    """Give the category most people chose, item by item."""
    counts = votes.counts()
    totals = counts.sum(axis=1)
    most = modes(votes.items.astype(np.int64), votes.values.astype(np.float64), votes.n_items)
    settled = np.isfinite(most)
    values = tuple(int(x) if ok else None for x, ok in zip(most, settled, strict=True))
    shares = (
        None if value is None else float(counts[item, value] / totals[item])
        for item, value in enumerate(values)
    )
    n_tied = int(((totals > 0) & ~settled).sum())
    return Consensus(values, tuple(shares), tuple(int(x) for x in totals), n_tied)


def why_not_weighed(votes: Votes) -> str | None:
    """Say why people should not be weighed by their confusions; None where it may help."""
    shared = votes.shared()
    overlapping = len(np.unique(votes.labelers[shared[votes.items]]))
    items = int(shared.sum())
    if overlapping < LABELERS_FROM:
        return f"weighing people needs {LABELERS_FROM} labelers who share items"
    if overlapping < MANY_LABELERS and items < MANY_ITEMS:
        return f"weighing people needs {MANY_LABELERS} labelers or {MANY_ITEMS} shared items"
    return None


def dawid_skene(votes: Votes) -> DawidSkene:
    """Fit shares and confusions by expectation and maximisation, at most `MOST_STEPS` times."""
    counts = votes.counts()
    totals = counts.sum(axis=1)
    belief = (counts + 1 / votes.n_values) / (totals + 1)[:, None]
    for _ in range(MOST_STEPS):
        before = belief
        shares, confusions = _parameters(votes, belief, totals)
        belief = _beliefs(votes, shares, confusions)
        if np.abs(belief - before).max(initial=0.0) <= TOLERANCE:
            break
    right = np.diagonal(confusions, axis1=1, axis2=2) @ shares
    given = np.bincount(votes.labelers, minlength=votes.n_labelers)
    return DawidSkene(
        _consensus(belief, totals),
        shares,
        confusions,
        tuple(float(x) if n else None for x, n in zip(right, given, strict=True)),
    )


def agreement_with(votes: Votes, found: Consensus) -> tuple[tuple[float | None, int], ...]:
    """Give each labeler's share of labels equal to the consensus, and how many those are.

    Items with one label only are left out: there the consensus is that label.
    """
    settled = np.array([-1 if value is None else value for value in found.values], dtype=np.intp)
    counted = votes.shared()[votes.items] & (settled[votes.items] >= 0)
    people = votes.labelers[counted]
    equal = votes.values[counted] == settled[votes.items[counted]]
    n = np.bincount(people, minlength=votes.n_labelers)
    hits = np.bincount(people, weights=equal, minlength=votes.n_labelers)
    return tuple(
        (float(hit / count) if count else None, int(count))
        for hit, count in zip(hits, n, strict=True)
    )


def _parameters(votes: Votes, belief: Floats, totals: Floats) -> tuple[Floats, Floats]:
    k, people = votes.n_values, votes.n_labelers
    there = belief[totals > 0]
    shares = (there.sum(axis=0) + 1 / k) / (len(there) + 1)
    cells = votes.labelers * k + votes.values
    confusions = np.empty((people, k, k))
    for category in range(k):
        found = np.bincount(cells, weights=belief[votes.items, category], minlength=people * k)
        confusions[:, category] = found.reshape(people, k)
    confusions += 1 / k + np.eye(k)
    confusions /= confusions.sum(axis=2, keepdims=True)
    return shares, confusions


def _beliefs(votes: Votes, shares: Floats, confusions: Floats) -> Floats:
    k = votes.n_values
    logs = np.log(np.maximum(confusions, _LEAST))
    cells = votes.labelers * k + votes.values
    found = np.empty((votes.n_items, k))
    for category in range(k):
        of_cell = logs[:, category].ravel()
        found[:, category] = np.bincount(
            votes.items, weights=of_cell[cells], minlength=votes.n_items
        )
    found += np.log(np.maximum(shares, _LEAST))
    found = np.exp(found - found.max(axis=1, keepdims=True))
    belief: Floats = found / found.sum(axis=1, keepdims=True)
    return belief


def _consensus(belief: Floats, totals: Floats) -> Consensus:
    best = belief.max(axis=1, initial=0.0)
    tied = ((best[:, None] - belief) < 1e-9).sum(axis=1) > 1
    labelled = totals > 0
    settled = labelled & ~tied
    winners = belief.argmax(axis=1) if belief.size else np.zeros(0, dtype=np.intp)
    return Consensus(
        tuple(int(x) if ok else None for x, ok in zip(winners, settled, strict=True)),
        tuple(float(x) if ok else None for x, ok in zip(best, settled, strict=True)),
        tuple(int(x) for x in totals),
        int((labelled & tied).sum()),
    )


def modes(
    places: NDArray[np.int64], values: NDArray[np.float64], size: int
) -> NDArray[np.float64]:
    """Give the value that occurs most at each place, NaN where several tie; shape (size,)."""
    found = np.full(size, np.nan)
    if not places.size:
        return found
    order = np.lexsort((values, places))
    places, values = places[order], values[order]
    starts = np.flatnonzero(np.r_[True, (places[1:] != places[:-1]) | (values[1:] != values[:-1])])
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
    return np.isnan(modes(every, np.repeat(values.astype(np.float64), often), len(counts)))
