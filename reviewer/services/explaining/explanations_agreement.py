"""How agreement, gaps and corrected means of a metric came about, with the numbers filled in."""

from collections.abc import Sequence

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import numeral
from reviewer.services.explaining.explanations_words import ONE_LOOK, Step
from reviewer.services.figures.bands import HELD
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.statistics_agreement import evidence_of
from reviewer.services.figures.statistics_blocks import (
    Correction,
    GapBlock,
    LabelerPair,
    MetricBlock,
)
from reviewer.services.figures.statistics_corrected import metric_rows
from reviewer.services.figures.statistics_gaps import Frame
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.catalogue import FIGURES, worked
from reviewer.stats.coefficients import Floats, moments
from reviewer.stats.estimate import AT_END
from reviewer.stats.intervals import Interval
from reviewer.stats.pairs import Evidence, array_evidence
from reviewer.stats.strata import merged, strata_by_level

WEIGHTED = (
    "Evaluations were drawn with different chances, so each counts 1 over its own; the counts "
    "above are weighted."
)
SHARED = (
    "Every label counts, 1 over the labels of its response, so that each response counts 1 and "
    "the numbers above need not be whole."
)
PAIR_TITLES = {"mae": "mean distance", "bias": "mean difference, second − first"}


def agreement_steps(frame: Frame, block: MetricBlock, name: str) -> tuple[Step, ...]:
    """Explain one figure of judge and people, by its name in `Agreement`."""
    found, entry = block.judge_human, FIGURES[name]
    value, title = found[name], entry.title
    if value is None:
        return (Step(title, f"There is none: {found.undefined.get(name, 'not defined here')}."),)
    table, rule = frame.table.metrics[block.name], frame.choices.options.counting
    evidence = evidence_of(frame.table, table, rule)
    steps = [Step(title, entry.meaning, _formula(name, evidence, value))]
    interval = found.intervals.get(name)
    if interval is not None:
        text = _around(interval)
        if interval.approximate:
            text += " With so few labels it is approximate."
        steps.append(Step("Interval, 95 %", f"{text} {ONE_LOOK}"))
    if evidence.answers is not None and not evidence.answers.is_single and entry.of_categories:
        steps.append(Step("Several labels", SHARED))
    if found.weighted:
        steps.append(Step("Weights", WEIGHTED))
    return tuple(steps)


def pair_steps(
    metric: Metric, labels: tuple[Floats, Floats], pair: LabelerPair, names: Sequence[str]
) -> tuple[Step, ...]:
    """Explain figures of two people; `labels` are those of the first and of the second."""
    evidence = array_evidence(*labels, scale_of(metric))
    made = []
    for name in names:
        value, title = pair.figures.get(name), PAIR_TITLES.get(name, FIGURES[name].title)
        if value is None:
            why = pair.undefined.get(name, "not defined here")
            made.append(Step(title, f"There is none: {why}."))
            continue
        words = FIGURES[name].meaning.replace("human − auto", "second − first")
        made.append(Step(title, words, _formula(name, evidence, value)))
        interval = pair.intervals.get(name)
        if interval is not None:
            made.append(Step(f"Interval of {title}, 95 %", _around(interval)))
    return tuple(made)


def _around(interval: Interval) -> str:
    return f"From {numeral(interval.low)} to {numeral(interval.high)}, {_MADE[interval.method]}."


def gap_steps(gaps: GapBlock) -> tuple[Step, ...]:
    """Explain means, band and adjusted mean of a metric."""
    found, band = gaps.deviations, gaps.shown_band
    n = found.n_labelled
    steps = []
    if gaps.auto_mean is not None:
        total = numeral(gaps.auto_mean * gaps.n_auto)
        formula = f"{total} / {gaps.n_auto:,} = {numeral(gaps.auto_mean)}"
        steps.append(Step("Auto mean", "Sum of all auto scores in scope / their number.", formula))
    if gaps.human_mean is not None and n:
        formula = f"{numeral(gaps.human_mean * n)} / {n:,} = {numeral(gaps.human_mean)}"
        words = "Sum of the human scores inside the window / their number."
        steps.append(Step("Human mean", words, formula))
    words = (
        f"People were higher {found.n_higher:,} times, lower {found.n_lower:,} times, equal "
        f"{found.n_equal:,} times; upper deviation {numeral(found.upper)}, lower deviation "
        f"{numeral(found.lower)}."
    )
    words = f"{words} {band.note}".strip()
    steps.append(Step("Error band", words, f"band = {band.words(numeral)}"))
    if gaps.auto_mean is not None:
        steps += _adjusted(gaps, gaps.auto_mean)
    return tuple(steps)


def _adjusted(gaps: GapBlock, auto_mean: float) -> list[Step]:
    shown = gaps.shown_adjusted
    adjusted = shown.value
    if adjusted is None:
        return [Step("Adjusted mean", shown.note, shown.words(numeral))]
    plain = f"{numeral(auto_mean)} + {numeral(gaps.band)} = {numeral(auto_mean + gaps.band)}"
    words = "Auto mean + band. It has no interval; the corrected mean has."
    if shown.mark != HELD:
        return [Step("Adjusted mean", f"{words} {shown.note}".strip(), plain)]
    total = f"{numeral(adjusted * gaps.n_auto)} / {gaps.n_auto:,} = {numeral(adjusted)}"
    return [
        Step("Before clipping", "Auto mean + band, were the scale to have no ends.", plain),
        Step(
            "Adjusted mean",
            "With clip=hard each auto score + band stops at the end of the scale, and only then "
            "the mean is taken: sum of what remains / number. It has no interval; the corrected "
            "mean has.",
            total,
        ),
    ]


_MADE = {
    "wilson": "Wilson's interval of a share",
    "wilson by conversation": "Wilson's interval of a share, by conversation",
    "t": "by Student's t",
    "dirichlet": "from 1,000 draws of the table after Dirichlet",
    "bootstrap": "from 1,000 resampled tables",
    "beta": "from the Beta distribution",
}


def _formula(name: str, evidence: Evidence, value: float) -> str:
    """Fill the formula of the catalogue with the terms that the computation itself had."""
    terms = {term: numeral(float(x[0])) for term, x in worked(name, evidence).terms.items()}
    return f"{FIGURES[name].formula.format(**terms)} = {numeral(value)}"


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
    made = None if table is None else _corrected_formula(found, found.mean, table)
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


def _corrected_formula(found: Correction, mean: float, table: MetricTable) -> Step | None:
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
