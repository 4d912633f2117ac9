"""The table of human against automatic scores: of all labels at once, and while they come and go.

Whole counts only: putting an evaluation in and taking it out again restores the former state.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import gcd
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from reviewer.stats.coefficients import Floats
from reviewer.stats.consensus import modes
from reviewer.stats.figures import Chance, Pair
from reviewer.stats.intervals import BY_LEVEL, Chances, Weights, weights_of
from reviewer.stats.ledger import Parted
from reviewer.stats.pairs import (
    Answers,
    Conversations,
    Evidence,
    Labels,
    Pairs,
    alike_rows,
    exact_places,
    pairs_of,
    places,
)
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


class LabelCounts(Parted):
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

    @override
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


Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Hold evaluations that judge and people scored, columns of one length.

    Attributes:
        auto: exact automatic scores.
        human: exact human scores.
        labels: the labels that count, of every evaluation at least one.
        weights: what each evaluation counts; None for 1.
        clusters: the conversation of each; None where no two share one.
    """

    auto: Floats
    human: Floats
    labels: Labels
    weights: Weights | None = None
    clusters: NDArray[np.int64] | None = None


def label_evidence(judged: Judged, scale: Scale | None, *, label_table: LabelTable) -> Evidence:
    """Count what people and judge say of evaluations.

    Args:
        judged: the evaluations.
        scale: the declared scale, or None for a range without levels.
        label_table: whether each label enters the table, or what most people gave.
    """
    auto, human, weights = judged.auto, judged.human, judged.weights
    if scale is None:
        nowhere = np.full(auto.size, -1, dtype=np.intp)
        found = Evidence(None, np.zeros((0, 0)), pairs_of(auto, human, weights))
        return _with_conversations(found, judged, nowhere)
    labels, n_no_majority = _entering(judged, label_table)
    columns, moved = places(auto, scale)
    entries = _entries(labels, scale, auto.size)
    exact = None
    if moved.any() or not _on_grid(entries, human, scale) or weights is not None:
        exact = pairs_of(auto, human, weights)
    table, answers, at = _answers(columns, entries, len(scale.values), weights)
    found = Evidence(
        scale,
        table,
        exact,
        answers,
        n_no_majority=n_no_majority,
        n_rounded=int((moved & (entries.labels > 0)).sum()),
        n_off_level=entries.n_off,
    )
    return _with_conversations(found, judged, at)


def placed_labels(
    judged: Judged, scale: Scale, *, label_table: LabelTable
) -> tuple[NDArray[np.int64], Places, NDArray[np.int64]]:
    """Give the labels that have a place in the table.

    Returns:
        Each one's evaluation and place on the scale, and how many each evaluation has.
    """
    found = _entries(_entering(judged, label_table)[0], scale, judged.auto.size)
    return found.pairs, found.rows, found.labels


def label_shares(judged: Judged, scale: Scale, *, label_table: LabelTable) -> Floats:
    """Give which part of each evaluation's labels lies at each place, shape (n, k).

    An evaluation that is in no table has none.
    """
    labels, _ = _entering(judged, label_table)
    given = _given(_entries(labels, scale, judged.auto.size), len(scale.values))
    shares: Floats = given / np.maximum(given.sum(axis=1, keepdims=True), 1)
    return shares


def _entering(judged: Judged, label_table: LabelTable) -> tuple[Labels, int]:
    """Give the labels that enter the table, and count the evaluations without a majority."""
    most = _most(judged.labels, judged.auto.size)
    missing = np.isnan(most)
    if label_table == "each":
        return judged.labels, int(missing.sum())
    there = np.flatnonzero(~missing)
    return Labels(there, most[there]), int(missing.sum())


def _most(labels: Labels, size: int) -> Floats:
    """Give what most people gave, NaN where several values tie; most have one label only."""
    given = np.bincount(labels.pairs, minlength=size)
    most = np.full(size, np.nan)
    most[labels.pairs] = labels.values
    several = given[labels.pairs] > 1
    if several.any():
        of_several = modes(labels.pairs[several], labels.values[several], size)
        most = np.where(given > 1, of_several, most)
    return most


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Hold the labels that lie on levels.

    Attributes:
        pairs: shape (m,), each one's evaluation.
        rows: shape (m,), its place.
        labels: shape (n,), how many each evaluation has.
        row: shape (n,), the place of an evaluation's last label, -1 where it has none.
        alike: whether all labels of every evaluation are the same.
        n_off: labels between the levels.
    """

    pairs: NDArray[np.int64]
    rows: Places
    labels: NDArray[np.int64]
    row: Places
    alike: bool
    n_off: int


def _entries(labels: Labels, scale: Scale, size: int) -> _Entries:
    rows, off = places(labels.values, scale)
    pairs, rows = labels.pairs[~off], rows[~off]
    row = np.full(size, -1, dtype=np.intp)
    row[pairs] = rows
    alike = bool((row[pairs] == rows).all())
    return _Entries(pairs, rows, np.bincount(pairs, minlength=size), row, alike, int(off.sum()))


def _on_grid(entries: _Entries, human: Floats, scale: Scale) -> bool:
    """Tell whether the table says all: one value an evaluation, which is its human score."""
    if not entries.alike or entries.n_off or not (entries.labels > 0).all():
        return False
    return bool((np.array(scale.values)[entries.row] == human).all())


def _answers(
    columns: Places, entries: _Entries, k: int, weights: Weights | None
) -> tuple[Floats, Answers | None, Places]:
    """Give the table, what it is made of, and where each evaluation is counted (-1: nowhere)."""
    there = entries.row >= 0
    if entries.alike and weights is None:
        cells = np.where(there, entries.row * k + columns, -1)
        table = np.bincount(cells[there], minlength=k * k).reshape(k, k).astype(np.float64)
        return table, None, cells
    given = _given(entries, k)[there]
    each, groups = np.ones(columns.size), np.zeros(columns.size, dtype=np.intp)
    if weights is not None:
        each, groups = weights.each, weights.groups
    numbers = (columns, np.unique(each, return_inverse=True)[1], groups)
    first, place, counts = alike_rows(np.column_stack([*(x[there] for x in numbers), given]))
    own = np.flatnonzero(there)[first]
    answers = Answers(
        columns[own],
        given[first] / given[first].sum(axis=1, keepdims=True),
        counts.astype(np.float64),
        None if weights is None else Weights(each[own], groups[own]),
    )
    at = np.full(columns.size, -1, dtype=np.intp)
    at[there] = place
    return answers.table(), answers, at


def _given(entries: _Entries, k: int) -> NDArray[np.int64]:
    """Count each evaluation's labels by place, in lowest terms: twice as many say the same."""
    size = entries.row.size
    if entries.alike:
        given = np.zeros((size, k), dtype=np.int64)
        there = np.flatnonzero(entries.row >= 0)
        given[there, entries.row[there]] = 1
        return given
    cells = entries.pairs * k + entries.rows
    given = np.bincount(cells, minlength=size * k).reshape(size, k).astype(np.int64)
    lowest: NDArray[np.int64] = given // np.maximum(np.gcd.reduce(given, axis=1), 1)[:, None]
    return lowest


def _with_conversations(found: Evidence, judged: Judged, at: Places) -> Evidence:
    if judged.clusters is None:
        return found
    codes = np.unique(judged.clusters, return_inverse=True)[1]
    exact = at
    if found.pairs is not None:
        exact = exact_places(judged.auto, judged.human, judged.weights)
    return replace(found, conversations=Conversations(codes, at, exact))
