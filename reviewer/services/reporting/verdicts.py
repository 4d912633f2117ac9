"""How often judge and people give the same verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.scoring.summaries.guest_targets import Figure
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.stats.coefficients import kappa
from reviewer.stats.overall_columns import FAIL, PASS


@dataclass(frozen=True, slots=True)
class VerdictAgreement:
    """How often judge and people give the same verdict; None where nobody labelled enough."""

    n: int
    percent: float | None
    kappa: float | None

    def figures(self) -> dict[str, Figure]:
        """Give what targets call percent and kappa."""
        return {"percent": Figure(self.percent, self.n), "kappa": Figure(self.kappa, self.n)}


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
