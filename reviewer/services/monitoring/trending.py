"""The trend per run: pass rate, average scores and performance, each run against the one before.

Two runs are compared on the same cases. "Better" and "worse" are said only where the paired
interval excludes 0, and from ten cases on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.domain.progress import Progress
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.audits.auditing import hidden_among
from reviewer.services.figures.covered import covered
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.statistics_pass import passing_share, why_no_verdict_of
from reviewer.services.monitoring import run_columns, stability
from reviewer.services.monitoring.run_columns import OVERALL, RunColumns
from reviewer.services.monitoring.stability import Stability
from reviewer.services.project.session import Session
from reviewer.stats.drift import mcnemar, paired_shift
from reviewer.stats.intervals import INTERVALS_FROM, Interval, IntervalPolicy, t_interval, wilson
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.regression import LIMIT, P95, Change, mean_change, percentile_change
from reviewer.store import figures

RUNS: Final = 30
"""Newest runs that the trend goes back on."""
NO_SHARED: Final = "no case is in both runs"
Word = Literal["better", "worse", ""]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean or a share of one run.

    Attributes:
        low, high: Its 95 % interval (t for means, Wilson for shares), from ten values on.
    """

    value: float
    n: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A figure of a run against the same cases of an earlier one.

    Attributes:
        before, after: On the shared cases, which need not be all.
        difference, low, high: After minus before, with its 95 % interval.
        word: What that is, empty where the interval holds 0 or there are too few cases.
        judges: Whose scores these are, before and after, where they are not the same.
    """

    n: int
    before: float | None
    after: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    word: Word = ""
    judges: tuple[str, str] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    """One run of the trend.

    Attributes:
        averages: By metric, and `overall`; on measures and reversed scales as they are.
        p95, cost: Of its responses: milliseconds, and dollars on average.
        against: The run before, None for the first.
        shared: Cases in both.
        passing_step, steps: Against the run before; None and empty for the first.
        p95_step, cost_step: The same of the performance; None where a run carries none.
    """

    name: str
    when: str | None
    n: int
    passing: Figure | None
    averages: dict[str, Figure]
    p95: Figure | None
    cost: Figure | None
    against: str | None = None
    shared: int = 0
    passing_step: Step | None = None
    steps: dict[str, Step]
    p95_step: Change | None = None
    cost_step: Change | None = None


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
        no_verdict=_no_verdict(rubric),
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
    latency, cost = _known(after.latency), _known(after.cost)
    whole: dict[str, Step] = {}
    passing_step = p95_step = cost_step = None
    count = 0
    if before is not None:
        rows = run_columns.shared(before, after)
        count = rows[0].size
        whole = {
            name: _score_step(rubric, before, after, rows, name)
            for name in after.scores
            if name in before.scores
        }
        passing_step = _passing_step(before, after, rows)
        policy = IntervalPolicy(seed=seed)
        p95_step = _performance(before.latency, after.latency, rows, policy)
        cost_step = _performance(before.cost, after.cost, rows, None)
    return RunPoint(
        name=after.name,
        when=after.when,
        n=after.n,
        passing=_share(after),
        averages={
            name: found
            for name, column in after.scores.items()
            if (found := _mean(_known(column))) is not None
        },
        p95=Figure(float(np.quantile(latency, P95)), latency.size) if latency.size else None,
        cost=_mean(cost),
        against=None if before is None else before.name,
        shared=count,
        passing_step=passing_step,
        steps=whole,
        p95_step=p95_step,
        cost_step=cost_step,
    )


def _no_verdict(rubric: Rubric) -> str:
    return why_no_verdict_of(rubric) or ""


def _known(column: Floats) -> Floats:
    return np.asarray(column[np.isfinite(column)])


def _share(columns: RunColumns) -> Figure | None:
    share = passing_share(columns.verdicts)
    if share.rate is None:
        return None
    return _figure(share.rate, share.n, wilson(share.passed, share.n))


def _mean(known: Floats) -> Figure | None:
    if not known.size:
        return None
    mean = float(known.mean())
    sd = float(known.std(ddof=1)) if known.size > 1 else 0.0
    return _figure(mean, known.size, t_interval(mean, sd, known.size))


def _figure(value: float, n: int, interval: Interval | None) -> Figure:
    if interval is None or n < INTERVALS_FROM:
        return Figure(value, n)
    return Figure(value, n, interval.low, interval.high)


def _score_step(
    rubric: Rubric,
    before: RunColumns,
    after: RunColumns,
    rows: tuple[Ints, Ints],
    name: str,
) -> Step:
    old, new = before.scores[name][rows[0]], after.scores[name][rows[1]]
    both = np.isfinite(old) & np.isfinite(new)
    n = int(both.sum())
    judges = _judges(before, after, name)
    if not n:
        return Step(0, None, None, judges=judges, reason=NO_SHARED)
    shift = paired_shift(new[both] - old[both])
    metric = rubric.by_name.get(name)
    higher = metric is None or metric.higher_is_better
    # of a plain measure, such as a length, nobody can say which way is better
    told = metric is None or metric.scale != "measure"
    return Step(
        n,
        float(old[both].mean()),
        float(new[both].mean()),
        shift.difference,
        shift.low,
        shift.high,
        word(shift.low, shift.high, n, higher_is_better=higher) if told else "",
        judges,
        None if n >= INTERVALS_FROM else _few(n),
    )


def _judges(before: RunColumns, after: RunColumns, name: str) -> tuple[str, str] | None:
    """Give who scored, before and after, where that is not the same."""
    names = [name] if name != OVERALL else sorted(before.scorers.keys() & after.scorers.keys())
    pairs = [(before.scorers.get(x), after.scorers.get(x)) for x in names]
    others = [(old, new) for old, new in pairs if old and new and old != new]
    return others[0] if others else None


def _passing_step(before: RunColumns, after: RunColumns, rows: tuple[Ints, Ints]) -> Step:
    old, new = before.verdicts[rows[0]], after.verdicts[rows[1]]
    both = (old != OPEN) & (new != OPEN)
    n = int(both.sum())
    judges = _judges(before, after, OVERALL)
    if not n:
        return Step(0, None, None, judges=judges, reason=NO_SHARED)
    lost = int((both & (old == PASS) & (new == FAIL)).sum())
    gained = int((both & (old == FAIL) & (new == PASS)).sum())
    test = mcnemar(n, lost=lost, gained=gained)
    return Step(
        n,
        float((old[both] == PASS).mean()),
        float((new[both] == PASS).mean()),
        test.difference,
        test.low,
        test.high,
        word(test.low, test.high, n),
        judges,
        None if n >= INTERVALS_FROM else _few(n),
    )


def word(low: float | None, high: float | None, n: int, *, higher_is_better: bool = True) -> Word:
    """Say better or worse where an interval excludes 0 and there are ten cases or more."""
    if low is None or high is None or n < INTERVALS_FROM or low <= 0 <= high:
        return ""
    return "better" if (low > 0) == higher_is_better else "worse"


def _few(n: int) -> str:
    return (
        f"{n} shared {'case' if n == 1 else 'cases'}: a change can be told from {INTERVALS_FROM}"
    )


def _performance(
    before: Floats, after: Floats, rows: tuple[Ints, Ints], policy: IntervalPolicy | None
) -> Change | None:
    """Compare p95 with a policy, the mean without; the same cases where there are enough."""
    old, new = before[rows[0]], after[rows[1]]
    both = np.isfinite(old) & np.isfinite(new)
    paired = int(both.sum()) >= INTERVALS_FROM
    first, second = (old[both], new[both]) if paired else (_known(before), _known(after))
    if not first.size or not second.size:
        return None
    if policy is None:
        return mean_change(first, second, paired=paired)
    return percentile_change(first, second, policy, paired=paired)
