"""Two sides in columns with the cases they share, what a comparison found, and its document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import JsonValue

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.reports.cases import Operations, operations
from reviewer.services.figures import likeness
from reviewer.services.figures.column_memory import ColumnMemory, HeldBack
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, Loader
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.likeness import MadeBy
from reviewer.services.figures.paired_scores import (
    ALONE,
    SharedCases,
    Together,
    same_cases,
    shared_cases,
)
from reviewer.services.figures.request import Covered, covered
from reviewer.services.figures.statistics_blocks import Staleness
from reviewer.stats.drift import SystemChange
from reviewer.stats.paired import Shift, paired_shift
from reviewer.stats.paired_shares import McNemar
from reviewer.store import evaluation_columns
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True)
class Side:
    """One side: a run, and whose auto scores count (None: those of record)."""

    run: str
    scorer: str | None = None

    @property
    def title(self) -> str:
        """Name it in a heading."""
        return f"{self.run} · {self.scorer}" if self.scorer else self.run


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads sides of one project; what is on both sides is read once.

    Attributes:
        memory: What was read before, for as long as a project is open.
        held: Answers that count nowhere yet.
        go_on: Called now and then; it may raise to stop reading.
    """

    project: Project
    memory: ColumnMemory = field(default_factory=ColumnMemory)
    held: HeldBack | None = None
    go_on: Callable[[], None] = lambda: None
    _sides: dict[Side, "SideColumns"] = field(default_factory=dict)
    _runs: dict[str, "RunColumns"] = field(default_factory=dict)

    def read(self, side: Side, metrics: Sequence[str] = ()) -> "SideColumns":
        """Read a side's scores and labels.

        Raises:
            ReviewerError: The run, scorer or a metric is not there.
        """
        scope = Scope(
            runs=(side.run,), scorer=side.scorer, only_scorer=True, metrics=tuple(metrics)
        )
        found = covered(self.project, scope)
        if side not in self._sides:
            self.go_on()
            table = Loader(self.project, self.memory).load(
                scope,
                rubric=found.rubric,
                within=found.within,
                options=kept_options(self.project, found.rubric),
                held=self.held,
            )
            makers = likeness.made_by(self.project, found, table)
            self._sides[side] = SideColumns(side, found, table, makers)
        return self._sides[side]

    def cases(self, one: "SideColumns") -> list[str]:
        """Read which case each evaluation of a side answers, in the order of its keys."""
        wanted = one.table.keys
        run, n = one.side.run, int(wanted.size)
        found, names = evaluation_columns.read_cases(self.project, run, n, self.go_on)
        if not np.isin(wanted, np.array(found, dtype=np.int64)).all():
            # evaluations that do not count name their cases, and some that do name none
            n = len(found) + 1
            found, names = evaluation_columns.read_cases(self.project, run, n, self.go_on)
        keys = np.array(found, dtype=np.int64)
        order = np.argsort(keys, kind="stable")
        return [
            names[at] for at in order[np.isin(keys[order], wanted, assume_unique=True)].tolist()
        ]

    def run(self, one: "SideColumns") -> "RunColumns":
        """Read how the responses of a side came about."""
        name = one.side.run
        if name not in self._runs:
            self._runs[name] = run_columns(self.project, one.covered, self.go_on)
        return self._runs[name]


@dataclass(frozen=True, slots=True, eq=False)
class RunColumns:
    """How a run's responses came about, in the order of their keys.

    Attributes:
        latency, cost: In milliseconds and dollars, NaN where unknown.
    """

    latency: Floats
    cost: Floats
    operations: Operations


@dataclass(frozen=True, slots=True, eq=False)
class SideColumns:
    """One side, read.

    Attributes:
        made_by: Whose scores count, by metric.
    """

    side: Side
    covered: Covered
    table: FigureTable
    made_by: Mapping[str, MadeBy]

    @property
    def rubric(self) -> Rubric:
        """Give the rubric of the run."""
        return self.covered.rubric

    def overall(self) -> Floats | None:
        """Give the judge's overall of each evaluation, None where no metric takes part."""
        return self.table.auto_overall() if self.table.overall_rule.parts else None


def paired(reader: Reader, before: SideColumns, after: SideColumns) -> SharedCases:
    """Find the shared cases of two sides.

    Raises:
        ReviewerError: The runs have different rubrics.
    """
    if before.rubric.name != after.rubric.name:
        raise ReviewerError(
            f"{before.side.run} has the rubric {before.rubric.name} and {after.side.run} the "
            f"rubric {after.rubric.name}; runs of one rubric can be compared."
        )
    if before.side.run == after.side.run:
        return same_cases(int(before.table.keys.size), after.table.clusters)
    return shared_cases(
        reader.cases(before),
        reader.cases(after),
        (before.table.clusters, after.table.clusters),
    )


def run_columns(
    project: Project, found: Covered, go_on: Callable[[], None] = lambda: None
) -> RunColumns:
    """Read how the responses of a scope came about."""
    columns: list[list[object]] = [[], [], [], [], []]
    for block in evaluation_columns.read_operating(project, found.within, go_on):
        for column, part in zip(columns, block, strict=True):
            column.extend(part)
    latencies, costs = (
        [x if isinstance(x, int | float) else None for x in column] for column in columns[:2]
    )
    return RunColumns(
        latency=np.array(latencies, dtype=np.float64),
        cost=np.array(costs, dtype=np.float64),
        operations=operations(latencies, costs, *columns[2:]),
    )


NO_FLOATS: Floats = np.zeros(0)
NO_SHIFT = paired_shift(NO_FLOATS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """What passes on one side only; keys are evaluations of the side after.

    Attributes:
        fixed: Failing before and passing after.
        broken: Passing before and failing after.
        both_wrong: Failing on both sides.
        reason: Why there is no verdict.
    """

    test: McNemar
    before_rate: float | None
    after_rate: float | None
    fixed: tuple[int, ...] = ()
    broken: tuple[int, ...] = ()
    both_wrong: tuple[int, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverallPair:
    """The judge's overall on both sides, over the cases that have one on both.

    Attributes:
        shift: After minus before, with the test that its interval inverts.
    """

    before_mean: float | None
    after_mean: float | None
    shift: Shift

    def to_json(self) -> dict[str, JsonValue]:
        """Give the fields that the command line prints."""
        return {
            "n": self.shift.n,
            "mean_a": self.before_mean,
            "mean_b": self.after_mean,
            "difference": self.shift.difference,
            **tested(self.shift),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricPair(OverallPair):
    """One metric on both sides, over the cases with a score on both.

    Attributes:
        ranks_p: Of Wilcoxon's signed ranks, which count for nothing here; of conversations' means
            where cases share them.
        errors: Of the cases that people scored: |human − auto| after minus that before; below 0
            the side after is nearer to people.
        before_error, after_error: Mean |human − auto|.
        values: Scores of the shared cases before and after, NaN where there is none.
        flips: By the metric's own pass mark.
        moved: Evaluations of the side after whose score differs, the largest difference first.
        judge: The change on answers that are the same to the byte, which only a judge can make;
            None before it was looked for, and where both sides are one run.
        system: What is left of the change for the system; None where it cannot be told.
        unlike: Why a difference is neither better nor worse, as the sides were not scored alike:
            `another judge: deepseek-chat@v3 → vllm@2`; empty where they were.
    """

    metric: Metric
    before_scorer: str | None
    after_scorer: str | None
    ranks_p: float | None
    errors: Shift
    before_error: float | None
    after_error: float | None
    flips: Flips
    values: tuple[Floats, Floats]
    moved: tuple[int, ...] = ()
    judge: Shift | None = None
    system: SystemChange | None = None
    unlike: str = ""

    def to_json(self) -> dict[str, JsonValue]:
        """Give the fields that the command line prints."""
        return {
            "n": self.shift.n,
            "scorer_a": self.before_scorer,
            "scorer_b": self.after_scorer,
            "unlike": self.unlike or None,
            "mean_a": self.before_mean,
            "mean_b": self.after_mean,
            "difference": self.shift.difference,
            **tested(self.shift),
            "p_signed_ranks": self.ranks_p,
            "judge": None if self.judge is None else _shift(self.judge),
            "system": None if self.system is None else {
                "difference": self.system.system,
                "interval": [self.system.low, self.system.high],
                "p": self.system.p,
                "reason": self.system.reason,
            },
            "people": {
                "n": self.errors.n,
                "error_a": self.before_error,
                "error_b": self.after_error,
                "difference": self.errors.difference,
                **tested(self.errors),
            },
            "pass": {
                "n": self.flips.test.n,
                "rate_a": self.flips.before_rate,
                "rate_b": self.flips.after_rate,
                "fixed": len(self.flips.fixed),
                "broken": len(self.flips.broken),
                "both_wrong": len(self.flips.both_wrong),
                "difference": self.flips.test.difference,
                **tested(self.flips.test),
                "reason": self.flips.reason or self.flips.test.reason,
            },
        }  # fmt: skip


def tested(found: Shift | McNemar) -> dict[str, JsonValue]:
    """Give interval and test of a difference, which are one, with its level and its clusters."""
    return {
        "interval": [found.low, found.high],
        "level": found.level,
        "test": found.test,
        "p": found.p,
        "conversations": found.conversations,
        "reason": found.reason,
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """Everything that two sides can be told apart by.

    Attributes:
        n: Cases that are on both sides.
        only_before, only_after: Cases that are on one side only.
        before_operations, after_operations: How the responses came about; None before it was
            read.
        latencies: Known latencies before and after, in milliseconds.
        ids: The ids of the evaluations that `flips` names.
        stale: What lags behind on either side, with the side's letter, `a` or `b`.
        keys: Keys of the shared cases before and after, in one order.
        clusters: What shared cases belong together; None where each is its own.
        overall: None where the rubric has no overall.
        scores: The level of metrics, overall and pass rate, which are told together.
        people: The level of distances from people, by metric.
        unlike: Why overall and pass rate are neither better nor worse; empty where they may be.
    """

    before: Side
    after: Side
    rubric: Rubric
    n: int
    only_before: int
    only_after: int
    metrics: dict[str, MetricPair]
    flips: Flips
    level: float
    keys: tuple[Ints, Ints]
    clusters: Ints | None = None
    overall: OverallPair | None = None
    scores: Together = ALONE
    people: Together = ALONE
    unlike: str = ""
    before_operations: Operations | None = None
    after_operations: Operations | None = None
    latencies: tuple[Floats, Floats] = (NO_FLOATS, NO_FLOATS)
    latency: Shift = NO_SHIFT
    cost: Shift = NO_SHIFT
    ids: dict[int, str] = field(default_factory=dict)
    stale: tuple[tuple[str, Staleness], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Give the document of `reviewer compare`."""
        flips = self.flips
        return {
            "a": _side(self.before, self.before_operations),
            "b": _side(self.after, self.after_operations),
            "n": self.n,
            "only_a": self.only_before,
            "only_b": self.only_after,
            "stale": [
                {"side": side, **x.to_json()}
                for side, x in self.stale
            ],
            "unlike": self.unlike or None,
            "level": self.level,
            "together": {"figures": self.scores.figures, "level_each": self.scores.each},
            "conversations": conversations_of(self),
            "metrics": {name: pair.to_json() for name, pair in self.metrics.items()},
            "overall": None if self.overall is None else self.overall.to_json(),
            "pass": {
                "n": flips.test.n,
                "rate_a": flips.before_rate,
                "rate_b": flips.after_rate,
                "difference": flips.test.difference,
                **tested(flips.test),
                "p_mid": flips.test.mid,
                "p_exact": flips.test.exact,
                "fixed": [self.ids[key] for key in flips.fixed],
                "broken": [self.ids[key] for key in flips.broken],
                "both_wrong": [self.ids[key] for key in flips.both_wrong],
                "reason": flips.reason or flips.test.reason,
            },
            "latency_ms": _shift(self.latency),
            "cost_usd": _shift(self.cost),
        }  # fmt: skip


def _side(side: Side, operations: Operations | None) -> dict[str, JsonValue]:
    known = operations.to_json() if operations is not None else {}
    return {"run": side.run, "scorer": side.scorer, **known}


def _shift(shift: Shift) -> dict[str, JsonValue]:
    return {
        "n": shift.n,
        "difference": shift.difference,
        **tested(shift),
    }


def conversations_of(found: Comparison) -> int | None:
    """Count the conversations that the shared cases come from; None where each is its own."""
    if found.clusters is None:
        return None
    count = int(np.unique(found.clusters).size)
    return None if count == found.n else count
