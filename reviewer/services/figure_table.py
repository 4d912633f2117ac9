"""Everything that figures are computed from, as columns: auto scores, human scores, labels.

Positions in all columns are those of `FigureTable.keys`; a missing value is NaN inside the
columns and never leaves them as such. Categories are numbered by their place on the scale.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import ScorerVersion
from reviewer.domain.scope import Scope
from reviewer.domain.values import Value
from reviewer.store import figures
from reviewer.store.project import Project
from reviewer.store.scoping import Condition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_DERIVED = re.compile(r"^(min|max|mean)\((.+)\)$")


@dataclass(frozen=True, slots=True)
class People:
    """Single labels of one metric, adjudications left out, one row a person and evaluation."""

    positions: Ints
    labelers: Ints
    values: Floats
    averaged: Flags
    times: Ints
    reasons: NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class MetricTable:
    """One metric's columns.

    Attributes:
        auto: The newest auto score by the chosen scorer version.
        human: The human score: the latest adjudication, else the mean of the labels.
        all_blind: True where every entry behind the human score is known to be blind.
        n_labels: How many entries stand behind the human score.
        derived: True where a human or auto value was worked out from other metrics.
    """

    metric: Metric
    scorer: str | None
    other_scorers: tuple[str, ...]
    auto: Floats
    human: Floats
    all_blind: Flags
    n_labels: Ints
    derived: Flags
    people: People

    @property
    def both(self) -> Flags:
        """Tell where there is an auto score and a human score."""
        return np.asarray(np.isfinite(self.auto) & np.isfinite(self.human))


@dataclass(frozen=True, slots=True)
class FigureTable:
    """The columns of all metrics of one rubric over the evaluations of a scope."""

    rubric: Rubric
    keys: Ints
    dates: Ints
    metrics: dict[str, MetricTable]
    labelers: dict[int, str]

    @property
    def undated(self) -> Flags:
        """Tell which evaluations have no date at all."""
        return np.asarray(self.dates == figures.UNDATED)


def load(project: Project, scope: Scope, *, rubric: Rubric, within: Condition) -> FigureTable:
    """Read the columns of a scope.

    Raises:
        ReviewerError: The scope names a labeler or scorer that the project does not have.
    """
    found = figures.read_evaluations(project, within)
    keys = np.frombuffer(found.keys, dtype=np.int64)
    dates = np.frombuffer(found.dates, dtype=np.int64)
    labels = figures.read_labels(project, scope)
    reader = _MetricReader(project, scope, within=within, keys=keys, labels=labels)
    tables = {metric.name: reader.read(metric) for metric in rubric.metrics}
    reader.check_scorer()
    return FigureTable(
        rubric=rubric,
        keys=keys,
        dates=dates,
        metrics=_with_derived(tables),
        labelers=figures.labeler_names(project),
    )


class _MetricReader:
    def __init__(
        self,
        project: Project,
        scope: Scope,
        *,
        within: Condition,
        keys: Ints,
        labels: figures.LabelColumns,
    ) -> None:
        self._project = project
        self._scope = scope
        self._within = within
        self._keys = keys
        self._labels = labels
        self._metric_keys = figures.metric_keys(project)
        self._versions = {x.key: x for x in figures.scorer_versions(project)}
        self._scorer_found = scope.scorer is None
        self._of_metric = np.frombuffer(labels.metrics, dtype=np.int64)
        self._positions, self._inside = _places(
            keys, np.frombuffer(labels.evaluations, dtype=np.int64)
        )

    def read(self, metric: Metric) -> MetricTable:
        key = self._metric_keys.get(metric.name, -1)
        sets = figures.score_sets_in_use(self._project, key, self._within)
        chosen = self._choose(sets)
        auto = np.full(self._keys.size, np.nan)
        if chosen is not None:
            scores = figures.read_scores(self._project, key, chosen)
            places, inside = _places(self._keys, np.frombuffer(scores.keys, dtype=np.int64))
            auto[places[inside]] = _numbers(metric, scores.values)[inside]
        names = [self._versions[x].name for x in sets]
        mine = self._versions[chosen].name if chosen is not None else None
        return self._with_labels(metric, key, auto, scorers=(mine, names))

    def check_scorer(self) -> None:
        if not self._scorer_found:
            there = ", ".join(sorted({x.name for x in self._versions.values()})) or "none"
            raise ReviewerError(
                f"There is no scorer {self._scope.scorer!r} in this project; there are: {there}."
            )

    def _choose(self, sets: Sequence[int]) -> int | None:
        if self._scope.scorer is None:
            return sets[0] if sets else None
        fitting = [x for x in sets if _is_called(self._versions[x], self._scope.scorer)]
        self._scorer_found = self._scorer_found or any(
            _is_called(x, self._scope.scorer) for x in self._versions.values()
        )
        return fitting[0] if fitting else None

    def _with_labels(
        self, metric: Metric, key: int, auto: Floats, *, scorers: tuple[str | None, list[str]]
    ) -> MetricTable:
        rows = np.flatnonzero((self._of_metric == key) & self._inside)
        entries = _Entries(metric, self._labels, rows, self._positions[rows])
        human, blind, count = entries.human_scores(self._keys.size)
        return MetricTable(
            metric=metric,
            scorer=scorers[0],
            other_scorers=tuple(x for x in scorers[1] if x != scorers[0]),
            auto=auto,
            human=human,
            all_blind=blind,
            n_labels=count,
            derived=np.zeros(self._keys.size, dtype=np.bool_),
            people=entries.people(),
        )


class _Entries:
    """The label entries of one metric inside the scope."""

    def __init__(
        self, metric: Metric, labels: figures.LabelColumns, rows: Ints, positions: Ints
    ) -> None:
        values = _numbers(metric, [labels.values[row] for row in rows])
        kept = np.isfinite(values)
        rows, self._positions, self._values = rows[kept], positions[kept], values[kept]
        self._metric = metric
        self._decided = np.frombuffer(labels.adjudicated, dtype=np.int8)[rows] == 1
        self._blind = np.frombuffer(labels.blind, dtype=np.int8)[rows] == 1
        self._labelers = np.frombuffer(labels.labelers, dtype=np.int64)[rows]
        self._averaged = np.frombuffer(labels.aggregates, dtype=np.int64)[rows] > 0
        self._times = np.frombuffer(labels.times, dtype=np.int64)[rows]
        self._orders = np.frombuffer(labels.orders, dtype=np.int64)[rows]
        self._reasons = np.array([labels.reasons[row] for row in rows], dtype=object)

    def human_scores(self, size: int) -> tuple[Floats, Flags, Ints]:
        given = ~self._decided
        places, values = self._positions[given], self._values[given]
        count = np.bincount(places, minlength=size)
        total = np.bincount(places, weights=values, minlength=size)
        unseen = np.bincount(places, weights=self._blind[given], minlength=size)
        with np.errstate(invalid="ignore"):
            human = total / np.where(count, count, np.nan)
        if self._metric.scale == "categorical":
            human = _modes(places, values, size)
        blind = (count > 0) & (unseen == count)
        latest = np.lexsort((self._orders, self._times))
        decided = latest[self._decided[latest]]
        human[self._positions[decided]] = self._values[decided]
        blind[self._positions[decided]] = self._blind[decided]
        count[self._positions[decided]] = 1
        return human, blind, count

    def people(self) -> People:
        given = ~self._decided
        return People(
            positions=self._positions[given],
            labelers=self._labelers[given],
            values=self._values[given],
            averaged=self._averaged[given],
            times=self._times[given],
            reasons=self._reasons[given],
        )


def _places(keys: Ints, wanted: Ints) -> tuple[Ints, Flags]:
    """Find the positions of wanted keys among ascending keys, and which are there at all."""
    if not keys.size:
        return np.zeros(wanted.size, dtype=np.int64), np.zeros(wanted.size, dtype=np.bool_)
    places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return places, keys[places] == wanted


def _numbers(metric: Metric, values: Sequence[Value]) -> Floats:
    if metric.scale == "categorical":
        place: dict[Any, float] = {name: float(i) for i, name in enumerate(metric.values)}
        return np.array([place.get(value, np.nan) for value in values], dtype=np.float64)
    return np.array([np.nan if isinstance(x, str) else x for x in values], dtype=np.float64)


def _modes(places: Ints, values: Floats, size: int) -> Floats:
    counts: dict[int, dict[float, int]] = {}
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        of_place = counts.setdefault(place, {})
        of_place[value] = of_place.get(value, 0) + 1
    modes = np.full(size, np.nan)
    for place, of_place in counts.items():
        top = max(of_place.values())
        best = [value for value, n in of_place.items() if n == top]
        if len(best) == 1:
            modes[place] = best[0]
    return modes


def _is_called(version: ScorerVersion, name: str) -> bool:
    return name in (version.name, version.scorer)


def _with_derived(tables: dict[str, MetricTable]) -> dict[str, MetricTable]:
    for name, table in tables.items():
        match = _DERIVED.match(table.metric.fallback or table.metric.derived or "")
        parts = [x.strip() for x in match[2].split(",")] if match else []
        if match and all(part in tables for part in parts):
            tables[name] = _derive(table, match[1], [tables[part] for part in parts])
    return tables


def _derive(table: MetricTable, rule: str, parts: list[MetricTable]) -> MetricTable:
    combine = _COMBINE[rule]
    no_auto, no_human = np.isnan(table.auto), np.isnan(table.human)
    auto = np.where(no_auto, combine([x.auto for x in parts]), table.auto)
    human = np.where(no_human, combine([x.human for x in parts]), table.human)
    made = no_human & np.isfinite(human)
    blind = np.where(made, np.logical_and.reduce([x.all_blind for x in parts]), table.all_blind)
    return MetricTable(
        metric=table.metric,
        scorer=table.scorer or parts[0].scorer,
        other_scorers=table.other_scorers,
        auto=auto,
        human=human,
        all_blind=blind,
        n_labels=np.where(made, np.minimum.reduce([x.n_labels for x in parts]), table.n_labels),
        derived=(no_auto & np.isfinite(auto)) | made,
        people=table.people,
    )


def _least(columns: list[Floats]) -> Floats:
    return np.asarray(np.minimum.reduce(columns))


def _most(columns: list[Floats]) -> Floats:
    return np.asarray(np.maximum.reduce(columns))


def _mean(columns: list[Floats]) -> Floats:
    return np.asarray(np.add.reduce(columns) / len(columns))


_COMBINE: dict[str, Callable[[list[Floats]], Floats]] = {
    "min": _least,
    "max": _most,
    "mean": _mean,
}
