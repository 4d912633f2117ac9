"""The trend per run: pass rate, average scores and performance, each run against the one before.

Two runs are compared on the same cases. "Better" and "worse" are said where the test excludes 0,
which its interval inverts, and from ten cases on. The figures of one step are tested together; the
steps of several runs are not, so that a run says the same whatever runs stand beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.domain.progress import Progress
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.audits.auditing import hidden_among
from reviewer.services.figures.covered import covered
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.paired_scores import ALONE, Together, each_of, together
from reviewer.services.figures.statistics_pass import why_no_verdict_of
from reviewer.services.monitoring import run_columns, stability
from reviewer.services.monitoring.run_columns import OVERALL, RunColumns
from reviewer.services.monitoring.stability import Stability
from reviewer.services.monitoring.steps import (
    Performance,
    Step,
    at_level,
    finite,
    passing_step,
    score_step,
)
from reviewer.services.project.session import Session
from reviewer.stats.counted import NOTHING, Counted, mean_of, share_of
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.stats.regression import LIMIT, P95, Change
from reviewer.store import figures

RUNS: Final = 30
"""Newest runs that the trend goes back on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    """One run of the trend.

    Attributes:
        averages: By metric, and `overall`; on measures and reversed scales as they are.
        passing: Its pass rate, undefined without a verdict.
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
    passing: Counted
    averages: dict[str, Counted]
    p95: Counted
    cost: Counted
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
        left_out: Older runs beyond the newest `RUNS`.
        no_verdict: Why there is no pass rate, empty where there is one.
    """

    rubric: Rubric
    runs: tuple[RunPoint, ...]
    stability: Stability
    limit: float
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
    loader = Loader(session.project)
    columns = []
    for name in kept:
        if progress.cancelled:
            raise CancelledError("Stopped.")
        columns.append(run_columns.load(loader, covered(session.project, Scope(runs=(name,)))))
    rubric = session.rubric(wish.rubric)
    points = []
    for place, column in enumerate(columns):
        if progress.cancelled:
            raise CancelledError("Stopped.")
        points.append(point(rubric, columns[place - 1] if place else None, column, wish.seed))
    hidden = hidden_among(session, np.concatenate([column.keys for column in columns]).tolist())
    return Trend(
        rubric=rubric,
        runs=tuple(points),
        stability=stability.over(columns, wish.measure, hidden),
        limit=wish.limit,
        left_out=len(names) - len(kept),
        no_verdict=why_no_verdict_of(rubric) or "",
    )


def runs_of(session: Session, rubric: str) -> tuple[str, ...]:
    """Give the names of a rubric's runs in the order of their import."""
    pairs = zip(session.run_names(), session.run_keys(), strict=True)
    return tuple(name for name, key in pairs if session.rubric_of_run(key).name == rubric)


def evaluations_of(session: Session, run: str) -> Sequence[int]:
    """Give the evaluations of a run that count, ascending.

    Raises:
        ReviewerError: There is no such run.
    """
    within = covered(session.project, Scope(runs=(run,))).within
    return figures.read_evaluations(session.project, within).keys


def point(rubric: Rubric, before: RunColumns | None, after: RunColumns, seed: int = 0) -> RunPoint:
    """Work out one run's figures, and its steps from an earlier one."""
    latency = finite(after.latency)
    alone = RunPoint(
        name=after.name,
        when=after.when,
        n=after.n,
        passing=share_of(after.verdicts == PASS, after.verdicts != OPEN, after.clusters),
        averages={
            name: found
            for name, column in after.scores.items()
            if (found := mean_of(column, after.clusters)).n
        },
        p95=Counted(float(np.quantile(latency, P95)), latency.size) if latency.size else NOTHING,
        cost=mean_of(after.cost, after.clusters),
        steps={},
    )
    return alone if before is None else _stepped(alone, rubric, before, after, seed)


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
    tests = [step.tested.p for step in (passing, *steps.values()) if step.tested is not None]
    scores = together(tests)
    there = [
        bool(finite(one).size and finite(other).size)
        for one, other in ((before.latency, after.latency), (before.cost, after.cost))
    ]
    performance = each_of(sum(there))
    policy = IntervalPolicy(level=performance.each, seed=seed)
    ways = Performance(before, after, shared)
    return replace(
        alone,
        against=before.name,
        shared=shared.n,
        passing_step=at_level(passing, scores.each),
        steps={
            name: at_level(step, scores.each, rubric.by_name.get(name))
            for name, step in steps.items()
        },
        p95_step=ways.p95(policy) if there[0] else None,
        cost_step=ways.cost(performance.each) if there[1] else None,
        scores=scores,
        performance=performance,
    )
