"""Correlation of auto and human scores within the groups of a field, and its plain mean."""

from collections.abc import Mapping, Sequence

import numpy as np

from reviewer.services.figure_table import FigureTable, MetricTable
from reviewer.services.human_columns import Ints
from reviewer.services.statistics_blocks import Group, GroupedMetric, GroupTable
from reviewer.stats.catalogue import pair_point
from reviewer.stats.pairs import pairs_of
from reviewer.stats.reasons import FEW, ONE_SCORE, UNORDERED

COEFFICIENTS = ("pearson", "spearman", "kendall_b")
NO_GROUP = "no group has 3 evaluations or more with different values on both sides"
SMALLEST = 3


def group_table(
    table: FigureTable, field: str, values: Sequence[str | None], names: Sequence[str]
) -> GroupTable:
    """Correlate the listed metrics within the groups; `values` are the field's, by evaluation."""
    found: dict[str | None, int] = {}
    places = np.array([found.setdefault(x, len(found)) for x in values], dtype=np.int64)
    order = sorted(found, key=lambda name: (name is None, name or ""))
    metrics = {
        name: _grouped(table.metrics[name], places, [(x, found[x]) for x in order])
        for name in names
    }
    return GroupTable(field, metrics)


def _grouped(
    table: MetricTable, places: Ints, groups: Sequence[tuple[str | None, int]]
) -> GroupedMetric:
    if not table.metric.is_numeric:
        gone = dict.fromkeys(COEFFICIENTS, UNORDERED)
        return GroupedMetric(0, 0, dict.fromkeys(COEFFICIENTS), gone, ())
    many = len(groups)
    n_auto = np.bincount(places[table.has_auto], minlength=many)
    n_human = np.bincount(places[table.has_human], minlength=many)
    rows = np.flatnonzero(table.both)
    rows = rows[np.argsort(places[rows], kind="stable")]
    ends = np.searchsorted(places[rows], np.arange(many + 1))
    made = []
    for value, at in groups:
        mine = rows[ends[at] : ends[at + 1]]
        figures, why = _correlations(table, mine)
        made.append(
            Group(
                value=value,
                n=mine.size,
                n_auto=int(n_auto[at]),
                n_human=int(n_human[at]),
                used=why is None,
                undefined={} if why is None else dict.fromkeys(COEFFICIENTS, why),
                **figures,
            )
        )
    return _summed(tuple(made))


def _correlations(table: MetricTable, rows: Ints) -> tuple[dict[str, float | None], str | None]:
    """Give a group's coefficients, or why there are none."""
    auto, human = table.auto[rows], table.human.score[rows]
    why = None
    if rows.size < SMALLEST:
        why = FEW
    elif not np.ptp(auto) or not np.ptp(human):
        why = ONE_SCORE
    if why is not None:
        return dict.fromkeys(COEFFICIENTS), why
    pairs = pairs_of(auto, human)
    return {name: pair_point(name, pairs) for name in COEFFICIENTS}, None


def _summed(groups: tuple[Group, ...]) -> GroupedMetric:
    used = [group for group in groups if group.used]
    mean: Mapping[str, float | None] = {
        name: sum(getattr(group, name) for group in used) / len(used) if used else None
        for name in COEFFICIENTS
    }
    return GroupedMetric(
        n_used=len(used),
        n_skipped=len(groups) - len(used),
        mean=mean,
        undefined={} if used else dict.fromkeys(COEFFICIENTS, NO_GROUP),
        groups=groups,
    )
