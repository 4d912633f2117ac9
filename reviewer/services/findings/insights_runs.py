"""What changed since the run before, and how much of it is the judge."""

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.services.findings.insights_source import Source, TwoRuns
from reviewer.services.findings.insights_values import FromGolden, PassChange, RunChange
from reviewer.services.project.insights_words import counted, signed, two, upper_first
from reviewer.stats.drift import (
    McNemar,
    Measured,
    Shift,
    SystemChange,
    headline_change,
    mcnemar,
    paired_shift,
    system_change,
)
from reviewer.stats.overall_columns import OPEN, PASS, reached
from reviewer.stats.reasons import NO_MARK_OF_METRIC, UNORDERED

NO_RUN_BEFORE = "there is no run before this one with the same rubric"
NO_SCORES = "fewer than two auto scores in one of the runs"
NO_SHARED = "no case with auto scores is in both runs"
NO_GOLDEN = "there is no golden set: give its responses the tag gold and decide them"


def run_change(source: Source, name: str) -> RunChange:
    """Compare a metric's auto scores with those of the run before."""
    runs = source.runs
    if runs is None:
        return RunChange(
            sentence=upper_first(NO_RUN_BEFORE), reason=NO_RUN_BEFORE, after=source.newest_run
        )
    first, second = runs.before_table.metrics.get(name), runs.after_table.metrics.get(name)
    metric = source.table.metrics[name].metric
    if first is None or second is None or not metric.is_numeric:
        return _without(runs, UNORDERED if not metric.is_numeric else NO_SCORES)
    auto = first.auto[runs.first], second.auto[runs.second]
    there = np.isfinite(auto[0]) & np.isfinite(auto[1])
    shifts: Floats = (auto[1] - auto[0])[there]
    same = runs.same[there]
    paired, anchors = paired_shift(shifts, source.level), paired_shift(shifts[same], source.level)
    headline = _headline(shifts, same, first, second)
    if headline is None:
        return _without(runs, NO_SCORES)
    change = system_change(headline, shifts[same], source.level)
    verdicts, why = _verdicts(metric, (auto[0][there], auto[1][there]), source.level)
    keys = runs.after_table.keys[runs.second][there]
    flips = np.zeros(keys.size, dtype=np.bool_)
    if metric.pass_at is not None:
        flips = passes(metric, auto[0][there]) != passes(metric, auto[1][there])
    return RunChange(
        sentence=_sentence(runs, change, paired, new_judge=first.scorer != second.scorer),
        before=runs.before,
        after=runs.after,
        before_scorer=first.scorer,
        after_scorer=second.scorer,
        paired=paired,
        anchors=anchors,
        change=change,
        verdicts=verdicts,
        verdicts_reason=why,
        moved=_largest_first(keys, shifts, shifts != 0),
        judge_moved=_largest_first(keys, shifts, same & (shifts != 0)),
        flipped=_largest_first(keys, shifts, flips),
    )


def _largest_first(keys: Ints, shifts: Floats, wanted: Flags) -> tuple[int, ...]:
    rows = np.flatnonzero(wanted)
    order = np.argsort(-np.abs(shifts[rows]), kind="stable")
    return tuple(keys[rows[order]].tolist())


def pass_change(source: Source) -> PassChange:
    """Compare the judge's verdicts by the rubric's pass rule with those of the run before."""
    runs = source.runs
    if runs is None:
        return PassChange(sentence=upper_first(NO_RUN_BEFORE), reason=NO_RUN_BEFORE)
    why = why_no_verdict(source.table)
    before, after = (
        table.auto_verdicts()[rows] if why is None else np.zeros(0, dtype=np.int8)
        for table, rows in ((runs.before_table, runs.first), (runs.after_table, runs.second))
    )
    there = (before != OPEN) & (after != OPEN)
    why = why or (None if there.any() else NO_SHARED)
    if why is not None:
        return PassChange(
            sentence=upper_first(why), reason=why, before=runs.before, after=runs.after
        )
    first, second = before[there] == PASS, after[there] == PASS
    lost, gained = int((first & ~second).sum()), int((~first & second).sum())
    found = mcnemar(first.size, lost=lost, gained=gained, level=source.level)
    flipped = runs.after_table.keys[runs.second][there][first != second]
    return PassChange(
        sentence=_pass_sentence(runs.before, found),
        before=runs.before,
        after=runs.after,
        verdicts=found,
        flipped=tuple(flipped.tolist()),
    )


def _pass_sentence(before: str, found: McNemar) -> str:
    on = counted(found.n, "shared case")
    if not found.gained and not found.lost:
        return f"No verdict changed since {before} ({on})."
    points = f"{signed(100 * (found.difference or 0.0))} points"
    chance = "" if found.mid is None else f", p {_p(found.mid)}"
    return (
        f"Pass rate {points} since {before}: {found.gained:,} newly pass, {found.lost:,} newly "
        f"fail ({on}{chance})."
    )


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def from_golden(source: Source) -> FromGolden:
    """Say what the golden set tells of the pass rate."""
    found = source.golden
    if found is None:
        return FromGolden(sentence=upper_first(NO_GOLDEN), reason=NO_GOLDEN)
    sentence = found.sentence or upper_first(found.corrected.reason or NO_GOLDEN)
    reason = found.corrected.reason if found.corrected.mean is None else None
    return FromGolden(sentence=sentence, reason=reason, golden=found)


def _without(runs: TwoRuns, reason: str) -> RunChange:
    return RunChange(
        sentence=upper_first(reason), reason=reason, before=runs.before, after=runs.after
    )


def _headline(
    shifts: Floats, same: Flags, first: MetricTable, second: MetricTable
) -> Measured | None:
    """Measure the change on new answers: case by case where both runs have the cases."""
    changed = paired_shift(shifts[~same])
    if changed.difference is not None and changed.se is not None:
        return Measured(changed.difference, changed.se, changed.n - 1)
    return headline_change(first.auto[first.has_auto], second.auto[second.has_auto])


def _verdicts(
    metric: Metric, auto: tuple[Floats, Floats], level: float
) -> tuple[McNemar | None, str | None]:
    if metric.pass_at is None:
        return None, NO_MARK_OF_METRIC
    if not auto[0].size:
        return None, NO_SHARED
    before, after = (passes(metric, column) for column in auto)
    lost, gained = int((before & ~after).sum()), int((~before & after).sum())
    return mcnemar(before.size, lost=lost, gained=gained, level=level), None


def passes(metric: Metric, column: Floats) -> Flags:
    """Tell which values reach the metric's pass mark."""
    return reached(column, metric.pass_at or 0.0, higher_is_better=metric.higher_is_better)


def _sentence(runs: TwoRuns, change: SystemChange, paired: Shift, *, new_judge: bool) -> str:
    said = f"{signed(change.headline)} on new answers since {runs.before}"
    cases = counted(paired.n, "shared case")
    version = "; another judge version scored it" if new_judge else ""
    if change.judge is None or change.judge_low is None or change.judge_high is None:
        return f"{said} ({cases}); {change.reason}, so the judge's part is not known{version}."
    answers = counted(change.anchors, "unchanged answer")
    half = (change.judge_high - change.judge_low) / 2
    part = f"{signed(change.judge)} ± {two(half)}"
    if not half:
        part = signed(change.judge) if change.judge else "nothing"
    return f"{said}, of which {part} is the judge itself on {answers}{version}."
