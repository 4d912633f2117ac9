"""How often judge and people give the same verdict."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.scoring.summaries.guest_response import Judgement
from reviewer.scoring.summaries.guest_targets import Figure
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.stats.coefficients import kappa
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.satisfaction import Verdict


@dataclass(frozen=True, slots=True)
class VerdictAgreement:
    """How often judge and people give the same verdict; None where nobody labelled enough."""

    n: int
    percent: float | None
    kappa: float | None

    def figures(self) -> dict[str, Figure]:
        """Give what targets call percent and kappa."""
        return {"percent": Figure(self.percent, self.n), "kappa": Figure(self.kappa, self.n)}


def judged(table: FigureTable, keys: Sequence[int]) -> list[Judgement]:
    """Give the judge's overall and verdict of evaluations of a table."""
    places = np.searchsorted(table.keys, np.array(keys, dtype=np.int64))
    overall, verdicts = table.auto_overall()[places].tolist(), table.auto_verdicts()[places]
    return [
        (None if math.isnan(value) else value, _NAMES[code])
        for value, code in zip(overall, verdicts.tolist(), strict=True)
    ]


_NAMES: Final[dict[int, Verdict]] = {PASS: "pass", FAIL: "fail", OPEN: "incomplete"}


def verdict_agreement(table: FigureTable, keys: Sequence[int] | None = None) -> VerdictAgreement:
    """Compare verdicts, over all evaluations of a table or over some of them."""
    if why_no_verdict(table) is not None:
        return VerdictAgreement(0, None, None)
    inside = np.ones(table.keys.size, dtype=np.bool_)
    if keys is not None:
        inside = np.isin(table.keys, np.array(keys, dtype=np.int64))
    auto, human = table.auto_verdicts()[inside], table.human_verdicts()[inside]
    counts = np.array(
        [[float(((human == x) & (auto == y)).sum()) for y in (FAIL, PASS)] for x in (FAIL, PASS)]
    )
    n = int(counts.sum())
    if not n:
        return VerdictAgreement(0, None, None)
    value = float(kappa(counts[None], np.array([[0.0, 1.0], [1.0, 0.0]]))[0])
    share = float(np.trace(counts) / n)
    return VerdictAgreement(n, share, value if bool(np.isfinite(value)) else None)
