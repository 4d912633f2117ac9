"""Labels needed, calibration of the judge's levels, and how judge and people repeat themselves."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import counted, percent, plain, two, upper_first
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.human_scores import Choice
from reviewer.services.figures.statistics_blocks import Correction
from reviewer.services.figures.statistics_corrected import (
    best_ways,
    metric_correction,
    pass_correction,
)
from reviewer.services.findings.insights_source import Source, numbered
from reviewer.services.findings.insights_values import (
    Calibrated,
    LabelsNeeded,
    LevelMean,
    Repeated,
    SelfConsistency,
)
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.calibration import (
    NO_REPEAT,
    Calibration,
    Conformal,
    FlipRate,
    Repeatability,
    calibration_of_sums,
    ceiling,
    conformal,
    flip_rate,
    repeatability,
)
from reviewer.stats.clustering import design_effect, mean_interval
from reviewer.stats.coefficients import Moments, moments
from reviewer.stats.estimate import Target
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.stats.planning import (
    UNREACHABLE,
    WIDTH_FROM,
    LabelPlan,
    is_narrow_enough,
    plan_labels,
)
from reviewer.stats.reasons import NO_SCORE, UNORDERED

MEASURE = "a measure is not labelled"
NO_PASS = "the rubric says nothing of pass and fail"
NO_VERDICT = "no evaluation has every auto score that the verdict needs"
ALL_ALIKE = "all labels are the same: how far scores spread is not known yet"
RATE_WIDTH = 0.05
_TARGETS: tuple[Target, Target] = ("future", "run")
MOST_LEVELS = 12
"""Different auto scores up to which each is a level of its own."""
STEPS = 10
"""Parts into which a range is cut where scores are finer than levels."""
OFTEN = 0.1
"""Share of contradictions from which judging three times is worth it."""


def wanted_half_width(metric: Metric) -> float:
    """Give the half-width to aim at: 0.10 on 1 to 5, 0.05 on 0 to 1, alike on other scales."""
    low, high = metric.bounds or (0.0, 1.0)
    extent = high - low
    return extent * (0.05 if extent <= 1 else 0.025)


def labels_needed(
    source: Source, table: MetricTable, half_width: float | None = None
) -> LabelsNeeded:
    """Work out how many more labels bring a metric's corrected mean to a half-width."""
    metric = table.metric
    if not metric.is_numeric or not metric.kind.is_answered:
        return _no_plan(MEASURE if metric.is_numeric else UNORDERED)
    if not table.has_auto.any():
        return _no_plan(NO_SCORE)
    human = table.whole
    both = table.has_auto & np.isfinite(human.score)
    now = metric_correction(table, source.level, source.table.clusters)
    return _planned(
        _Labelled(
            table.auto[both],
            human.score[both],
            human.chosen[both] > Choice.UNKNOWN,
            None if source.table.clusters is None else source.table.clusters[both],
        ),
        now,
        n_all=int(table.has_auto.sum()),
        half_width=half_width or wanted_half_width(metric),
        level=source.level,
    )


def pass_labels_needed(source: Source, half_width: float = RATE_WIDTH) -> LabelsNeeded:
    """Work out how many more labelled evaluations bring the pass rate to a half-width."""
    table = source.table
    rule = table.verdict_rule
    if not rule.parts or not (rule.passing == "every" or rule.pass_at is not None):
        return _no_plan(NO_PASS)
    auto = table.auto_verdicts()
    if (auto == OPEN).all():
        return _no_plan(NO_VERDICT)
    human = table.human_verdicts()
    both = (auto != OPEN) & (human != OPEN)
    ways = best_ways([table.metrics[part.name].human for part in rule.parts], table.clusters)
    return _planned(
        _Labelled(
            (auto[both] == PASS).astype(np.float64),
            (human[both] == PASS).astype(np.float64),
            ways.chosen[both] > Choice.UNKNOWN,
            None if table.clusters is None else table.clusters[both],
        ),
        pass_correction(auto, human, ways, source.level),
        n_all=int((auto != OPEN).sum()),
        half_width=half_width,
        level=source.level,
    )


def _no_plan(reason: str) -> LabelsNeeded:
    return LabelsNeeded(sentence=upper_first(reason), reason=reason)


@dataclass(frozen=True, slots=True, eq=False)
class _Labelled:
    """Pairs of a metric or of verdicts, which of them were drawn, and their conversations."""

    auto: Floats
    human: Floats
    drawn: Flags
    clusters: Ints | None

    def usable(self) -> "_Labelled":
        """Keep those that were drawn; where none was, all tell at least the spread."""
        if not self.drawn.any():
            return self
        kept = self.drawn
        clusters = None if self.clusters is None else self.clusters[kept]
        return _Labelled(self.auto[kept], self.human[kept], self.drawn[kept], clusters)

    def effect(self, pairs: Moments) -> float:
        """Give how many times conversations widen the variance of the corrected mean."""
        if self.clusters is None or pairs.n < 2:
            return 1.0
        weight = pairs.s_cross / pairs.s_auto if pairs.s_auto else 0.0
        return design_effect(self.human - weight * self.auto, self.clusters) or 1.0


def _planned(
    labelled: _Labelled,
    now: Correction,
    *,
    n_all: int,
    half_width: float,
    level: float,
) -> LabelsNeeded:
    if now.method == "census":
        labelled = replace(labelled, drawn=np.ones(labelled.auto.size, dtype=np.bool_))
    usable = bool(labelled.drawn.any())
    kept = labelled.usable()
    pairs = moments(kept.auto, kept.human)
    # labels of one conversation say less: the same width takes as many more of them
    aim = half_width / math.sqrt(kept.effect(pairs))
    plan, only_these = (
        replace(
            plan_labels(pairs, n_all=n_all, half_width=aim, target=target, level=level),
            half_width=half_width,
        )
        for target in _TARGETS
    )
    ends = None if now.low is None or now.high is None else (now.high - now.low) / 2
    n = pairs.n if usable else 0
    found = LabelsNeeded(
        sentence="", plan=plan, only_these=only_these, n=n, half_width=ends, drawn=usable
    )
    reason = None if plan.reason == UNREACHABLE else plan.reason
    if reason is None and not pairs.s_human:
        reason = ALL_ALIKE
    if reason is not None:
        return replace(found, sentence=upper_first(reason), reason=reason)
    return replace(found, sentence=_plan_sentence(found, plan, n_all))


def _plan_sentence(found: LabelsNeeded, plan: LabelPlan, n_all: int) -> str:
    wanted, now, n = f"±{two(plan.half_width)}", found.half_width, found.n
    if now is not None and round(now - plan.half_width, 9) <= 0:
        said = f"±{two(now)} from {counted(n, 'label')} is as narrow as wanted ({wanted})"
        if n >= n_all or is_narrow_enough(n, now, wanted=plan.half_width):
            return f"{said}."
        return f"{said}, but whoever stops for that below {WIDTH_FROM} labels stops too early."
    if plan.needed is None:
        return _out_of_reach(found, wanted, n_all)
    if not found.drawn:
        return (
            f"About {counted(plan.needed, 'random label')} would give {wanted}; the labels there "
            "are were not drawn at random."
        )
    more = max(plan.needed - n, 0)
    if not more:
        return f"{counted(n, 'label')} are about enough for {wanted}."
    down = f"bring ±{two(now)} down to {wanted}" if now is not None else f"give {wanted}"
    return f"About {counted(more, 'more random label', 'more random labels')} {down}."


def _out_of_reach(found: LabelsNeeded, wanted: str, n_all: int) -> str:
    said = f"{wanted} for future traffic takes more than {counted(n_all, 'evaluation')}"
    needed = found.only_these.needed if found.only_these else None
    if needed is None:
        return f"{said}."
    more = max(needed - found.n, 0)
    if not more:
        return f"{said}; for exactly these there are labels enough."
    return f"{said}; for exactly these about {counted(more, 'more random label')} give it."


def calibrated(source: Source, table: MetricTable) -> Calibrated:
    """Work out what people give at each level of the judge, and how far off it may be."""
    metric = table.metric
    if not metric.is_numeric or not metric.kind.is_answered:
        why = MEASURE if metric.is_numeric else UNORDERED
        return Calibrated(sentence=upper_first(why), reason=why)
    both = source.both(table) & np.isfinite(table.whole.score)
    auto, human = table.auto[both], table.whole.score[both]
    levels, whole = _levels(metric, auto), source.table.clusters
    clusters = None if whole is None else whole[both]
    sums: dict[float, tuple[float, float]] = {}
    means = []
    for level in np.unique(levels).tolist():
        here = levels == level
        mine = human[here]
        sums[level] = (float(mine.size), math.fsum(mine.tolist()))
        of = mean_interval(mine, None if clusters is None else clusters[here], source.level)
        means.append(LevelMean(level, int(mine.size), float(mine.mean()), of.low, of.high))
    steps = calibration_of_sums(sums)
    distances = Counter(np.round(np.abs(human - auto), 9).tolist())
    ranges = tuple(conformal(distances, level) for level in (0.9, 0.95))
    reason: str | None = None
    if steps.reason is not None and ranges[0].half_width is None:
        reason = f"{steps.reason}, {ranges[0].reason}; there are {steps.n}"
    sentence = upper_first(reason) if reason else _calibration_sentence(metric, steps, ranges[0])
    on_levels = scale_of(metric) is not None
    return Calibrated(
        sentence=sentence,
        reason=reason,
        levels=tuple(means),
        table=steps,
        ranges=ranges,
        on_levels=on_levels,
    )


def _levels(metric: Metric, auto: Floats) -> Floats:
    """Give the level of each auto score; fine scores are brought to tenths of the range."""
    exact: Floats = np.round(auto, 9)
    if metric.bounds is None or np.unique(exact).size <= MOST_LEVELS:
        return exact
    low, high = metric.bounds
    rounded: Floats = np.round((exact - low) / (high - low) * STEPS)
    return low + rounded * (high - low) / STEPS


def _calibration_sentence(metric: Metric, steps: Calibration, often: Conformal) -> str:
    if not steps.steps:
        half = plain(often.half_width or 0.0)
        return (
            f"9 times in 10 people are within ±{half} of the judge (n = {often.n:,}); "
            f"{steps.reason}."
        )
    usual = max(steps.steps, key=lambda step: step.n)
    said = f"When the judge gives {plain(usual.level)}, people give {two(usual.fitted)} on average"
    ends = often.around(usual.level)
    if ends is None:
        return f"{said} (n = {usual.n:,})."
    low, high = metric.bounds or ends
    inside = f"{plain(max(ends[0], low))} and {plain(min(ends[1], high))}"
    return f"{said} and 9 times in 10 between {inside} (n = {usual.n:,})."


def self_consistency(source: Source, table: MetricTable) -> SelfConsistency:
    """Work out how judge and people repeat themselves on the same evaluation."""
    metric = table.metric
    by_version = source.repeated.get(metric.name, {})
    places = source.repeated_keys.get(metric.name, {})
    judges = sorted(
        (_repeats(metric, name, x, places.get(name, ())) for name, x in by_version.items()),
        key=lambda one: (one.who != table.scorer, -one.flips.items, one.who),
    )
    judges = [one for one in judges if one.flips.items]
    by_person = source.relabelled.get(metric.name, {})
    people = [_repeats(metric, name, groups) for name, groups in sorted(by_person.items())]
    people = [one for one in people if one.flips.items]
    if not judges and not people:
        return SelfConsistency(sentence=upper_first(NO_REPEAT), reason=NO_REPEAT)
    everyone = [group for groups in by_person.values() for group in numbered(metric, groups)]
    return SelfConsistency(
        sentence=_consistency_sentence(judges, people, table.scorer),
        judges=tuple(judges),
        people=tuple(people),
        ceiling=_ceiling(judges[0].spread if judges else None, repeatability(everyone)),
    )


def _repeats(
    metric: Metric,
    who: str,
    groups: list[list[float | int | str]],
    keys: Sequence[int] = (),
) -> Repeated:
    values = numbered(metric, groups)
    differing = [key for key, x in zip(keys, groups, strict=False) if len(set(x)) > 1]
    flips: FlipRate = flip_rate([[round(x, 9) for x in group] for group in values])
    spread = repeatability(values) if metric.is_numeric else None
    return Repeated(who, flips, spread, tuple(differing))


def _ceiling(judge: Repeatability | None, people: Repeatability) -> float | None:
    return None if judge is None else ceiling(judge.icc, people.icc)


def _consistency_sentence(
    judges: list[Repeated], people: list[Repeated], scorer: str | None
) -> str:
    if not judges:
        first = people[0]
        return (
            f"{first.who} answers differently on {percent(first.flips.rate or 0.0)} of "
            f"{counted(first.flips.items, 'evaluation')} labelled twice; the judge never "
            "scored one twice."
        )
    flips = judges[0].flips
    rate = flips.rate or 0.0
    on = counted(flips.items, "evaluation")
    judge = "The judge" if judges[0].who == scorer else judges[0].who
    if not rate:
        return f"{judge} repeats itself exactly on {on} that it scored again."
    said = f"{judge} contradicts itself on {percent(rate)} of repeats ({on})"
    if rate < OFTEN:
        return f"{said}."
    return f"{said}: judge three times and take the majority before comparing prompts."
