"""The trend per run: pass rate, average scores and performance, each run against the one before.

Two runs are compared on the same cases, by scores of one judge for one version of the rubric.
"Better" and "worse" are said where the test excludes 0, which its interval inverts, and from ten
cases on. The figures of one step are tested together; the steps of several runs are not, so that a
run says the same whatever runs stand beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from reviewer.domain.errors import CancelledError, Progress, ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.domain.wording import counted
from reviewer.services.figures.column_memory import held_now, memory_of
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.likeness import Difference, differences, unlike
from reviewer.services.figures.paired_scores import (
    ALONE,
    SharedCases,
    Together,
    Word,
    each_of,
    is_told,
    score_shift,
    together,
    word,
)
from reviewer.services.figures.request import covered
from reviewer.services.figures.statistics_blocks import PassBlock
from reviewer.services.figures.statistics_pass import why_no_verdict_of
from reviewer.services.monitoring import distributions, run_columns
from reviewer.services.monitoring.distributions import MetricShares
from reviewer.services.monitoring.run_columns import OVERALL, RunColumns, Stability
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among
from reviewer.stats import regression
from reviewer.stats.clustering import NO_QUANTITY, Quantity, clusters_at, known, mean_of
from reviewer.stats.intervals import INTERVALS_FROM, IntervalPolicy
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.stats.paired import Shift
from reviewer.stats.paired_shares import McNemar, changed_verdicts
from reviewer.stats.regression import (
    LIMIT,
    P95,
    P95_FROM,
    Change,
    Runs,
    mean_change,
    percentile_change,
)
from reviewer.store import figures

NO_SHARED: Final = "no case is in both runs"


@dataclass(frozen=True, slots=True)
class Step:
    """A figure of a run against the same cases of an earlier one.

    Attributes:
        before, after: On the shared cases, which need not be all.
        difference, low, high: After minus before, with its interval.
        word: What that is, empty where the interval holds 0 or there are too few cases.
        tested: The test that the interval inverts, and its level; None without shared cases.
        unlike: Why the two cannot be compared, so that no word says what it is; empty where they
            can: `another judge: deepseek-chat@v3 → vllm@2`.
    """

    n: int
    before: float | None
    after: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    word: Word = ""
    unlike: str = ""
    reason: str | None = None
    tested: Shift | McNemar | None = None


def score_step(
    metric: Metric | None,
    before: RunColumns,
    after: RunColumns,
    shared: SharedCases,
    name: str,
) -> Step:
    """Compare a score of two runs, as if nothing else were looked at."""
    old, new = before.scores[name][shared.before], after.scores[name][shared.after]
    both: Flags = np.isfinite(old) & np.isfinite(new)
    clusters = clusters_at(shared.clusters, both)
    old, new = old[both], new[both]
    of = before.parts if metric is None or metric.derived else (metric,)
    why = unlike(of, before.made_by, after.made_by)
    return _step(old, new, score_shift(metric, old, new, clusters), why)


def passing_step(before: RunColumns, after: RunColumns, shared: SharedCases) -> Step:
    """Compare the pass rates of two runs, as if nothing else were looked at."""
    old, new = before.verdicts[shared.before], after.verdicts[shared.after]
    both: Flags = (old != OPEN) & (new != OPEN)
    clusters = clusters_at(shared.clusters, both)
    first, second = old[both] == PASS, new[both] == PASS
    test = changed_verdicts(first, second, clusters)
    return _step(first, second, test, unlike(before.parts, before.made_by, after.made_by))


def _step(old: Floats | Flags, new: Floats | Flags, test: Shift | McNemar, why: str) -> Step:
    n = int(old.size)
    if not n:
        return Step(0, None, None, reason=NO_SHARED)
    means = float(old.mean()), float(new.mean())
    return Step(n, *means, test.difference, unlike=why, tested=test)


def at_level(step: Step, level: float, metric: Metric | None = None) -> Step:
    """Give a step the interval and the word of a level."""
    if step.tested is None:
        return step
    tested = step.tested.at(level)
    higher = metric is None or metric.higher_is_better
    told = is_told(metric) and not step.unlike
    return replace(
        step,
        low=tested.low,
        high=tested.high,
        word=word(tested.sign, step.n, higher_is_better=higher) if told else "",
        reason=tested.reason
        if step.n >= INTERVALS_FROM
        else f"{counted(step.n, 'shared case')}: a change can be told from {INTERVALS_FROM}",
        tested=tested,
    )


Measured = tuple[Floats, Floats]
"""Latency or cost, before and after."""


def _performed(
    measured: Measured, enough: int, shared: SharedCases, every: tuple[Ints | None, Ints | None]
) -> Runs:
    """Take latency or cost of the shared cases where enough of them carry it, else of all.

    `every` are the conversations of both runs' cases.
    """
    before, after = measured
    old, new = before[shared.before], after[shared.after]
    both = np.isfinite(old) & np.isfinite(new)
    fewest = min(known(before).size, known(after).size)
    if int(both.sum()) >= min(enough, max(fewest, INTERVALS_FROM)):
        codes = clusters_at(shared.clusters, both)
        clusters = None if codes is None else (codes, codes)
        return regression.runs_of(old[both], new[both], paired=True, clusters=clusters)
    clusters = None
    one, other = every
    if one is not None or other is not None:
        # each run's for itself
        first = np.arange(before.size) if one is None else one
        second = np.arange(after.size) if other is None else other
        apart = int(first.max(initial=-1)) + 1
        clusters = (first[np.isfinite(before)], second[np.isfinite(after)] + apart)
    return regression.runs_of(known(before), known(after), paired=False, clusters=clusters)


RUNS, STEPS = 200, 30
"""Newest runs that the trend goes back on, and of them those that are held against the one before.

Each step resamples its run.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    """One run of the trend.

    Attributes:
        averages: By metric, and `overall`; on measures and reversed scales as they are.
        passing: Its pass rate by the judge, undefined without a verdict.
        people, corrected: By people, and by the judge as labels correct it.
        changed: What is otherwise about its scores than about those of the run before.
        p95, cost: Of its responses: milliseconds, and dollars on average.
        against: The run before, None for the first.
        shared: Cases in both.
        passing_step, steps: Against the run before; None and empty for the first.
        p95_step, cost_step: The same of the performance; None where a run carries none.
        scores, performance: The level of the intervals of steps, which are told together.
    """

    name: str
    when: str | None
    n: int
    passing: Quantity
    people: Quantity = NO_QUANTITY
    corrected: Quantity = NO_QUANTITY
    changed: tuple[Difference, ...] = ()
    averages: dict[str, Quantity]
    p95: Quantity
    cost: Quantity
    against: str | None = None
    shared: int = 0
    passing_step: Step | None = None
    steps: dict[str, Step]
    p95_step: Change | None = None
    cost_step: Change | None = None
    scores: Together = ALONE
    performance: Together = ALONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The runs of one rubric, oldest first.

    Attributes:
        shares: How the scores of the runs spread over their levels, by metric.
        left_out: Older runs beyond the newest `RUNS`.
        no_verdict: Why there is no pass rate, empty where there is one.
    """

    rubric: Rubric
    runs: tuple[RunPoint, ...]
    stability: Stability
    limit: float
    shares: tuple[MetricShares, ...] = ()
    left_out: int = 0
    no_verdict: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the trend is to be about.

    Attributes:
        limit: Share by which p95 latency or average cost may go up.
        measure: The score whose spread over runs tells how stable a case is.
    """

    rubric: str
    limit: float = LIMIT
    measure: str = OVERALL
    seed: int = 0


def trend(session: Session, wish: Wish, progress: Progress) -> Trend:
    """Work out the trend of a rubric's newest runs, as the active labeler may see it.

    Raises:
        ReviewerError: The project has no run of that rubric.
        CancelledError: Nobody wants it any more.
    """
    names = runs_of(session, wish.rubric)
    if not names:
        raise ReviewerError(f"The project has no run with the rubric {wish.rubric}.")
    kept = names[-RUNS:]
    loader, held = Loader(session.project, memory_of(session)), held_now(session)
    columns = []
    for name in kept:
        if progress.cancelled:
            raise CancelledError("Stopped.")
        found = covered(session.project, Scope(runs=(name,)))
        columns.append(run_columns.load(loader, found, held=held))
    rubric = session.rubric(wish.rubric)
    points = []
    for place, column in enumerate(columns):
        if progress.cancelled:
            raise CancelledError("Stopped.")
        before = columns[place - 1] if place else None
        is_new = place >= len(columns) - STEPS
        made = point(rubric, before if is_new else None, column, wish.seed)
        points.append(made if before is None else replace(made, changed=_changed(before, column)))
    hidden = hidden_among(session, np.concatenate([column.keys for column in columns]).tolist())
    return Trend(
        rubric=rubric,
        runs=tuple(points),
        stability=run_columns.over(columns, wish.measure, hidden),
        limit=wish.limit,
        shares=distributions.of_runs(rubric, columns),
        left_out=len(names) - len(kept),
        no_verdict=why_no_verdict_of(rubric) or "",
    )


def _changed(before: RunColumns, after: RunColumns) -> tuple[Difference, ...]:
    return differences(after.parts, before.made_by, after.made_by)


def runs_of(session: Session, rubric: str) -> tuple[str, ...]:
    """Give the names of a rubric's runs in the order of their import."""
    pairs = zip(session.run_names(), session.run_keys(), strict=True)
    return tuple(name for name, key in pairs if session.rubric_of_run(key).name == rubric)


def evaluations_of(session: Session, run: str) -> Sequence[int]:
    """Give the evaluations of a run that count, ascending.

    Raises:
        ReviewerError: There is no such run.
    """
    return figures.read_evaluations(
        session.project, covered(session.project, Scope(runs=(run,))).within
    ).keys


def point(rubric: Rubric, before: RunColumns | None, after: RunColumns, seed: int = 0) -> RunPoint:
    """Work out one run's figures, and its steps from an earlier one."""
    latency, passed = known(after.latency), after.passed
    corrected = passed.corrected
    alone = RunPoint(
        name=after.name,
        when=after.when,
        n=after.n,
        passing=_rate(passed, "auto_rate", passed.n_auto),
        people=_rate(passed, "human_rate", passed.n_human),
        corrected=Quantity(
            corrected.mean, corrected.n, corrected.low, corrected.high, corrected.reason
        ),
        averages={
            name: found
            for name, column in after.scores.items()
            if (found := mean_of(column, after.clusters)).n
        },
        p95=Quantity(float(np.quantile(latency, P95)), latency.size)
        if latency.size
        else NO_QUANTITY,
        cost=mean_of(after.cost, after.clusters),
        steps={},
    )
    return alone if before is None else _stepped(alone, rubric, before, after, seed)


def _rate(passed: PassBlock, name: Literal["auto_rate", "human_rate"], n: int) -> Quantity:
    value = passed.auto_rate if name == "auto_rate" else passed.human_rate
    return Quantity.of(value, n, passed.intervals.get(name), passed.undefined.get(name))


def _stepped(
    alone: RunPoint, rubric: Rubric, before: RunColumns, after: RunColumns, seed: int
) -> RunPoint:
    """Add the steps from an earlier run, each at the level that the others leave for it."""
    shared = run_columns.shared(before, after)
    steps = {
        name: score_step(rubric.by_name.get(name), before, after, shared, name)
        for name in after.scores
        if name in before.scores
    }
    passing = passing_step(before, after, shared)
    told = [step for step in (passing, *steps.values()) if not step.unlike]
    tests = [step.tested.p for step in told if step.tested is not None]
    scores = together(tests)
    latency, cost = (before.latency, after.latency), (before.cost, after.cost)
    there = [all(known(x).size for x in measured) for measured in (latency, cost)]
    performance = each_of(sum(there))
    policy = IntervalPolicy(level=performance.each, seed=seed)
    every = before.clusters, after.clusters
    p95_step = cost_step = None
    if there[0]:
        p95_step = percentile_change(_performed(latency, P95_FROM, shared, every), policy)
    if there[1]:
        cost_step = mean_change(_performed(cost, INTERVALS_FROM, shared, every), performance.each)
    return replace(
        alone,
        against=before.name,
        shared=shared.n,
        passing_step=at_level(passing, scores.each),
        steps={
            name: at_level(step, scores.each, rubric.by_name.get(name))
            for name, step in steps.items()
        },
        p95_step=p95_step,
        cost_step=cost_step,
        scores=scores,
        performance=performance,
    )
