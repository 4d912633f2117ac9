"""The gaps of evaluations by date, and which of them lie inside a window."""

from collections import Counter
from collections.abc import Iterable
from copy import copy
from datetime import date

from reviewer.stats.deviations import DeviationOptions, Deviations, deviations_of
from reviewer.stats.figures import Key, in_order
from reviewer.stats.ledger import GapLedger, mean_of_fixed, to_fixed
from reviewer.stats.window import Window


class GapWindow:
    """Keep the gaps of evaluations, and which of them lie inside a window of dates."""

    __slots__ = ("_by_day", "_entries", "covered", "human", "inside", "span")

    def __init__(self, span: Window) -> None:
        """Start empty."""
        self.span = span
        self.inside = GapLedger()
        self.human = 0
        self.covered = 0
        self._entries: dict[Key, tuple[date | None, float, float, float]] = {}
        self._by_day: dict[date | None, set[Key]] = {}

    def copy(self) -> "GapWindow":
        """Give the same gaps in a window that goes its own way."""
        made = copy(self)
        made.part()
        return made

    def part(self) -> None:
        """Share nothing with the window that this one was copied from."""
        self.inside = self.inside.copy()
        self._entries = dict(self._entries)
        self._by_day = {day: set(keys) for day, keys in self._by_day.items()}

    def put(
        self, key: Key, day: date | None, gap: float, human: float, covered: float = 0.0
    ) -> None:
        """Enter an evaluation; one that is already there must be dropped first."""
        entry = (day, gap, human, covered)
        self._entries[key] = entry
        self._by_day.setdefault(day, set()).add(key)
        if self.span.contains(day):
            self._count(entry, 1)

    def load(self, entries: Iterable[tuple[Key, date | None, float, float, float]]) -> None:
        """Enter many new evaluations: key, date, gap, human value and covered share."""
        inside: list[tuple[float, float, float]] = []
        for key, day, *figures in entries:
            gap, human, covered = figures
            self._entries[key] = (day, gap, human, covered)
            self._by_day.setdefault(day, set()).add(key)
            if self.span.contains(day):
                inside.append((gap, human, covered))
        if self.inside.n:
            for gap, _, _ in inside:
                self.inside.add(gap)
        else:
            self.inside = GapLedger(gap for gap, _, _ in inside)
        self.human += _summed(human for _, human, _ in inside)
        self.covered += _summed(covered for _, _, covered in inside)

    def drop(self, key: Key) -> None:
        """Take an evaluation out; nothing happens if it is not there."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return
        day = entry[0]
        keys = self._by_day[day]
        keys.discard(key)
        if not keys:
            del self._by_day[day]
        if self.span.contains(day):
            self._count(entry, -1)

    def move(self, span: Window) -> None:
        """Change the window; only evaluations of days that enter or leave are touched."""
        before, self.span = self.span, span
        for day, keys in self._by_day.items():
            by = span.contains(day) - before.contains(day)
            if by:
                for key in keys:
                    self._count(self._entries[key], by)

    def human_mean(self) -> float | None:
        """Give the mean human value inside the window; None without evaluations."""
        return mean_of_fixed(self.human, self.inside.n) if self.inside.n else None

    def covered_mean(self) -> float | None:
        """Give the mean labelled share of the weight inside the window."""
        return mean_of_fixed(self.covered, self.inside.n) if self.inside.n else None

    def deviations(self, options: DeviationOptions) -> Deviations:
        """Work out deviations and band inside the window."""
        recent = self._recent() if options.top_which == "recent" else None
        return deviations_of(self.inside, options, recent=recent)

    def _recent(self) -> list[float]:
        inside = [
            (in_order(day, key), gap)
            for key, (day, gap, _, _) in self._entries.items()
            if self.span.contains(day)
        ]
        return [gap for _, gap in sorted(inside)]

    def _count(self, entry: tuple[date | None, float, float, float], by: int) -> None:
        _, gap, human, covered = entry
        if by > 0:
            self.inside.add(gap)
        else:
            self.inside.remove(gap)
        self.human += by * to_fixed(human)
        self.covered += by * to_fixed(covered)


def _summed(values: Iterable[float]) -> int:
    return sum(to_fixed(value) * count for value, count in Counter(values).items())
