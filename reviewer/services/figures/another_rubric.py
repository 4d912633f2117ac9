"""The same scores and labels under another rubric, without reading them again."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from reviewer.domain.rubric import Rubric
from reviewer.services.figures.figure_table import FigureTable, MetricTable, with_derived
from reviewer.stats.deviations import DeviationOptions


def under(table: FigureTable, rubric: Rubric, options: DeviationOptions) -> FigureTable:
    """Give a table as the project would have it with another rubric of the same metrics."""
    metrics = {
        name: replace(one, metric=rubric.by_name[name])
        for name, one in given(table).metrics.items()
    }
    return derived(replace(table, rubric=rubric, metrics=metrics, options=options))


def with_metrics(table: FigureTable, others: Mapping[str, MetricTable]) -> FigureTable:
    """Give a table with some metrics taken from elsewhere, such as by another scorer."""
    metrics = {name: _given(one) for name, one in others.items()}
    return derived(replace(table, metrics=given(table).metrics | metrics))


def given(table: FigureTable) -> FigureTable:
    """Give a table without what was worked out from other metrics."""
    return replace(table, metrics={name: _given(one) for name, one in table.metrics.items()})


def derived(table: FigureTable) -> FigureTable:
    """Work out anew what follows from other metrics."""
    metrics = with_derived(dict(table.metrics), table.rubric, table.options, table.outside)
    return replace(table, metrics=metrics)


def _given(table: MetricTable) -> MetricTable:
    """Take out what was worked out from other metrics."""
    if table.given is None:
        return table
    auto, human = table.given
    return replace(
        table,
        scorer=None if table.score_set is None else table.scorer,
        auto=auto,
        human=human,
        shown=human,
        whole=human,
        derived_auto=np.zeros_like(table.derived_auto),
        derived_human=np.zeros_like(table.derived_human),
        given=None,
    )
