"""One value out of several labels, and values brought from one scale to another."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = float | int | str
Rescale = Literal["affine", "ratio"]
Combine = Literal["mean", "median", "latest"]
RepeatPolicy = Literal["mean", "median", "newest", "majority"]
HumanRule = Literal["mean", "median", "latest", "consensus"]
"""How labels become the human score; a consensus takes all labels of a metric together."""
_Kind = TypeVar("_Kind", bound=Hashable)
DerivedLabels = Literal["none", "count"]
"""Whether what follows from labels of other metrics counts as a label of a derived metric."""
LabelTable = Literal["each", "majority"]
"""Whether each label of an evaluation enters the judge–human table, or what most people gave."""
SelectionRule = Literal["drawn", "all"]
"""Whether evaluations that somebody chose count beside those that chance drew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """Say which labels agreement is computed from, and how: whoever builds evidence needs it."""

    label_combine: HumanRule
    label_table: LabelTable
    selection: SelectionRule


@dataclass(frozen=True, slots=True)
class Scale:
    """Declare the values a metric can take: all of them, also those nobody has used yet.

    Attributes:
        values: strictly increasing; ranks 0, 1, 2 … for named levels or categories.
        ordered: False for categories, whose order and distance mean nothing.
    """

    values: tuple[float, ...]
    ordered: bool = True

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            ValueError: if there are none or they do not increase.
        """
        if not self.values or any(
            not a < b for a, b in zip(self.values, self.values[1:], strict=False)
        ):
            raise ValueError(
                f"A scale needs values in increasing order; found {list(self.values)}."
            )

    def index(self, value: float) -> int | None:
        """Find a value's place on the scale (equal to 9 decimals), or None off the scale."""
        at, rounded = self.nearest(value)
        return None if rounded else at

    def nearest(self, value: float) -> tuple[int, bool]:
        """Find the place of the nearest value (ties: the lower), and whether it had to move."""
        values = self.values
        at = bisect_left(values, value)
        if at < len(values) and values[at] == value:
            return at, False
        if at == len(values) or (
            at and round(value - values[at - 1], 9) <= round(values[at] - value, 9)
        ):
            at -= 1
        return at, round(abs(values[at] - value), 9) != 0


def combine_labels(values: Sequence[float], how: Combine) -> float | None:
    """Make one value of the current labels, oldest first; None without labels.

    Only `latest` depends on their order: sums are exact.
    """
    if not values:
        return None
    if how == "latest":
        return values[-1]
    if how == "mean":
        return math.fsum(values) / len(values)
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def majority(values: Sequence[_Kind]) -> _Kind | None:
    """Give the one value most people chose; None where several tie or nobody labelled."""
    ranked = Counter(values).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


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


def of_repeats(values: Sequence[Value], policy: RepeatPolicy) -> Value:
    """Make one value of what one scorer version said several times, the first said first.

    Where several values were said most often, the newest of them is taken.

    Raises:
        ValueError: without any value, or for a mean of words.
    """
    if not values:
        raise ValueError("There is nothing to make a value of.")
    if policy == "newest":
        return values[-1]
    if policy == "majority":
        counts = Counter(values)
        most = max(counts.values())
        return next(value for value in reversed(values) if counts[value] == most)
    numbers = [float(value) for value in values]
    made = combine_labels(numbers, policy)
    return numbers[-1] if made is None else made


def rescale(
    value: float,
    source: tuple[float, float],
    target: tuple[float, float],
    method: Rescale = "affine",
) -> float:
    """Bring a value from one range (low, high) to another.

    `affine` maps both ends; `ratio` multiplies by the quotient of the upper ends.

    Raises:
        ValueError: for a source range without extent, or with an upper end of 0 for `ratio`.
    """
    if source == target:
        return value
    low, high = source
    if method == "ratio":
        if not high:
            raise ValueError("A range that ends at 0 cannot be rescaled by ratio.")
        return value * target[1] / high
    if not high > low:
        raise ValueError(f"The range {low} to {high} has no extent, so nothing can be rescaled.")
    return target[0] + (value - low) * (target[1] - target[0]) / (high - low)
