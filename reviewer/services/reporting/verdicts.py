"""What targets call means, pass rate, percent and kappa, with intervals."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from reviewer.reports.cases import Judgement
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.stats.coefficients import kappa
from reviewer.stats.counted import NOTHING, Counted, mean_of, share_of
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


def score_figures(table: FigureTable, keys: Sequence[int] | None = None) -> dict[str, Counted]:
    """Give the figures of scores and verdicts, over all evaluations of a table or over some."""
    inside = np.ones(table.keys.size, dtype=np.bool_)
    if keys is not None:
        inside = np.isin(table.keys, np.array(keys, dtype=np.int64))
    clusters = None if table.clusters is None else table.clusters[inside]
    columns = {name: one.auto[inside] for name, one in table.metrics.items()}
    columns["overall"] = table.auto_overall()[inside]
    found = {name: mean_of(values, clusters) for name, values in columns.items()}
    if why_no_verdict(table) is not None:
        return found | {"percent": NOTHING, "kappa": NOTHING}
    auto, human = table.auto_verdicts()[inside], table.human_verdicts()[inside]
    judged, both = auto != OPEN, (auto != OPEN) & (human != OPEN)
    n = int(np.count_nonzero(both))
    return found | {
        "pass_rate": share_of(auto == PASS, judged, clusters),
        "percent": share_of(auto == human, both, clusters),
        "kappa": Counted(_kappa(auto[both], human[both]) if n else None, n),
    }


def _kappa(auto: "np.ndarray[tuple[int], np.dtype[np.int8]]", human: Ints) -> float | None:
    counts = np.array(
        [[float(((human == x) & (auto == y)).sum()) for y in (FAIL, PASS)] for x in (FAIL, PASS)]
    )
    value = float(kappa(counts[None], np.array([[0.0, 1.0], [1.0, 0.0]]))[0])
    return value if np.isfinite(value) else None
