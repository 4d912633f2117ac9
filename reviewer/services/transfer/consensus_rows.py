"""What several people say together: one row an evaluation and metric that people labelled."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.scope import Scope
from reviewer.domain.values import Value
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.people_columns import votes_of
from reviewer.services.project.figure_rules import is_overall, scale_of, value_of
from reviewer.services.transfer.disagreements import tables
from reviewer.stats.consensus import dawid_skene, majority_consensus, why_not_weighed
from reviewer.stats.values import Scale
from reviewer.store import deciding
from reviewer.store.project import Project

Fields = dict[str, Any]
Method = Literal["majority", "dawid_skene", "mean"]
COLUMNS = ("run", "id", "metric", "value", "method", "n", "probability")


class _Said(NamedTuple):
    value: Value | None
    method: Method
    n: int
    probability: float | None


def find(project: Project, scope: Scope) -> Iterator[Fields]:
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
                made = found[position]._asdict()
                yield {"run": run, "id": identity, "metric": name, **made}


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
