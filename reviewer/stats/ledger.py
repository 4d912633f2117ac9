"""A sorted multiset of gaps with exact, cheap end sums, and sums of doubles without rounding."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from typing import Final, Self

from typing_extensions import override

_BLOCK = 128


class _Block:
    """A run of distinct values in order with their counts; knows its own size and exact sum."""

    __slots__ = ("counts", "n", "steps", "total", "values")

    def __init__(self, values: list[float], steps: list[int], counts: list[int]) -> None:
        self.values = values
        self.steps = steps
        self.counts = counts
        self.n = sum(counts)
        self.total = sum(step * count for step, count in zip(steps, counts, strict=True))

    def copy(self) -> "_Block":
        return _Block(list(self.values), list(self.steps), list(self.counts))

    def change(self, value: float, by: int) -> None:
        at = bisect_left(self.values, value)
        known = at < len(self.values) and self.values[at] == value
        if known:
            step = self.steps[at]
            self.counts[at] += by
            if not self.counts[at]:
                del self.values[at], self.steps[at], self.counts[at]
        else:
            step = to_fixed(value)
            self.values.insert(at, value)
            self.steps.insert(at, step)
            self.counts.insert(at, by)
        self.n += by
        self.total += step * by

    def holds(self, value: float) -> bool:
        at = bisect_left(self.values, value)
        return at < len(self.values) and self.values[at] == value

    def halves(self) -> "tuple[_Block, _Block]":
        cut = len(self.values) // 2
        return (
            _Block(self.values[:cut], self.steps[:cut], self.counts[:cut]),
            _Block(self.values[cut:], self.steps[cut:], self.counts[cut:]),
        )

    def first(self, k: int) -> int:
        """Sum the k lowest."""
        return _taken(zip(self.steps, self.counts, strict=True), k)

    def last(self, k: int) -> int:
        """Sum the k highest."""
        return _taken(zip(reversed(self.steps), reversed(self.counts), strict=True), k)


def _taken(entries: Iterable[tuple[int, int]], k: int) -> int:
    total = 0
    for step, count in entries:
        if k <= count:
            return total + step * k
        total += step * count
        k -= count
    return total


class Parted:
    """What can be copied, and then goes its own way."""

    def copy(self) -> Self:
        """Give the same, sharing nothing."""
        made = copy(self)
        made.part()
        return made

    def part(self) -> None:
        """Share nothing with what this one was copied from."""
        raise NotImplementedError


class GapLedger(Parted):
    """Keep gaps in order: add, remove, count below or above, and sum the lowest or highest k.

    Adding and removing cost O(log n) and a short memory move; sums are exact integers in steps of
    2 ** -1074 (see `to_fixed`), so they depend on the contents only, not on the
    order in which gaps came and went.
    """

    __slots__ = ("_blocks", "_highest", "n", "total")

    def __init__(self, gaps: Iterable[float] = ()) -> None:
        """Start with the given gaps (finite doubles)."""
        self._blocks: list[_Block] = []
        self._highest: list[float] = []
        self.n = 0
        self.total = 0
        counts = Counter(gaps)
        ordered = sorted(counts)
        size = _BLOCK // 2
        for start in range(0, len(ordered), size):
            values = ordered[start : start + size]
            block = _Block(values, [to_fixed(v) for v in values], [counts[v] for v in values])
            self._blocks.append(block)
            self._highest.append(values[-1])
            self.n += block.n
            self.total += block.total

    @override
    def part(self) -> None:
        """Share nothing with the ledger that this one was copied from."""
        self._blocks = [block.copy() for block in self._blocks]
        self._highest = list(self._highest)

    def add(self, gap: float) -> None:
        """Put one gap in."""
        if not self._blocks:
            self._blocks.append(_Block([], [], []))
            self._highest.append(gap)
        at = min(bisect_left(self._highest, gap), len(self._blocks) - 1)
        block = self._blocks[at]
        self._change(at, gap, 1)
        if len(block.values) > _BLOCK:
            self._blocks[at : at + 1] = block.halves()
            self._highest[at : at + 1] = [part.values[-1] for part in self._blocks[at : at + 2]]

    def remove(self, gap: float) -> None:
        """Take one gap out again.

        Raises:
            KeyError: if no such gap is there.
        """
        at = bisect_left(self._highest, gap)
        if at == len(self._blocks) or not self._blocks[at].holds(gap):
            raise KeyError(gap)
        self._change(at, gap, -1)
        if not self._blocks[at].values:
            del self._blocks[at], self._highest[at]

    def below(self, limit: float) -> int:
        """Count the gaps strictly below the limit."""
        at = bisect_left(self._highest, limit)
        before = sum(block.n for block in self._blocks[:at])
        if at == len(self._blocks):
            return before
        block = self._blocks[at]
        return before + sum(block.counts[: bisect_left(block.values, limit)])

    def above(self, limit: float) -> int:
        """Count the gaps strictly above the limit."""
        at = bisect_right(self._highest, limit)
        if at == len(self._blocks):
            return 0
        block = self._blocks[at]
        rest = sum(other.n for other in self._blocks[at + 1 :])
        return rest + sum(block.counts[bisect_right(block.values, limit) :])

    def lowest(self, k: int) -> int:
        """Sum the k lowest gaps, exactly, in steps of 2 ** -1074."""
        total = 0
        for block in self._blocks:
            if k <= block.n:
                return total + block.first(k)
            total += block.total
            k -= block.n
        return total

    def highest(self, k: int) -> int:
        """Sum the k highest gaps, exactly, in steps of 2 ** -1074."""
        total = 0
        for block in reversed(self._blocks):
            if k <= block.n:
                return total + block.last(k)
            total += block.total
            k -= block.n
        return total

    def items(self) -> Iterator[tuple[float, int]]:
        """Go through distinct gaps and their counts, lowest first."""
        for block in self._blocks:
            yield from zip(block.values, block.counts, strict=True)

    def _change(self, at: int, gap: float, by: int) -> None:
        block = self._blocks[at]
        before = block.total
        block.change(gap, by)
        self.n += by
        self.total += block.total - before
        if block.values:
            self._highest[at] = block.values[-1]


STEP_BITS: Final = 1074
"""Every finite double is a whole multiple of 2 ** -1074."""


def to_fixed(value: float) -> int:
    """Turn a finite double into its whole number of steps of 2 ** -1074.

    Raises:
        ValueError: for NaN; OverflowError for infinity.
    """
    numerator, denominator = value.as_integer_ratio()
    return numerator << (STEP_BITS + 1 - denominator.bit_length())


def mean_of_fixed(total: int, count: int) -> float:
    """Divide an exact sum of steps by a count, rounded once."""
    return total / (count << STEP_BITS)
