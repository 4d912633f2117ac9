"""The table of human against automatic scores while labels come and go, whatever their number.

Whole counts only: putting an evaluation in and taking it out again restores the former state.
"""

from collections.abc import Iterable
from copy import copy
from math import gcd
from typing import Self, TypeVar

import numpy as np

from reviewer.stats.coefficients import Floats
from reviewer.stats.figures import Chance, Pair
from reviewer.stats.intervals import Weights
from reviewer.stats.levels import BY_LEVEL, Chances, weights_of
from reviewer.stats.pairs import Answers, Evidence, Pairs
from reviewer.stats.values import LabelTable, Scale, majority

Rows = tuple[tuple[int, int], ...]
"""Places of the scale, and how many labels of an evaluation lie at each, in lowest terms."""
_Key = TypeVar("_Key")
Drawn = tuple[float, float, int]
"""A chance, and the level it belongs to where the levels stand in for it (else -1)."""


class _Share:
    """The evaluations that were drawn with one chance.

    `cells` are counts of labels by the number of labels that their evaluations have: a label of
    an evaluation with three counts a third.
    """

    __slots__ = ("cells", "n", "sizes")

    def __init__(self) -> None:
        self.n = 0
        self.cells: dict[int, list[int]] = {}
        self.sizes: dict[int, int] = {}

    def copy(self) -> "_Share":
        made = _Share()
        made.n, made.sizes = self.n, dict(self.sizes)
        made.cells = {many: list(one) for many, one in self.cells.items()}
        return made

    def count(self, column: int, rows: Rows, k: int, by: int) -> None:
        many = sum(count for _, count in rows)
        if many not in self.cells:
            self.cells[many] = [0] * (k * k)
        cells = self.cells[many]
        for row, count in rows:
            cells[row * k + column] += by * count
        _add(self.sizes, many, by)
        if many not in self.sizes:
            del self.cells[many]

    def table(self, k: int) -> Floats:
        found = np.zeros(k * k)
        for many in sorted(self.cells):
            found += np.array(self.cells[many], dtype=np.float64) / many
        return found.reshape(k, k)


class LabelCounts:
    """Keep what agreement of judge and people is computed from.

    Attributes:
        judged: shape (k,), how many automatic scores each level has in all.
        n_no_majority, n_rounded, n_off_level: as in `Evidence`.
    """

    __slots__ = (
        "_answers",
        "_by_chance",
        "_exact",
        "_k",
        "_kept",
        "_label_table",
        "_off_grid",
        "judged",
        "n_no_majority",
        "n_off_level",
        "n_rounded",
        "scale",
    )

    def __init__(self, scale: Scale | None, label_table: LabelTable) -> None:
        """Start empty, on a declared scale (None: a range without levels)."""
        self.scale = scale
        self.judged: Floats | None = None
        self.n_no_majority = 0
        self.n_off_level = 0
        self.n_rounded = 0
        self._label_table = label_table
        self._k = len(scale.values) if scale else 0
        self._off_grid = 0
        self._exact: dict[tuple[float, float, Chance], int] = {}
        self._answers: dict[tuple[Drawn, int, Rows], int] = {}
        self._by_chance: dict[Drawn, _Share] = {}
        self._kept: Floats | None = None

    def copy(self) -> Self:
        """Give counts of the same that go their own way."""
        made = copy(self)
        made.part()
        return made

    def part(self) -> None:
        """Share nothing with the counts that these were copied from."""
        self._exact, self._answers = dict(self._exact), dict(self._answers)
        self._by_chance = {key: one.copy() for key, one in self._by_chance.items()}

    @property
    def n_table(self) -> int:
        """Count the evaluations in the table."""
        return sum(sum(share.sizes.values()) for share in self._by_chance.values())

    def count(self, pair: Pair, by: int) -> None:
        """Put so many evaluations of a kind in, or take them out."""
        self._kept = None
        _add(self._exact, (pair.auto, pair.human, pair.chance), by)
        scale = self.scale
        column, moved = scale.nearest(pair.auto) if scale is not None else (-1, False)
        worth, stratum = pair.chance
        drawn = (worth, stratum, column if worth == BY_LEVEL else -1)
        share = self._by_chance.get(drawn)
        if share is None:
            share = self._by_chance[drawn] = _Share()
        share.n += by
        if scale is not None:
            labels = self._labels(pair, by)
            known = [place for place in map(scale.index, labels) if place is not None]
            self.n_off_level += by * (len(labels) - len(known))
            rows = _lowest(known)
            if rows:
                self.n_rounded += by * moved
                _add(self._answers, (drawn, column, rows), by)
                share.count(column, rows, self._k, by)
            if moved or len(rows) != 1 or len(known) < len(labels) or labels[0] != pair.human:
                self._off_grid += by
        if not share.n:
            del self._by_chance[drawn]

    def _labels(self, pair: Pair, by: int) -> tuple[float, ...]:
        """Give the labels that enter the table."""
        if len(pair.labels) == 1:
            return pair.labels
        most = majority(pair.labels)
        if most is None:
            self.n_no_majority += by
        if self._label_table == "each":
            return pair.labels
        return () if most is None else (most,)

    def evidence(self, *, exact: bool, alike: bool = False) -> Evidence:
        """Read what `agreement` needs.

        Args:
            exact: also the exact pairs, and what intervals are drawn from.
            alike: whether every evaluation counts 1, however it was drawn.
        """
        weights = None if alike else self._weights()
        table = self._table(weights) if self._kept is None or weights else self._kept
        if weights is None:
            self._kept = table
        answers = pairs = None
        if exact:
            single = weights is None and all(len(rows) == 1 for _, _, rows in self._answers)
            answers = None if single else self._all_answers(weights)
            if self.scale is None or self._off_grid or weights is not None:
                pairs = self._pairs(weights)
        return Evidence(
            self.scale,
            table,
            pairs,
            answers,
            n_no_majority=self.n_no_majority,
            n_rounded=self.n_rounded,
            n_off_level=self.n_off_level,
            placed=self.n_table,
        )

    def _weights(self) -> dict[Drawn, tuple[float, int]] | None:
        """Give what an evaluation of each chance counts, and its stratum; None for 1."""
        if not any(worth for worth, _, _ in self._by_chance):
            return None
        drawn = list(self._by_chance)
        worth, strata, levels = (np.array(x) for x in zip(*drawn, strict=True))
        counts = np.array([self._by_chance[x].n for x in drawn], dtype=np.float64)
        places = None if self.scale is None else levels
        found = weights_of(Chances(worth, strata), places, self.judged, counts)
        if found is None:
            return None
        numbers = zip(found.each.tolist(), found.groups.tolist(), strict=True)
        return dict(zip(drawn, numbers, strict=True))

    def _table(self, weights: dict[Drawn, tuple[float, int]] | None) -> Floats:
        found = np.zeros((self._k, self._k))
        for drawn, share in self._by_chance.items():
            table = share.table(self._k)
            found += table if weights is None else weights[drawn][0] * table
        return found

    def _all_answers(self, weights: dict[Drawn, tuple[float, int]] | None) -> Answers:
        kinds: dict[tuple[int, float, int, tuple[int, ...]], int] = {}
        for (drawn, column, rows), count in self._answers.items():
            each, group = weights[drawn] if weights else (1.0, 0)
            labels = dict(rows)
            given = tuple(labels.get(place, 0) for place in range(self._k))
            _add(kinds, (column, each, group, given), count)
        ordered = sorted(kinds)
        shares = np.array([x[3] for x in ordered], dtype=np.float64).reshape(-1, self._k)
        return Answers(
            np.array([x[0] for x in ordered], dtype=np.intp),
            shares / shares.sum(axis=1, keepdims=True),
            np.array([kinds[x] for x in ordered], dtype=np.float64),
            None if weights is None else _numbered((x[1], x[2]) for x in ordered),
        )

    def _pairs(self, weights: dict[Drawn, tuple[float, int]] | None) -> Pairs:
        kinds: dict[tuple[float, float, float, int], int] = {}
        for (auto, human, chance), count in self._exact.items():
            each, group = weights[self._drawn(auto, chance)] if weights else (1.0, 0)
            _add(kinds, (auto, human, each, group), count)
        ordered = sorted(kinds)
        return Pairs(
            np.array([x[0] for x in ordered], dtype=np.float64),
            np.array([x[1] for x in ordered], dtype=np.float64),
            np.array([kinds[x] for x in ordered], dtype=np.float64),
            None if weights is None else _numbered((x[2], x[3]) for x in ordered),
        )

    def _drawn(self, auto: float, chance: Chance) -> Drawn:
        worth, stratum = chance
        by_level = worth == BY_LEVEL and self.scale is not None
        return (worth, stratum, self.scale.nearest(auto)[0] if by_level and self.scale else -1)


def _add(counts: dict[_Key, int], key: _Key, by: int) -> None:
    left = counts.get(key, 0) + by
    if left:
        counts[key] = left
    else:
        del counts[key]


def _lowest(places: list[int]) -> Rows:
    """Count labels by place, in lowest terms: twice as many say the same."""
    if not places:
        return ()
    if len(places) == 1:
        return ((places[0], 1),)
    counts: dict[int, int] = {}
    for place in places:
        counts[place] = counts.get(place, 0) + 1
    by = gcd(*counts.values())
    return tuple(sorted((place, count // by) for place, count in counts.items()))


def _numbered(found: Iterable[tuple[float, int]]) -> Weights:
    pairs = list(found)
    return Weights(
        np.array([each for each, _ in pairs], dtype=np.float64),
        np.array([group for _, group in pairs], dtype=np.intp),
    )
