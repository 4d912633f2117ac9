"""Values at many places, by what they are."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_BITS = 62
"""How many fit a whole number of a column."""


class Patterns:
    """The values at each of n places, such as the labels of each evaluation, by what they are.

    A rule is asked once for each pattern of values that occurs.
    """

    def __init__(self, places: Ints, values: Floats, order: Ints) -> None:
        """Take values and their places; `order` sorts by place, then as the rules need it."""
        places, self._values = places[order], values[order]
        self._starts = np.flatnonzero(np.r_[True, places[1:] != places[:-1]][: places.size])
        self._counts = np.diff(np.r_[self._starts, places.size])
        self._there = places[self._starts]
        self._several = np.flatnonzero(self._counts > 1)
        self._first, self._pattern = self._numbered()

    def made_by(self, rule: Callable[[Sequence[float]], float | None], size: int) -> Floats:
        """Make one value of those at each place, NaN where the rule has none; shape (size,).

        A value that stands alone is the place's.
        """
        found = np.full(size, np.nan)
        found[self._there] = self._values[self._starts]
        made = [rule(self._of(self._several[at])) for at in self._first.tolist()]
        # numpy reads None as NaN
        found[self._there[self._several]] = np.array(made, dtype=np.float64)[self._pattern]
        return found

    def _of(self, group: int) -> list[float]:
        start = self._starts[group]
        some: list[float] = self._values[start : start + self._counts[group]].tolist()
        return some

    def _numbered(self) -> tuple[Ints, Ints]:
        """Give one place of each pattern, and the pattern of every place with several values."""
        groups = self._several
        if not groups.size:
            return groups, groups
        longest = int(self._counts.max())
        levels, codes = np.unique(self._values, return_inverse=True)
        if longest * np.log2(levels.size + 1) < _BITS:
            # the codes are the digits of one number
            at = np.arange(codes.size) - np.repeat(self._starts, self._counts)
            digits = (codes + 1) * np.power(levels.size + 1, at, dtype=np.int64)
            marks = np.add.reduceat(digits, self._starts)[groups]
            _, first, pattern = np.unique(marks, return_index=True, return_inverse=True)
            return first, pattern
        known: dict[tuple[float, ...], int] = {}
        every = [known.setdefault(tuple(self._of(group)), len(known)) for group in groups.tolist()]
        first = np.unique(every, return_index=True)[1]
        return first, np.array(every, dtype=np.int64)
