"""The same scores and labels under another rubric, without reading them again."""

from dataclasses import replace

import numpy as np

from reviewer.domain.rubric import Rubric
from reviewer.services.figures.figure_table import FigureTable, MetricTable, with_derived
from reviewer.stats.deviations import DeviationOptions


def under(table: FigureTable, rubric: Rubric, options: DeviationOptions) -> FigureTable:
    """Give a table as the project would have it with another rubric of the same metrics.

    Every value that was worked out from other metrics is worked out anew.
    """
    metrics = {
        name: replace(_given(one), metric=rubric.by_name[name])
        for name, one in table.metrics.items()
    }
    metrics = with_derived(metrics, rubric, options)
    return replace(table, rubric=rubric, metrics=metrics, options=options)


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
