"""The sides of a comparison in columns, and which of their cases belong together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.reports.operations import FAST_BELOW_MS, LatencyFigures, Operations, template_rates
from reviewer.services.figures.column_memory import ColumnMemory
from reviewer.services.figures.covered import Covered, covered
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, Loader
from reviewer.services.figures.human_columns import Floats
from reviewer.services.figures.paired_scores import SharedCases, same_cases, shared_cases
from reviewer.services.figures.people_columns import HeldBack
from reviewer.stats.quantities import known
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


def _nothing() -> None:
    """Go on."""


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
    go_on: Callable[[], None] = _nothing
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
            self._sides[side] = SideColumns(side, found, table)
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
        there = np.isin(keys[order], wanted, assume_unique=True)
        return [names[at] for at in order[there].tolist()]

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
    """One side, read."""

    side: Side
    covered: Covered
    table: FigureTable

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
    project: Project, found: Covered, go_on: Callable[[], None] = _nothing
) -> RunColumns:
    """Read how the responses of a scope came about."""
    columns: list[list[object]] = [[], [], [], [], []]
    for block in evaluation_columns.read_operating(project, found.within, go_on):
        for column, part in zip(columns, block, strict=True):
            column.extend(part)
    latencies, costs = (
        np.array([x if isinstance(x, int | float) else None for x in column], dtype=np.float64)
        for column in columns[:2]
    )
    caches, paid = np.array([str(x) for x in columns[2]], dtype=np.str_), known(costs)
    return RunColumns(
        latency=latencies,
        cost=costs,
        operations=Operations(
            latency_figures(known(latencies)),
            latency_figures(known(latencies[caches == "warm"])),
            latency_figures(known(latencies[caches == "cold"])),
            float(paid.sum()) if paid.size else None,
            float(paid.mean()) if paid.size else None,
            int(paid.size),
            *template_rates(*columns[3:]),
        ),
    )


def latency_figures(latencies: Floats) -> LatencyFigures:
    """Work out the figures of latencies in milliseconds; percentiles are linear."""
    if not latencies.size:
        return LatencyFigures(0, None, None, None, None, None)
    p50, p95, p99 = (float(x) for x in np.percentile(latencies, (50, 95, 99)))
    fast = float((latencies < FAST_BELOW_MS).mean())
    return LatencyFigures(int(latencies.size), float(latencies.mean()), p50, p95, p99, fast)
