"""What changed since the run before, and how much of it is the judge."""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import SURE, counted, fixed, signed, two, upper_first
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.paired_scores import (
    ALONE,
    Together,
    at_one_level,
    score_shift,
    together,
)
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.services.findings.insights_source import Source, TwoRuns
from reviewer.services.findings.insights_values import FromGolden, PassChange, RunChange
from reviewer.stats.drift import (
    Measured,
    SystemChange,
    headline_change,
    measured,
    system_change,
)
from reviewer.stats.overall_columns import OPEN, PASS, reached
from reviewer.stats.paired import Shift, paired_shift
from reviewer.stats.paired_shares import McNemar, changed_verdicts
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
    metric = source.table.metrics[name].metric
    found = _metric(runs, name, source.level) if metric.is_numeric else None
    if found is None:
        reason = UNORDERED if not metric.is_numeric else NO_SCORES
        return RunChange(
            sentence=upper_first(reason), reason=reason, before=runs.before, after=runs.after
        )
    every = _every_metric(runs, source.level) | {name: found}
    scores = _together(source, every).each
    _, judges = at_one_level({x: one.anchors for x, one in every.items()}, source.level)
    systems = together([one.change.p for one in every.values()], source.level)
    marks = together(
        [one.verdicts.p for one in every.values() if one.verdicts is not None], source.level
    )
    paired = found.paired.at(scores)
    change = found.change.at(systems.each)
    verdicts = None if found.verdicts is None else found.verdicts.at(marks.each)
    scorers = found.scorers
    return RunChange(
        sentence=_sentence(runs, change, paired, new_judge=scorers[0] != scorers[1]),
        before=runs.before,
        after=runs.after,
        before_scorer=scorers[0],
        after_scorer=scorers[1],
        paired=paired,
        anchors=found.anchors.at(judges.each),
        change=change,
        verdicts=verdicts,
        verdicts_reason=found.why,
        moved=_largest_first(found.keys, found.shifts, found.shifts != 0),
        judge_moved=_largest_first(found.keys, found.shifts, found.same & (found.shifts != 0)),
        flipped=_largest_first(found.keys, found.shifts, found.flips),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """One metric of two runs, every figure at the level of one looked at alone."""

    scorers: tuple[str | None, str | None]
    keys: Ints
    shifts: Floats
    same: Flags
    flips: Flags
    paired: Shift
    anchors: Shift
    change: SystemChange
    verdicts: McNemar | None
    why: str | None


def _every_metric(runs: TwoRuns, level: float) -> dict[str, _Pair]:
    """Compare every metric of both runs, since they are told together."""
    made = {}
    for name, table in runs.after_table.metrics.items():
        found = _metric(runs, name, level) if table.metric.is_numeric else None
        if found is not None:
            made[name] = found
    return made


def _metric(runs: TwoRuns, name: str, level: float) -> _Pair | None:
    first, second = runs.before_table.metrics.get(name), runs.after_table.metrics.get(name)
    if first is None or second is None:
        return None
    auto = first.auto[runs.first], second.auto[runs.second]
    there = np.isfinite(auto[0]) & np.isfinite(auto[1])
    before, after = auto[0][there], auto[1][there]
    shifts: Floats = after - before
    same = runs.same[there]
    clusters = None if runs.clusters is None else runs.clusters[there]
    headline = _headline(shifts, same, runs, (first, second), clusters)
    if headline is None:
        return None
    unchanged = None if clusters is None else clusters[same]
    metric = second.metric
    verdicts: McNemar | None = None
    why: str | None = NO_MARK_OF_METRIC
    flips: Flags = np.zeros(shifts.size, dtype=np.bool_)
    if metric.pass_at is not None:
        passed = passes(metric, before), passes(metric, after)
        flips = passed[0] != passed[1]
        verdicts = changed_verdicts(*passed, clusters, level) if shifts.size else None
        why = None if shifts.size else NO_SHARED
    return _Pair(
        scorers=(first.scorer, second.scorer),
        keys=runs.after_table.keys[runs.second][there],
        shifts=shifts,
        same=same,
        flips=flips,
        paired=score_shift(metric, before, after, clusters, level),
        anchors=paired_shift(shifts[same], level, unchanged),
        change=system_change(headline, shifts[same], level, unchanged),
        verdicts=verdicts,
        why=why,
    )


def _together(source: Source, every: dict[str, _Pair]) -> Together:
    """Give the level of scores, overall and pass rate, as a comparison of the runs has it."""
    runs = source.runs
    if runs is None:
        return ALONE
    whole, verdicts = _overall(runs, source.level), _verdicts(source, runs)
    tests = [one.paired.p for one in every.values()]
    tests += [None if whole is None else whole.p, None if verdicts is None else verdicts[0].p]
    return together(tests, source.level)


def _overall(runs: TwoRuns, level: float) -> Shift | None:
    columns = []
    for table, rows in ((runs.before_table, runs.first), (runs.after_table, runs.second)):
        if not table.overall_rule.parts or "overall" in table.rubric.by_name:
            return None
        columns.append(table.auto_overall()[rows])
    there = np.isfinite(columns[0]) & np.isfinite(columns[1])
    clusters = None if runs.clusters is None else runs.clusters[there]
    return score_shift(None, columns[0][there], columns[1][there], clusters, level)


def _largest_first(keys: Ints, shifts: Floats, wanted: Flags) -> tuple[int, ...]:
    rows = np.flatnonzero(wanted)
    return tuple(keys[rows[np.argsort(-np.abs(shifts[rows]), kind="stable")]].tolist())


def pass_change(source: Source) -> PassChange:
    """Compare the judge's verdicts by the rubric's pass rule with those of the run before."""
    runs = source.runs
    if runs is None:
        return PassChange(sentence=upper_first(NO_RUN_BEFORE), reason=NO_RUN_BEFORE)
    why, found = why_no_verdict(source.table), _verdicts(source, runs)
    if found is None:
        reason = why or NO_SHARED
        return PassChange(
            sentence=upper_first(reason), reason=reason, before=runs.before, after=runs.after
        )
    verdicts, flipped = found
    told = verdicts.at(_together(source, _every_metric(runs, source.level)).each)
    return PassChange(
        sentence=_pass_sentence(runs.before, told),
        before=runs.before,
        after=runs.after,
        verdicts=told,
        flipped=tuple(flipped.tolist()),
    )


def _verdicts(source: Source, runs: TwoRuns) -> tuple[McNemar, Ints] | None:
    """Compare the verdicts of both runs; with them the evaluations whose verdict changed."""
    sides = ((runs.before_table, runs.first), (runs.after_table, runs.second))
    parts = source.table.verdict_rule.parts
    named = all(part.name in table.metrics for table, _ in sides for part in parts)
    if why_no_verdict(source.table) is not None or not named:
        return None
    before, after = (table.auto_verdicts()[rows] for table, rows in sides)
    there = (before != OPEN) & (after != OPEN)
    if not there.any():
        return None
    first, second = before[there] == PASS, after[there] == PASS
    clusters = None if runs.clusters is None else runs.clusters[there]
    return changed_verdicts(first, second, clusters, source.level), runs.after_table.keys[
        runs.second
    ][there][first != second]


def _pass_sentence(before: str, found: McNemar) -> str:
    on = counted(found.n, "shared case")
    if not found.gained and not found.lost:
        return f"No verdict changed since {before} ({on})."
    points = f"{signed(100 * (found.difference or 0.0))} points"
    chance = ""
    if found.mid is not None:
        chance = ", p < 0.001" if found.mid < SURE else f", p = {fixed(found.mid, 3)}"
    return (
        f"Pass rate {points} since {before}: {found.gained:,} newly pass, {found.lost:,} newly "
        f"fail ({on}{chance})."
    )


def from_golden(source: Source) -> FromGolden:
    """Say what the golden set tells of the pass rate."""
    found = source.golden
    if found is None:
        return FromGolden(sentence=upper_first(NO_GOLDEN), reason=NO_GOLDEN)
    sentence = found.sentence or upper_first(found.corrected.reason or NO_GOLDEN)
    reason = found.corrected.reason if found.corrected.mean is None else None
    return FromGolden(sentence=sentence, reason=reason, golden=found)


def _headline(
    shifts: Floats,
    same: Flags,
    runs: TwoRuns,
    tables: tuple[MetricTable, MetricTable],
    clusters: Ints | None,
) -> Measured | None:
    """Measure the change on new answers: case by case where both runs have the cases."""
    changed = None if clusters is None else clusters[~same]
    found = measured(paired_shift(shifts[~same], clusters=changed))
    if found is not None:
        return found
    scored = [table.has_auto for table in tables]
    columns = [table.auto[there] for table, there in zip(tables, scored, strict=True)]
    return headline_change(columns[0], columns[1], _conversations(runs, scored))


def _conversations(runs: TwoRuns, scored: list[Flags]) -> tuple[Ints, Ints] | None:
    """Give the conversations of the scored answers of both runs, each run's for itself."""
    codes = []
    for table, there in zip((runs.before_table, runs.after_table), scored, strict=True):
        own = np.arange(table.keys.size) if table.clusters is None else table.clusters
        codes.append(np.unique(own[there], return_inverse=True)[1])
    if runs.before_table.clusters is None and runs.after_table.clusters is None:
        return None
    return codes[0], codes[1] + int(codes[0].max(initial=-1)) + 1


def passes(metric: Metric, column: Floats) -> Flags:
    """Tell which values reach the metric's pass mark."""
    return reached(column, metric.pass_at or 0.0, higher_is_better=metric.higher_is_better)


def _sentence(runs: TwoRuns, change: SystemChange, paired: Shift, *, new_judge: bool) -> str:
    said = f"{signed(change.headline)} on new answers since {runs.before}"
    cases = counted(paired.n, "shared case")
    version = "; another judge version scored it" if new_judge else ""
    if change.judge is None:
        return f"{said} ({cases}); {change.reason}, so the judge's part is not known{version}."
    answers = counted(change.anchors, "unchanged answer")
    part = signed(change.judge) if change.judge else "nothing"
    if change.judge_low is not None and change.judge_high is not None:
        part = f"{signed(change.judge)} ± {two((change.judge_high - change.judge_low) / 2)}"
    return f"{said}, of which {part} is the judge itself on {answers}{version}."
