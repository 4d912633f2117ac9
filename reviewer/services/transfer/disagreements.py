"""Where people and judge, or people among themselves, differ: one row an evaluation and metric."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from reviewer.domain.scope import Scope
from reviewer.services.figures import figure_table
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.project.figure_rules import is_overall, value_of
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
