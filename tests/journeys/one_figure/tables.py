"""The judge-human table: every counted label with its share, or each evaluation's mode (R10)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

EQUAL = 1e-9


@dataclass(frozen=True)
class Row:
    """One evaluation that has both sides.

    Attributes:
        people: Values of the labels that count, a decision alone; ascending in time.
        averaged: Which of them are means of several people.
        weight: What the evaluation weighs.
    """

    auto: float
    people: tuple[float, ...]
    human: float
    averaged: tuple[bool, ...] = ()
    weight: float = 1.0


@dataclass
class Table:
    """Counts with human values in rows and auto values in columns."""

    values: Sequence[float]
    numeric: bool = True
    cells: list[list[float]] = field(default_factory=list)
    n: int = 0
    n_no_majority: int = 0
    n_rounded: int = 0

    def __post_init__(self) -> None:
        if not self.cells:
            self.cells = [[0.0] * len(self.values) for _ in self.values]

    @property
    def total(self) -> float:
        return fsum(fsum(row) for row in self.cells)

    def percent(self) -> float | None:
        """Give the share of equal scores."""
        total = self.total
        size = range(len(self.values))
        return fsum(self.cells[x][x] for x in size) / total if total else None

    def kappa(self, weights: str = "none") -> float | None:
        """Give Cohen's kappa, plain, linear or quadratic in the values."""
        total, size = self.total, range(len(self.values))
        if not total:
            return None
        rows = [fsum(self.cells[x]) for x in size]
        columns = [fsum(self.cells[y][x] for y in size) for x in size]
        apart = [[self._apart(x, y, weights) for y in size] for x in size]
        seen = fsum(apart[x][y] * self.cells[x][y] for x in size for y in size) / total
        chance = fsum(apart[x][y] * rows[x] * columns[y] for x in size for y in size) / total**2
        return None if chance < EQUAL else 1 - seen / chance

    def _apart(self, x: int, y: int, weights: str) -> float:
        if weights == "none":
            return float(x != y)
        places = self.values if self.numeric else list(range(len(self.values)))
        share = abs(places[x] - places[y]) / (max(places) - min(places))
        return share if weights == "linear" else share**2


def table_of(
    rows: Sequence[Row], values: Sequence[float], *, how: str = "each", numeric: bool = True
) -> Table:
    """Count evaluations; labels that lie between levels enter no table."""
    made = Table(values, numeric)
    for row in rows:
        place, rounded = _nearest(row.auto, values)
        given = [_place(x, values) for x in row.people]
        inside = [x for x in given if x is not None]
        made.n += 1
        made.n_rounded += rounded
        most = _mode(inside)
        made.n_no_majority += most is None
        if how == "majority":
            inside = [] if most is None else [most]
        for at in inside:
            made.cells[at][place] += row.weight / len(inside)
    return made


def _mode(places: Sequence[int]) -> int | None:
    counts = Counter(places).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def _place(value: float, values: Sequence[float]) -> int | None:
    return next((at for at, x in enumerate(values) if abs(x - value) < EQUAL), None)


def _nearest(value: float, values: Sequence[float]) -> tuple[int, bool]:
    """Find the nearest level, the lower of two that are equally near."""
    at = min(range(len(values)), key=lambda x: (round(abs(values[x] - value), 9), values[x]))
    return at, abs(values[at] - value) > EQUAL
