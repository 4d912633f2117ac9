"""What targets call means, pass rate, percent and kappa, with intervals."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from reviewer.reports.systems.guest_response import Judgement
from reviewer.reports.systems.guest_targets import Figure
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.stats.clustering import mean_interval, share_interval
from reviewer.stats.coefficients import kappa
from reviewer.stats.intervals import INTERVALS_FROM
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.satisfaction import Verdict


def judged(table: FigureTable, keys: Sequence[int]) -> list[Judgement]:
    """Give the judge's overall and verdict of evaluations of a table."""
    places = np.searchsorted(table.keys, np.array(keys, dtype=np.int64))
    overall, verdicts = table.auto_overall()[places].tolist(), table.auto_verdicts()[places]
    return [
        (None if math.isnan(value) else value, _NAMES[code])
        for value, code in zip(overall, verdicts.tolist(), strict=True)
    ]


_NAMES: Final[dict[int, Verdict]] = {PASS: "pass", FAIL: "fail", OPEN: "incomplete"}


def score_figures(table: FigureTable, keys: Sequence[int] | None = None) -> dict[str, Figure]:
    """Give the figures of scores and verdicts, over all evaluations of a table or over some."""
    inside = np.ones(table.keys.size, dtype=np.bool_)
    if keys is not None:
        inside = np.isin(table.keys, np.array(keys, dtype=np.int64))
    clusters = None if table.clusters is None else table.clusters[inside]
    columns = {name: one.auto[inside] for name, one in table.metrics.items()}
    columns["overall"] = table.auto_overall()[inside]
    found = {name: _mean(values, clusters) for name, values in columns.items()}
    return found | _verdicts(table, inside, clusters)


def _mean(values: Floats, clusters: Ints | None) -> Figure:
    known = np.isfinite(values)
    there = values[known]
    n = int(there.size)
    if not n:
        return Figure(None, 0)
    mean = float(there.mean())
    interval = mean_interval(there, None if clusters is None else clusters[known]).interval
    if interval is None or n < INTERVALS_FROM:
        return Figure(mean, n)
    return Figure(mean, n, interval.low, interval.high)


def _verdicts(table: FigureTable, inside: Flags, clusters: Ints | None) -> dict[str, Figure]:
    if why_no_verdict(table) is not None:
        return {"percent": Figure(None, 0), "kappa": Figure(None, 0)}
    auto, human = table.auto_verdicts()[inside], table.human_verdicts()[inside]
    judged, both = auto != OPEN, (auto != OPEN) & (human != OPEN)
    n = int(np.count_nonzero(both))
    return {
        "pass_rate": _share(auto == PASS, judged, clusters),
        "percent": _share(auto == human, both, clusters),
        "kappa": Figure(_kappa(auto[both], human[both]) if n else None, n),
    }


def _share(hits: Flags, among: Flags, clusters: Ints | None) -> Figure:
    mine = hits[among]
    n = int(mine.size)
    if not n:
        return Figure(None, 0)
    share = float(mine.mean())
    interval = share_interval(mine, None if clusters is None else clusters[among])
    if interval is None or n < INTERVALS_FROM:
        return Figure(share, n)
    return Figure(share, n, interval.low, interval.high)


def _kappa(auto: "np.ndarray[tuple[int], np.dtype[np.int8]]", human: Ints) -> float | None:
    counts = np.array(
        [[float(((human == x) & (auto == y)).sum()) for y in (FAIL, PASS)] for x in (FAIL, PASS)]
    )
    value = float(kappa(counts[None], np.array([[0.0, 1.0], [1.0, 0.0]]))[0])
    return value if np.isfinite(value) else None
