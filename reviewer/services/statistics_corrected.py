"""Corrected estimates: which labels may stand for the rest, and what follows from them."""

from collections.abc import Sequence

import numpy as np

from reviewer.services.figure_table import MetricTable
from reviewer.services.human_columns import Flags
from reviewer.services.human_scores import Choice
from reviewer.services.statistics_blocks import Correction
from reviewer.stats.estimate import (
    Corrected,
    VerdictCounts,
    corrected_mean,
    corrected_pass_rate,
)
from reviewer.stats.moments import moments
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.stats.reasons import UNORDERED

UNKNOWN = "how labels were chosen is unknown (import --selection random)"
CONVENIENCE = (
    "labels were chosen by browsing or searching: a convenience sample gives no corrected figure"
)
DRAWN = "labels were drawn by stratum or with a probability, which a plain estimate would ignore"
NO_LABEL = "no label yet"

Verdicts = np.ndarray[tuple[int], np.dtype[np.int8]]


def metric_correction(table: MetricTable, level: float) -> Correction:
    """Estimate the mean human score of all evaluations of a metric."""
    if not table.metric.is_numeric:
        return Correction(reason=UNORDERED)
    judged = table.has_auto
    labelled = table.both if judged.any() else table.has_human
    usable = _usable(labelled, judged, table.human.chosen == Choice.RANDOM)
    why = _refusal(labelled, usable, table.human.chosen)
    if why:
        return Correction(n_excluded=int(labelled.sum()), reason=why)
    human = table.human.score[usable]
    autos = table.auto[judged]
    found = corrected_mean(
        moments(table.auto[usable] if autos.size else np.zeros(human.size), human),
        n_all=int(autos.size),
        auto_mean_all=float(autos.mean()) if autos.size else None,
        level=level,
    )
    return _told(found, int(labelled.sum() - usable.sum()))


def pass_correction(auto: Verdicts, human: Verdicts, chosen: Verdicts, level: float) -> Correction:
    """Estimate the pass rate that people would give; verdicts by the codes of the columns."""
    judged = auto != OPEN
    labelled = judged & (human != OPEN)
    # labels chosen by verdict do no harm here: each verdict's rate is taken by itself
    usable = _usable(labelled, judged, chosen > Choice.UNKNOWN)
    why = _refusal(labelled, usable, chosen)
    if why:
        return Correction(n_excluded=int(labelled.sum()), reason=why)

    judge, people = auto == PASS, human == PASS
    counts = VerdictCounts(
        both_pass=int((usable & judge & people).sum()),
        judge_pass_only=int((usable & judge & ~people).sum()),
        human_pass_only=int((usable & ~judge & people).sum()),
        both_fail=int((usable & ~judge & ~people).sum()),
        judged_pass=int(judge.sum()),
        judged=int(judged.sum()),
    )
    found = corrected_pass_rate(counts, level=level)
    return _told(found, int(labelled.sum() - usable.sum()))


def best_choice(columns: Sequence[Verdicts]) -> Verdicts:
    """Give the best-known way in which each evaluation was chosen, over its metrics."""
    return np.asarray(np.maximum.reduce(list(columns)))


def _usable(labelled: Flags, judged: Flags, fit: Flags) -> Flags:
    """Tell which labels may stand for the rest; where everything is labelled, all of them."""
    if judged.any() and bool((labelled == judged).all()):
        return labelled
    return np.asarray(labelled & fit)


def _refusal(labelled: Flags, usable: Flags, chosen: Verdicts) -> str | None:
    """Say why no label can stand for the rest, None where some can."""
    if usable.any():
        return None
    ways = chosen[labelled]
    if not ways.size:
        return NO_LABEL
    if (ways > Choice.UNKNOWN).any():
        return DRAWN
    return CONVENIENCE if (ways == Choice.CONVENIENCE).all() else UNKNOWN


def _told(found: Corrected, excluded: int) -> Correction:
    return Correction(
        mean=found.value,
        low=found.low,
        high=found.high,
        method=found.method,
        n=found.n,
        n_excluded=excluded,
        reason=found.reason,
    )
