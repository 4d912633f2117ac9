"""Two runs on the same cases, or two judges on the same responses, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import JsonValue

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.scope import Scope
from reviewer.scoring.case import case_of
from reviewer.scoring.summaries.operations import Operations, operations
from reviewer.services import figure_table
from reviewer.services.covered import covered
from reviewer.services.figure_rules import verdict_rule
from reviewer.services.figure_table import FigureTable
from reviewer.services.human_columns import Flags, Floats, Ints
from reviewer.services.session import Session
from reviewer.services.statistics_pass import why_no_verdict
from reviewer.stats.drift import McNemar, Shift, mcnemar, paired_shift, signed_ranks
from reviewer.stats.overall_columns import FAIL, PASS, verdict_columns
from reviewer.store import figures, reading

BLOCK = 250
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: a run, and whose auto scores count (None: the newest)."""

    run: str
    scorer: str | None = None

    @property
    def title(self) -> str:
        """Name it in a heading."""
        return f"{self.run} · {self.scorer}" if self.scorer else self.run


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPair:
    """One metric on both sides, over the cases with a score on both.

    Attributes:
        shift: B minus A, by the paired t test.
        ranks_p: Of Wilcoxon's signed ranks, where scores are not spread like a bell.
        errors: Of the cases that people scored: |human − auto| of B minus that of A; below 0 B is
            nearer to people.
        a_error, b_error: Mean |human − auto|.
    """

    name: str
    a_scorer: str | None
    b_scorer: str | None
    a_mean: float | None
    b_mean: float | None
    shift: Shift
    ranks_p: float | None
    errors: Shift
    a_error: float | None
    b_error: float | None

    def to_json(self) -> dict[str, JsonValue]:
        """Give the fields that the command line prints."""
        return {
            "n": self.shift.n,
            "scorer_a": self.a_scorer,
            "scorer_b": self.b_scorer,
            "mean_a": self.a_mean,
            "mean_b": self.b_mean,
            "difference": self.shift.difference,
            "interval": [self.shift.low, self.shift.high],
            "test": "paired t",
            "p": self.shift.p,
            "p_signed_ranks": self.ranks_p,
            "people": {
                "n": self.errors.n,
                "error_a": self.a_error,
                "error_b": self.b_error,
                "difference": self.errors.difference,
                "interval": [self.errors.low, self.errors.high],
                "p": self.errors.p,
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """What passes on one side only; keys are evaluations of B.

    Attributes:
        fixed: Failing in A and passing in B.
        broken: Passing in A and failing in B.
        both_wrong: Failing in both.
    """

    test: McNemar
    a_rate: float | None
    b_rate: float | None
    fixed: tuple[int, ...] = ()
    broken: tuple[int, ...] = ()
    both_wrong: tuple[int, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that two sides can be told apart by.

    Attributes:
        n: Cases that are on both sides.
        only_a, only_b: Cases that are on one side only.
        ids: The ids of the evaluations of B that `flips` names.
    """

    a: Side
    b: Side
    rubric: Rubric
    n: int
    only_a: int
    only_b: int
    metrics: dict[str, MetricPair]
    flips: Flips
    a_operations: Operations
    b_operations: Operations
    latency: Shift
    cost: Shift
    ids: dict[int, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Give the document of `reviewer compare`."""
        flips = self.flips
        return {
            "a": {"run": self.a.run, "scorer": self.a.scorer,
                  **self.a_operations.to_json()},
            "b": {"run": self.b.run, "scorer": self.b.scorer,
                  **self.b_operations.to_json()},
            "n": self.n,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "metrics": {name: pair.to_json() for name, pair in self.metrics.items()},
            "pass": {
                "n": flips.test.n,
                "rate_a": flips.a_rate,
                "rate_b": flips.b_rate,
                "difference": flips.test.difference,
                "interval": [flips.test.low, flips.test.high],
                "test": "McNemar",
                "p": flips.test.exact,
                "p_mid": flips.test.mid,
                "fixed": [self.ids[key] for key in flips.fixed],
                "broken": [self.ids[key] for key in flips.broken],
                "both_wrong": [self.ids[key] for key in flips.both_wrong],
                "reason": flips.reason,
            },
            "latency_ms": _shift(self.latency),
            "cost_usd": _shift(self.cost),
        }  # fmt: skip


def _shift(shift: Shift) -> dict[str, JsonValue]:
    return {
        "n": shift.n,
        "difference": shift.difference,
        "interval": [shift.low, shift.high],
        "p": shift.p,
    }


@dataclass(frozen=True, slots=True)
class _Columns:
    table: FigureTable
    cases: list[str]
    latency: Floats
    cost: Floats
    operations: Operations


def compare(
    session: Session,
    a: Side,
    b: Side,
    *,
    metrics: Sequence[str] = (),
    level: float = 0.95,
) -> Comparison:
    """Compare B with A, case by case.

    Raises:
        ReviewerError: A run, scorer or metric is not there, or the runs have different rubrics.
    """
    if a == b:
        raise ReviewerError("Both sides are the same; name two runs, or two judges.")
    rubric = covered(session.project, Scope(runs=(a.run,))).rubric
    other = covered(session.project, Scope(runs=(b.run,), metrics=tuple(metrics))).rubric
    if rubric.name != other.name:
        raise ReviewerError(
            f"{a.run} has the rubric {rubric.name} and {b.run} the rubric {other.name}; runs of "
            "one rubric can be compared."
        )
    first = _columns(session, a)
    second = first if a.run == b.run and a.scorer == b.scorer else _columns(session, b)
    places = {case: at for at, case in enumerate(first.cases)}
    shared = [(places[case], at) for at, case in enumerate(second.cases) if case in places]
    left = np.array([x for x, _ in shared], dtype=np.int64)
    right = np.array([x for _, x in shared], dtype=np.int64)
    flips = _flips(rubric, first.table, second.table, (left, right), level)
    named = (*flips.fixed, *flips.broken, *flips.both_wrong)
    return Comparison(
        a=a,
        b=b,
        rubric=rubric,
        n=len(shared),
        only_a=len(places) - len(set(left.tolist())),
        only_b=len(second.cases) - len(shared),
        metrics={
            metric.name: _metric(metric, first.table, second.table, (left, right), level)
            for metric in rubric.metrics
            if metric.is_numeric and (not metrics or metric.name in metrics)
        },
        flips=flips,
        a_operations=first.operations,
        b_operations=second.operations,
        latency=_paired(first.latency[left], second.latency[right], level),
        cost=_paired(first.cost[left], second.cost[right], level),
        ids={key: session.place(key)[1] for key in named},
    )


def _columns(session: Session, side: Side) -> _Columns:
    project = session.project
    scope = Scope(runs=(side.run,), scorer=side.scorer)
    found = covered(project, scope)
    table = figure_table.load(project, scope, rubric=found.rubric, within=found.within)
    cases = [str(x) for x in figures.read_groups(project, found.within, "case")]
    keys = table.keys.tolist()
    evaluations = []
    for start in range(0, len(keys), BLOCK):
        evaluations.extend(reading.evaluations(project.conn, keys[start : start + BLOCK]))
    return _Columns(
        table=table,
        cases=cases,
        latency=_numbers([x.latency_ms for x in evaluations]),
        cost=_numbers([x.cost_usd for x in evaluations]),
        operations=operations([case_of(x) for x in evaluations]),
    )


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if x is None else x for x in values], dtype=np.float64)


def _paired(a: Floats, b: Floats, level: float) -> Shift:
    differences = b - a
    return paired_shift(differences[np.isfinite(differences)], level)


def _metric(
    metric: Metric,
    a: FigureTable,
    b: FigureTable,
    shared: tuple[Ints, Ints],
    level: float,
) -> MetricPair:
    first, second = a.metrics[metric.name], b.metrics[metric.name]
    auto_a, auto_b = first.auto[shared[0]], second.auto[shared[1]]
    both: Flags = np.isfinite(auto_a) & np.isfinite(auto_b)
    differences = (auto_b - auto_a)[both]
    error_a = np.abs(first.human.score[shared[0]] - auto_a)
    error_b = np.abs(second.human.score[shared[1]] - auto_b)
    known: Flags = np.isfinite(error_a) & np.isfinite(error_b)
    return MetricPair(
        name=metric.name,
        a_scorer=first.scorer,
        b_scorer=second.scorer,
        a_mean=_mean(auto_a[both]),
        b_mean=_mean(auto_b[both]),
        shift=paired_shift(differences, level),
        ranks_p=signed_ranks(differences).p,
        errors=paired_shift((error_b - error_a)[known], level),
        a_error=_mean(error_a[known]),
        b_error=_mean(error_b[known]),
    )


def _mean(column: Floats) -> float | None:
    return float(column.mean()) if column.size else None


def _flips(
    rubric: Rubric,
    a: FigureTable,
    b: FigureTable,
    shared: tuple[Ints, Ints],
    level: float,
) -> Flips:
    reason = why_no_verdict(a)
    if reason is not None:
        nothing = mcnemar(0, lost=0, gained=0, level=level)
        return Flips(test=nothing, a_rate=None, b_rate=None, reason=reason)
    rule = verdict_rule(rubric)
    first = verdict_columns(a.autos(), rule)[shared[0]]
    second = verdict_columns(b.autos(), rule)[shared[1]]
    known = np.isin(first, (PASS, FAIL)) & np.isin(second, (PASS, FAIL))
    fixed = known & (first == FAIL) & (second == PASS)
    broken = known & (first == PASS) & (second == FAIL)
    wrong = known & (first == FAIL) & (second == FAIL)
    keys = b.keys[shared[1]]
    n = int(known.sum())
    return Flips(
        test=mcnemar(n, lost=int(broken.sum()), gained=int(fixed.sum()), level=level),
        a_rate=float((first[known] == PASS).mean()) if n else None,
        b_rate=float((second[known] == PASS).mean()) if n else None,
        fixed=tuple(keys[fixed].tolist()),
        broken=tuple(keys[broken].tolist()),
        both_wrong=tuple(keys[wrong].tolist()),
    )
