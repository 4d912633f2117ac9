"""Human scores of one metric for many evaluations at once, from the entries that count.

What several labels say together is asked of `stats.values`, as for one evaluation, once for every
pattern of labels that occurs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.services.figures.human_scores import Choice, choice_of, way_of
from reviewer.stats.values import Combine, HumanRule, combine_labels, majority
from reviewer.store import figures

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Flags = NDArray[np.bool_]
_Item = TypeVar("_Item")
_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True, slots=True)
class People:
    """Single labels of one metric, decisions left out, one row a person and evaluation."""

    positions: Ints
    labelers: Ints
    values: Floats
    averaged: Flags


@dataclass(frozen=True, slots=True)
class Given:
    """Entries that count on one metric, one row a person and evaluation, decisions among them.

    Attributes:
        positions: Their evaluations.
        decided: True for the decision that stands, false for labels.
        times, orders: When each was given, and its place among those of one moment.
    """

    positions: Ints
    values: Floats
    decided: Flags
    times: Ints
    orders: Ints

    def labels(self, size: int, how: HumanRule, undone: Flags | None = None) -> Flags:
        """Tell which rows count in the table of judge and people.

        A decision stands alone, but for the evaluations where it is taken as `undone`; with
        `latest` only the newest label of an evaluation counts.
        """
        settled = np.zeros(size, dtype=np.bool_)
        settled[self.positions[self.decided]] = True
        if undone is not None:
            settled &= ~undone
        counted: Flags = self.decided == settled[self.positions]
        return counted & (self._newest(size) | self.decided) if how == "latest" else counted

    def _newest(self, size: int) -> Flags:
        rows = np.flatnonzero(~self.decided)
        rows = rows[np.lexsort((self.orders[rows], self.times[rows]))]
        last = np.full(size, -1, dtype=np.int64)
        last[self.positions[rows]] = rows
        found = np.zeros(self.positions.size, dtype=np.bool_)
        found[last[last >= 0]] = True
        return found

    def with_made(self, made: Flags, score: Floats) -> "Given":
        """Add scores worked out from other metrics, each as one label of its evaluation."""
        places = np.flatnonzero(made)
        if not places.size:
            return self
        nothing = np.zeros(places.size, dtype=np.int64)
        return Given(
            np.concatenate([self.positions, places]),
            np.concatenate([self.values, score[places]]),
            np.concatenate([self.decided, nothing == 1]),
            np.concatenate([self.times, nothing + figures.UNDATED]),
            np.concatenate([self.orders, nothing]),
        )

    def at(self, rows: Flags) -> "Given":
        """Give some of the rows."""
        return Given(
            self.positions[rows],
            self.values[rows],
            self.decided[rows],
            self.times[rows],
            self.orders[rows],
        )


@dataclass(frozen=True, slots=True)
class HumanColumns:
    """The human side of n evaluations; NaN stands for a missing value.

    Attributes:
        score: The latest decision, else the mean of the labels; categories: as `majority`.
        majority: The decision, else the label that most people gave, NaN where several tie.
        all_blind: True where every entry behind the score is known to be blind.
        count: How many entries stand behind the score.
        chosen: The best-known way in which the evaluation was chosen (codes of `Choice`).
        probability: The probability with which it was drawn that way, NaN where none is known.
        times: When the newest entry behind the score was given, or `figures.UNDATED`.
        undecided: What the score would be without any decision.
        given: The entries themselves; a score worked out from other metrics is one of them.
    """

    score: Floats
    majority: Floats
    all_blind: Flags
    count: Counts
    chosen: NDArray[np.int8]
    probability: Floats
    times: Ints
    undecided: Floats
    given: Given


_NO_INTS: Final = np.zeros(0, dtype=np.int64)
_NO_FLOATS: Final = np.zeros(0)
_NO_FLAGS: Final = np.zeros(0, dtype=np.bool_)
_NOTHING: Final = Given(_NO_INTS, _NO_FLOATS, _NO_FLAGS, _NO_INTS, _NO_INTS)
NOBODY: Final = HumanColumns(
    score=_NO_FLOATS,
    majority=_NO_FLOATS,
    all_blind=_NO_FLAGS,
    count=np.zeros(0, dtype=np.int32),
    chosen=np.zeros(0, dtype=np.int8),
    probability=_NO_FLOATS,
    times=_NO_INTS,
    undecided=_NO_FLOATS,
    given=_NOTHING,
)
NO_PEOPLE: Final = People(_NO_INTS, _NO_INTS, _NO_FLOATS, _NO_FLAGS)


class LabelArrays:
    """Label columns as arrays, made once for the metrics that are read one after the other."""

    def __init__(self, labels: figures.LabelColumns, rows: Ints) -> None:
        """Take the rows that will be asked for."""
        self.labels = labels
        self.evaluations = np.frombuffer(labels.evaluations, dtype=np.int64)
        self.labelers = np.frombuffer(labels.labelers, dtype=np.int64)
        self.decided = np.frombuffer(labels.adjudicated, dtype=np.int8) == 1
        self.blind = np.frombuffer(labels.blind, dtype=np.int8) == 1
        self.averaged = np.frombuffer(labels.aggregates, dtype=np.int64) > 0
        self.times = np.frombuffer(labels.times, dtype=np.int64)
        self.orders = np.frombuffer(labels.orders, dtype=np.int64)
        self.chosen = np.full(self.labelers.size, Choice.UNKNOWN, dtype=np.int8)
        self.drawn = np.full(self.labelers.size, np.nan)
        self.chosen[rows], self.drawn[rows] = _ways(labels, rows, choice_of)

    def ways(self, rows: Ints) -> NDArray[np.int8]:
        """Give how the evaluations of some rows were chosen, as agreement counts them."""
        return _ways(self.labels, rows, way_of)[0]

    def values(self, metric: Metric, rows: Ints) -> Floats:
        """Give the labels of a metric as numbers."""
        return numbers(metric, _some(self.labels.values, rows))


class Entries:
    """The label entries of one metric inside a scope, placed among its evaluations."""

    def __init__(self, metric: Metric, labels: LabelArrays, rows: Ints, positions: Ints) -> None:
        """Take the rows of the metric; `positions` says which evaluation each belongs to."""
        values = labels.values(metric, rows)
        kept = np.isfinite(values)
        rows, self._places, self._values = rows[kept], positions[kept], values[kept]
        self._metric = metric
        self._decided = labels.decided[rows]
        self._blind = labels.blind[rows]
        self._labelers = labels.labelers[rows]
        self._averaged = labels.averaged[rows]
        self._times = labels.times[rows]
        self._orders = labels.orders[rows]
        self._chosen, self._drawn = labels.chosen[rows], labels.drawn[rows]

    def people(self) -> People:
        """Give single labels without decisions."""
        given = ~self._decided
        return People(
            positions=self._places[given],
            labelers=self._labelers[given],
            values=self._values[given],
            averaged=self._averaged[given],
        )

    def given(self) -> Given:
        """Give labels and the decisions that stand."""
        standing = np.zeros(self._places.size, dtype=np.bool_)
        if self._decided.any():
            last = np.full(int(self._places.max()) + 1, -1, dtype=np.int64)
            latest = np.lexsort((self._orders, self._times))
            rows = latest[self._decided[latest]]
            last[self._places[rows]] = rows
            standing[last[last >= 0]] = True
        kept = standing | ~self._decided
        every = Given(self._places, self._values, standing, self._times, self._orders)
        return every if kept.all() else every.at(kept)

    def decided(self) -> Ints:
        """Give the places with a decision, which stands above all labels."""
        places: Ints = self._places[self._decided]
        return places

    def human(self, size: int, how: Combine) -> HumanColumns:
        """Combine the entries of each of `size` evaluations."""
        # worked out for the evaluations with an entry only: most have none
        there, entry_of = _numbered(self._places, size)
        given = ~self._decided
        places = entry_of[given]
        count = np.bincount(places, minlength=there.size).astype(np.int32)
        score, most = self._scores(entry_of, there.size, how)
        unseen = np.bincount(places, weights=self._blind[given], minlength=there.size)
        chosen = np.full(there.size, Choice.CONVENIENCE, dtype=np.int8)
        np.maximum.at(chosen, entry_of, self._chosen)
        drawn = np.full(there.size, np.nan)
        best = self._chosen == chosen[entry_of]
        np.fmax.at(drawn, entry_of[best], self._drawn[best])
        times = np.full(there.size, figures.UNDATED)
        np.maximum.at(times, places, self._times[given])
        some = HumanColumns(
            score=score,
            majority=most,
            all_blind=(count > 0) & (unseen == count),
            count=count,
            chosen=chosen,
            probability=drawn,
            times=times,
            undecided=_NO_FLOATS,
            given=_NOTHING,
        )
        found = HumanColumns(
            score=_spread(some.score, there, size, np.nan),
            majority=_spread(some.majority, there, size, np.nan),
            all_blind=_spread(some.all_blind, there, size, fill=False),
            count=_spread(some.count, there, size, 0),
            chosen=_spread(some.chosen, there, size, Choice.CONVENIENCE),
            # one number for all where no probability is known: a column may hold a million
            probability=_spread(some.probability, there, size, np.nan)
            if np.isfinite(some.probability).any()
            else np.broadcast_to(np.float64(np.nan), (size,)),
            times=_spread(some.times, there, size, figures.UNDATED),
            undecided=_NO_FLOATS,
            given=self.given(),
        )
        found = replace(found, undecided=found.score)
        if self._decided.any():
            found = replace(found, score=found.score.copy())
            self._decide(found)
        return found

    def _scores(self, units: Ints, size: int, how: Combine) -> tuple[Floats, Floats]:
        """Give the value of the labels of each unit, and the one that most people gave."""
        given = np.flatnonzero(~self._decided)
        places, values = units[given], self._values[given]
        order = np.lexsort((values, places))
        if how == "latest":
            order = np.lexsort((self._orders[given], self._times[given], places))
        patterns = Patterns(places, values, order)
        most = patterns.made_by(majority, size)
        if not self._metric.is_numeric:
            return most, most
        return patterns.made_by(partial(combine_labels, how=how), size), most

    def _decide(self, found: HumanColumns) -> None:
        latest = np.lexsort((self._orders, self._times))
        decided = latest[self._decided[latest]]
        places = self._places[decided]
        found.score[places] = self._values[decided]
        found.majority[places] = self._values[decided]
        found.all_blind[places] = self._blind[decided]
        found.count[places] = 1
        found.times[places] = self._times[decided]


def _some(values: Sequence[_Item], rows: Ints) -> Sequence[_Item]:
    """Give the values of some rows, which ascend."""
    if rows.size == len(values):
        return values
    return list(map(values.__getitem__, rows.tolist()))


def _numbered(places: Ints, size: int) -> tuple[Ints, Ints]:
    """Number the places that occur: give them ascending, and the number of each row's place."""
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[places] = True
    there = np.flatnonzero(occurs)
    number = np.empty(size, dtype=np.int64)
    number[there] = np.arange(there.size)
    return there, number[places]


def _spread(some: NDArray[_Kind], places: Ints, size: int, fill: float) -> NDArray[_Kind]:
    """Put values at their places among `size`, and `fill` everywhere else."""
    found = np.full(size, fill, dtype=some.dtype)
    found[places] = some
    return found


_Read = Callable[[str | None, float | None], Choice]


def _ways(
    labels: figures.LabelColumns, rows: Ints, read: _Read
) -> tuple[NDArray[np.int8], Floats]:
    """Read how evaluations were chosen, and with which probability, NaN where none is known."""
    drawn = np.array(_some(labels.probabilities, rows), dtype=np.float64)
    drawn[drawn == 0] = np.nan
    reasons = _some(labels.reasons, rows)
    unknown = _codes(reasons, None, read)
    if np.isnan(drawn).all():
        return unknown, drawn
    return np.where(np.isnan(drawn), unknown, _codes(reasons, 1.0, read)), drawn


def _codes(
    reasons: Sequence[str | None], probability: float | None, read: _Read
) -> NDArray[np.int8]:
    codes = {reason: read(reason, probability) for reason in set(reasons)}
    return np.fromiter(map(codes.__getitem__, reasons), dtype=np.int8, count=len(reasons))


def numbers(metric: Metric, values: Sequence[Value]) -> Floats:
    """Give values as numbers, categories by their place on the scale, NaN off it."""
    if not metric.is_numeric:
        place: dict[Any, float] = {name: float(at) for at, name in enumerate(metric.values)}
        return np.array([place.get(value, np.nan) for value in values], dtype=np.float64)
    try:
        return np.array(values, dtype=np.float64)
    except ValueError:
        return np.array([np.nan if isinstance(x, str) else x for x in values], dtype=np.float64)


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
