"""How a corrected mean came about, with the numbers filled in."""

import numpy as np

from reviewer.domain.wording import numeral
from reviewer.services.explaining.explanations_words import ONE_LOOK, Step
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Floats
from reviewer.services.figures.statistics_blocks import Correction
from reviewer.services.figures.statistics_corrected import metric_rows
from reviewer.stats.estimate import AT_END
from reviewer.stats.moments import moments
from reviewer.stats.strata import merged, strata_by_level

TITLE = "Corrected mean"
EQUAL = 1e-9
MOST = 12
"""Levels up to which the formula is written out."""


def corrected_steps(found: Correction, table: MetricTable | None = None) -> tuple[Step, ...]:
    """Explain a corrected mean; the formula needs the columns it was estimated from."""
    if found.mean is None:
        return (Step(TITLE, f"There is none: {found.reason or 'no labels'}."),)
    words = f"Method {found.method}, from {found.n:,} labelled evaluations"
    words += f"; {found.n_excluded:,} left out." if found.n_excluded else "."
    made = None if table is None else _formula(found, found.mean, table)
    steps = [Step(TITLE, words, numeral(found.mean)) if made is None else Step(TITLE, words)]
    if made is not None:
        steps.append(made)
    if found.low is not None and found.high is not None:
        text = f"From {numeral(found.low)} to {numeral(found.high)}."
        steps.append(Step("Interval, 95 %", f"{text} {ONE_LOOK}"))
    elif found.reason:
        steps.append(Step("Interval, 95 %", f"There is none: {found.reason}."))
    steps += [Step("", text) for text in (found.because, found.note) if text]
    return tuple(steps)


def _formula(found: Correction, mean: float, table: MetricTable) -> Step | None:
    """Give the formula, None where the numbers of this one do not come to the mean."""
    if found.note and AT_END in found.note:
        return None
    used = metric_rows(table)
    human, auto, autos = table.whole.score[used], table.auto[used], table.auto[table.has_auto]
    if not human.size:
        return None
    if found.method in ("human_only", "census") and _is(mean, float(human.mean())):
        text = "Sum of their human scores / their number."
        total = f"{numeral(float(human.sum()))} / {human.size:,}"
        return Step("Formula", text, f"{total} = {numeral(mean)}")
    if not autos.size:
        return None
    if found.method in ("stratified", "post_stratified"):
        return _by_level(mean, autos, auto, human)
    return _shifted(mean, autos, auto, human)


def _shifted(mean: float, autos: Floats, auto: Floats, human: Floats) -> Step | None:
    """Explain the labels' mean, moved by the judge's scores of all the others."""
    of = moments(auto, human)
    slopes = [1.0] + ([of.s_cross / of.s_auto] if of.s_auto > 0 else [])
    moved = float(autos.mean()) - of.auto_mean
    slope = next((x for x in slopes if _is(mean, of.human_mean + x * moved)), None)
    if slope is None:
        rest = mean - float(autos.mean())
        text = "Auto mean of all + mean gap, each label counted 1 / its chance of being drawn."
        return Step(
            "Formula", text, f"{numeral(float(autos.mean()))} + {numeral(rest)} = {numeral(mean)}"
        )
    text = (
        "Human mean of the labels + weight × (auto mean of all − auto mean of the labels); the "
        "weight is "
    )
    text += "1." if slope == 1 else "the slope of human on auto scores."
    return Step(
        "Formula",
        text,
        f"{numeral(of.human_mean)} + {numeral(slope)} × ({numeral(float(autos.mean()))} − "
        f"{numeral(of.auto_mean)}) = {numeral(mean)}",
    )


def _by_level(mean: float, autos: Floats, auto: Floats, human: Floats) -> Step | None:
    """Explain a mean in which each level of the judge counts by its share."""
    strata = [one for one in merged(strata_by_level(autos, auto, human)) if one.n]
    if len(strata) > MOST or not strata:
        return None
    total = sum(one.judged for one in strata)
    if not _is(mean, sum(one.judged * one.mean for one in strata) / total):
        return None
    parts = " + ".join(f"{one.judged:,} × {numeral(one.mean)}" for one in strata)
    return Step(
        "Formula",
        "Sum over the judge's levels of evaluations × mean human score / all judged; levels with "
        "too few labels are joined.",
        f"({parts}) / {total:,} = {numeral(mean)}",
    )


def _is(one: float, other: float) -> bool:
    return bool(np.isclose(one, other, rtol=0, atol=EQUAL))
