"""How the scores of runs spread over their levels, for the chart and for what it opens."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.request import covered
from reviewer.services.monitoring import run_columns
from reviewer.services.monitoring.run_columns import RunColumns
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among
from reviewer.stats.pairs import places
from reviewer.stats.values import Scale


@dataclass(frozen=True, slots=True)
class MetricShares:
    """How one metric's scores spread in runs.

    Attributes:
        levels: Its values, lowest first; a score between two counts at the nearest.
        counts: A row a run in the order of the trend, a number a level.
    """

    metric: Metric
    levels: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]


def of_runs(rubric: Rubric, runs: Sequence[RunColumns]) -> tuple[MetricShares, ...]:
    """Count the scores of runs by level, for every metric that has levels and scores."""
    found = []
    for metric in rubric.metrics:
        levels = levels_of(metric)
        columns = [run.scores.get(metric.name) for run in runs]
        if levels and any(x is not None and np.isfinite(x).any() for x in columns):
            counts = tuple(
                tuple(np.bincount(_places(x, levels)[1], minlength=len(levels)).tolist())
                if x is not None
                else (0,) * len(levels)
                for x in columns
            )
            found.append(MetricShares(metric, levels, counts))
    return tuple(found)


def levels_of(metric: Metric) -> tuple[float, ...]:
    """Give the values that a metric's scores are counted at; none of a plain measure."""
    if not metric.is_numeric or not metric.kind.is_answered:
        return ()
    found = (metric.kind.number_of(x) for x in metric.kind.answers)
    return metric.kind.grid or tuple(x for x in found if x is not None)


def evaluations_at(session: Session, run: str, metric: Metric, level: float) -> list[int]:
    """Give the evaluations of a run whose score counts at a level, as far as they may be seen.

    Raises:
        ReviewerError: There is no such run.
    """
    found = covered(session.project, Scope(runs=(run,)))
    column = run_columns.load(Loader(session.project), found)
    levels = levels_of(metric)
    there, at = _places(column.scores[metric.name], levels)
    keys = column.keys[there][at == levels.index(level)].tolist()
    hidden = hidden_among(session, keys)
    return [key for key in keys if key not in hidden]


def _places(values: Floats, levels: tuple[float, ...]) -> tuple[Flags, Ints]:
    there: Flags = np.isfinite(values)
    return there, places(values[there], Scale(levels))[0]
