"""Correlation of auto and human scores within the groups of a field, and between their means."""

from collections.abc import Mapping, Sequence

import numpy as np

from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.statistics_blocks import (
    BetweenGroups,
    Group,
    GroupedMetric,
    GroupTable,
)
from reviewer.stats.catalogue import pair_point
from reviewer.stats.pairs import pairs_of
from reviewer.stats.reasons import FEW, NO_OVERLAP, ONE_SCORE, UNORDERED

COEFFICIENTS = ("pearson", "spearman", "kendall_b")
MEANS = ("auto_mean", "human_mean")
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
        none = dict.fromkeys(COEFFICIENTS)
        between = BetweenGroups(n=0, undefined=gone, **none)
        return GroupedMetric(0, 0, none, gone, between, ())
    many = len(groups)
    n_auto = np.bincount(places[table.has_auto], minlength=many)
    n_human = np.bincount(places[table.has_human], minlength=many)
    rows = np.flatnonzero(table.both)
    rows = rows[np.argsort(places[rows], kind="stable")]
    ends = np.searchsorted(places[rows], np.arange(many + 1))
    made = []
    for value, at in groups:
        mine = rows[ends[at] : ends[at + 1]]
        there = (int(n_auto[at]), int(n_human[at]))
        made.append(_group(value, table.auto[mine], table.human.score[mine], there))
    return _summed(tuple(made))


def _group(value: str | None, auto: Floats, human: Floats, there: tuple[int, int]) -> Group:
    figures, undefined = _correlations(auto, human)
    means = _means(auto, human)
    return Group(
        value=value,
        n=auto.size,
        n_auto=there[0],
        n_human=there[1],
        used=not undefined,
        undefined=undefined | dict.fromkeys([x for x in MEANS if means[x] is None], NO_OVERLAP),
        **means,
        **figures,
    )


def _means(auto: Floats, human: Floats) -> dict[str, float | None]:
    if not auto.size:
        return dict.fromkeys(MEANS)
    return {"auto_mean": float(auto.mean()), "human_mean": float(human.mean())}


def _correlations(auto: Floats, human: Floats) -> tuple[dict[str, float | None], dict[str, str]]:
    """Give the coefficients of two columns, or why there are none."""
    why = None
    if auto.size < SMALLEST:
        why = FEW
    elif not np.ptp(auto) or not np.ptp(human):
        why = ONE_SCORE
    if why is not None:
        return dict.fromkeys(COEFFICIENTS), dict.fromkeys(COEFFICIENTS, why)
    pairs = pairs_of(auto, human)
    return {name: pair_point(name, pairs) for name in COEFFICIENTS}, {}


def _between(groups: tuple[Group, ...]) -> BetweenGroups:
    there = [group for group in groups if group.n]
    auto = np.array([group.auto_mean for group in there], dtype=np.float64)
    human = np.array([group.human_mean for group in there], dtype=np.float64)
    figures, undefined = _correlations(auto, human)
    return BetweenGroups(n=len(there), undefined=undefined, **figures)


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
        between=_between(groups),
        groups=groups,
    )
