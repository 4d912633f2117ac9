"""What checks stand on: the columns of a scope, their figures, and what they are to cover."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from msgspec.structs import replace as narrowed

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Job, JobPlan
from reviewer.domain.run import Scope
from reviewer.reports.report import with_pass_mark
from reviewer.scoring.judging.prechecks import excluded
from reviewer.services.calls import selecting
from reviewer.services.checks.check import Check, Limits
from reviewer.services.figures import statistics
from reviewer.services.figures.figure_table import FigureTable, Loader, under
from reviewer.services.figures.human_columns import Flags
from reviewer.services.figures.request import Covered, choices, covered
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.figures.statistics_gaps import Frame
from reviewer.services.project.session import Session
from reviewer.services.reporting import making
from reviewer.services.reporting.cases import with_sets
from reviewer.stats.satisfaction import OverallRule
from reviewer.store import figures, jobs, monitors, reading
from reviewer.store.scoping import among

LAST = "last"


@dataclass(frozen=True, slots=True)
class Planned:
    """What jobs that were asked for together were to score.

    Attributes:
        runs: The runs of their evaluations.
        keys: The evaluations.
        sets: The score sets that they filled, by metric.
    """

    runs: tuple[str, ...]
    keys: tuple[int, ...]
    sets: Mapping[str, int]


def planned(session: Session, text: str) -> Planned:
    """Give what a job planned, by its number, or the newest one and those asked for with it.

    Raises:
        ReviewerError: There is no such job, or it scores nothing.
    """
    conn = session.project.conn
    found = [job.key for job in _jobs(session, text) if job.kind != "bot"]
    if not found:
        raise ReviewerError(f"--evaluated {text}: no job has scored anything there.")
    sets, plan = making.sets_of(session.project, found), jobs.plan(conn, found[0])
    keys = making.planned(session, plan.selection, sets)
    return Planned(_runs(session, plan), tuple(sorted(keys)), sets)


def _jobs(session: Session, text: str) -> tuple[Job, ...]:
    conn = session.project.conn
    if text == LAST:
        newest = jobs.every(conn)[:1]
        return (*newest, *(other for job in newest for other in jobs.sharing(conn, job.key)))
    if not (text.isascii() and text.isdigit()):
        raise ReviewerError(f"--evaluated {text!r}: the number of a job, or last, is expected.")
    job = jobs.get(conn, int(text))
    return jobs.after(conn, job.key) if job.kind == "bot" else (job,)


def _runs(session: Session, plan: JobPlan) -> tuple[str, ...]:
    if plan.selection.keys is None:
        return selecting.runs_of(session, plan.selection)[0]
    named = figures.read_groups(session.project, monitors.among(plan.selection.keys), "run")
    return tuple(dict.fromkeys(name for name in named if name is not None))


_AT_ONCE = 400


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A scope with its figures, as `stats` gives them.

    Attributes:
        sampled: Shape (n,), false where the run is sampled and no sample holds the evaluation.
        judged: Shape (n,), false where the rubric keeps judges from an evaluation.
        sets: The score sets that the job filled to which the checks are bound, by metric.
    """

    scope: Scope
    covers: Covered
    table: FigureTable
    document: StatsDocument
    sampled: Flags
    judged: Flags
    sets: Mapping[str, int] = field(default_factory=dict)

    def coverage(self, scored: Flags) -> float | None:
        """Give the share that is scored of what is to be scored, None of nothing."""
        wanted = self.sampled & (self.judged | scored)
        n = int(np.count_nonzero(wanted))
        return int(np.count_nonzero(wanted & scored)) / n if n else None

    def coverage_of(self, metric: str) -> float | None:
        """Give the share of evaluations with an auto score of a metric."""
        return self.coverage(self.table.metrics[metric].has_auto)

    def coverage_of_parts(self, rule: OverallRule) -> float | None:
        """Give the share of evaluations on which every part of a verdict or overall is scored.

        One failure is a verdict, and an overall is made of the parts there are: neither makes
        half of a run the whole. What nothing in the run scores is no part.
        """
        counted = [x for x in rule.parts if x.weight or rule.passing == "every"]
        parts = [self.table.metrics[x.name] for x in counted]
        there = [x.has_auto for x in parts if x.scorer is not None]
        if not there:
            return self.coverage(np.zeros(self.table.keys.size, dtype=np.bool_))
        return self.coverage(np.logical_and.reduce(there))

    def bound(self, check: Check, of: str | OverallRule, limits: Limits) -> Check:
        """Let a check fail where the job scored too little of what it planned.

        A mean of what was scored of a plan is none of the plan. What the job was not asked for
        keeps its record, and is not bound.

        Args:
            check: of one metric, or of verdict or overall.
            of: the metric, or the parts.
            limits: with the least share that must be scored.
        """
        names = {of} if isinstance(of, str) else {part.name for part in of.parts}
        if names.isdisjoint(self.sets):
            return check
        share = self.coverage_of(of) if isinstance(of, str) else self.coverage_of_parts(of)
        return check.covering(share, limits.coverage)

    def judges_of_verdicts(self) -> str:
        """Name whose scores make the verdicts."""
        parts = [self.table.metrics[part.name] for part in self.table.verdict_rule.parts]
        return ", ".join(dict.fromkeys(x.scorer for x in parts if x.scorer is not None))


def ground(session: Session, scope: Scope, limits: Limits) -> Ground:
    """Read what is checked, bound to a job's plan and by another pass mark where these are named.

    Raises:
        ReviewerError: The scope, the job or the pass mark do not fit the project.
    """
    project = session.project
    job = None if limits.evaluated is None else planned(session, limits.evaluated)
    if job is not None:
        scope = _bound(scope, job, limits)
    with figures.snapshot(project):
        covers = covered(project, scope)
        if job is not None:
            covers = replace(covers, within=among(covers.within, job.keys))
        chosen = choices(project, scope, covers.rubric)
        table = Loader(project).load(
            scope,
            rubric=covers.rubric,
            within=covers.within,
            options=chosen.options,
        )
        if job is not None:
            # the version of record gives way to what the job brought, for its metrics alone
            table = with_sets(project, table, job.sets)
        table = under(table, with_pass_mark(covers.rubric, limits.passing), chosen.options)
        request = StatsRequest(scope=scope)
        return Ground(
            scope=scope,
            covers=covers,
            table=table,
            document=statistics.of_frame(project, request, covers, Frame(table, chosen)),
            sampled=~np.isin(table.keys, monitors.beyond_samples(project, covers.within)),
            judged=_judged(session, table),
            sets={} if job is None else job.sets,
        )


def _bound(scope: Scope, job: Planned, limits: Limits) -> Scope:
    others = [name for name in scope.runs if name not in job.runs]
    if others:
        raise ReviewerError(
            f"--evaluated {limits.evaluated}: it evaluated {', '.join(job.runs)}, not {others[0]}."
        )
    return narrowed(scope, runs=scope.runs or job.runs, every_run=False)


def _judged(session: Session, table: FigureTable) -> Flags:
    """Tell what judges are not kept from; only what has no score at all is looked at."""
    found = np.ones(table.keys.size, dtype=np.bool_)
    if not table.rubric.exclusions:
        return found
    scored = np.logical_or.reduce([x.has_auto for x in table.metrics.values()])
    found[np.isin(table.keys, list(_excluded(session, table, ~scored)))] = False
    return found


def _excluded(session: Session, table: FigureTable, wanted: Flags) -> Iterator[int]:
    keys = table.keys[wanted].tolist()
    for start in range(0, len(keys), _AT_ONCE):
        for evaluation in reading.evaluations(
            session.project.conn, keys[start : start + _AT_ONCE]
        ):
            if excluded(table.rubric, evaluation) is not None:
                yield evaluation.key
