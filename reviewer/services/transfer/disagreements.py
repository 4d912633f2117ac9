"""Rows for export, one an evaluation and metric: what differs, and what people agree on.

A disagreement is between people and judge or among people; a consensus is theirs alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import votes_of
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.project.figure_rules import is_overall, scale_of, value_of
from reviewer.stats.consensus import dawid_skene, majority_consensus, why_not_weighed
from reviewer.stats.values import Scale
from reviewer.store import deciding, figures, reading
from reviewer.store.project import Project
from reviewer.store.scoping import counted

Fields = dict[str, Any]
COLUMNS = ("run", "id", "metric", "auto", "reasoning", "human", "gap", "labels", "spread", "state",
           "cause")  # fmt: skip
EQUAL = 1e-9
BLOCK = 500


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a disagreement stands; texts are read when it is written."""

    size: float
    identity: str
    key: int
    position: int
    table: FigureTable
    metric: MetricTable


def find(project: Project, scope: Scope) -> Iterator[Fields]:
    """Give the rows by the size of the gap, then by id; those without a gap come last.

    Raises:
        ReviewerError: The scope names a run, labeler or scorer that is not there.
    """
    places = [
        place for table in tables(project, scope) for place in _places(project, table, scope)
    ]
    places.sort(key=lambda place: (-place.size, place.identity, place.metric.metric.name))
    for start in range(0, len(places), BLOCK):
        block = places[start : start + BLOCK]
        texts = deciding.read_texts(project, [place.key for place in block])
        for place in block:
            yield _row(place, texts)


def _places(project: Project, table: FigureTable, scope: Scope) -> Iterator[_Place]:
    names: dict[int, tuple[str, str]] | None = None
    for name, metric in table.metrics.items():
        # the overall is made of the others: what differs there stands in their rows
        if is_overall(metric.metric) or (scope.metrics and name not in scope.metrics):
            continue
        gaps = np.abs(metric.human.score - metric.auto)
        for position in np.flatnonzero((gaps > EQUAL) | (metric.spreads > EQUAL)):
            if names is None:
                names = deciding.places(project)
            key = int(table.keys[position])
            gap = float(gaps[position])
            numeric = np.isfinite(gap) and metric.metric.is_numeric
            size, (_, identity) = gap if numeric else -1.0, names[key]
            yield _Place(size, identity, key, int(position), table, metric)


def _row(place: _Place, texts: deciding.Texts) -> Fields:
    metric, position = place.metric, place.position
    name = metric.metric.name
    auto, human = float(metric.auto[position]), float(metric.human.score[position])
    both = np.isfinite(auto) and np.isfinite(human) and metric.metric.is_numeric
    people = np.flatnonzero(metric.people.positions == position)
    labels = {
        place.table.labelers[int(metric.people.labelers[index])]: value_of(
            metric.metric, float(metric.people.values[index])
        )
        for index in people
    }
    values = [float(metric.people.values[index]) for index in people]
    spread = max(values) - min(values) if values and metric.metric.is_numeric else None
    score = texts.scores.get((place.key, name, metric.score_set or 0))
    return {
        "run": texts.runs[place.key],
        "id": place.identity,
        "metric": name,
        "auto": score[0] if score else value_of(metric.metric, auto),
        "reasoning": score[1] if score else None,
        "human": value_of(metric.metric, human),
        "gap": human - auto if both else None,
        "labels": dict(sorted(labels.items())),
        "spread": spread,
        "state": _state(texts, (place.key, name)),
        "cause": texts.causes.get((place.key, name)),
    }


def _state(texts: deciding.Texts, place: tuple[int, str]) -> str:
    if place in texts.outdated:
        return "decided before newer labels"
    return "decided" if place in texts.decided else "open"


def tables(project: Project, scope: Scope) -> Iterator[FigureTable]:
    """Give the columns of the runs of each rubric, in the order of import.

    Raises:
        ReviewerError: The scope names a run, labeler or scorer that is not there.
    """
    rubrics = reading.rubrics(project.conn)
    runs = [run for run in figures.run_places(project) if not scope.runs or run[1] in scope.runs]
    for key in dict.fromkeys(rubric for _, _, rubric in runs):
        yield figure_table.load(
            project,
            scope,
            rubric=rubrics[key],
            within=counted(scope, [run for run, _, rubric in runs if rubric == key]),
            options=kept_options(project, rubrics[key]),
        )


Method = Literal["majority", "dawid_skene", "mean"]
CONSENSUS_COLUMNS = ("run", "id", "metric", "value", "method", "n", "probability")


class _Said(NamedTuple):
    value: Value | None
    method: Method
    n: int
    probability: float | None


def find_consensus(project: Project, scope: Scope) -> Iterator[Fields]:
    """Give the rows run by run, evaluations in order of arrival; decisions enter nothing.

    People are weighed by how they confuse the levels (Dawid and Skene) where enough of them share
    evaluations, else the majority counts; of several equally likely levels none is the value. A
    metric without levels has the mean, which has no probability.

    Raises:
        ReviewerError: The scope names a run, labeler or scorer that is not there.
    """
    names = deciding.places(project)
    for table in tables(project, scope):
        yield from _rows(table, scope, names)


def _rows(table: FigureTable, scope: Scope, names: dict[int, tuple[str, str]]) -> Iterator[Fields]:
    wanted = [
        (name, metric)
        for name, metric in table.metrics.items()
        if not is_overall(metric.metric) and (not scope.metrics or name in scope.metrics)
    ]
    said = {name: _together(metric) for name, metric in wanted}
    for position in sorted({place for found in said.values() for place in found}):
        run, identity = names[int(table.keys[position])]
        for name, found in said.items():
            if position in found:
                yield {"run": run, "id": identity, "metric": name, **found[position]._asdict()}


def _together(table: MetricTable) -> dict[int, _Said]:
    """Give what people say together, by the evaluation's position."""
    scale = scale_of(table.metric)
    return _means(table) if scale is None else _levels(table, table.metric, scale)


def _levels(table: MetricTable, metric: Metric, scale: Scale) -> dict[int, _Said]:
    votes, items = votes_of(table.people, scale)
    is_weighed = why_not_weighed(votes) is None
    method: Method = "dawid_skene" if is_weighed else "majority"
    found = dawid_skene(votes).consensus if is_weighed else majority_consensus(votes)
    return {
        int(position): _Said(
            None if code is None else value_of(metric, float(scale.values[code])),
            method,
            n,
            probability,
        )
        for position, code, n, probability in zip(
            items, found.values, found.n, found.probabilities, strict=True
        )
    }


def _means(table: MetricTable) -> dict[int, _Said]:
    positions, values = table.people.positions, table.people.values
    items, item = np.unique(positions, return_inverse=True)
    counts = np.bincount(item, minlength=items.size)
    sums = np.bincount(item, weights=values, minlength=items.size)
    return {
        int(position): _Said(float(total / n), "mean", int(n), None)
        for position, total, n in zip(items, sums, counts, strict=True)
    }
