"""Whose scores count in one run, metric by metric, and what naming another version changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric
from reviewer.domain.run import ScorerVersion
from reviewer.domain.scope import Scope
from reviewer.services.figures import record_words
from reviewer.services.figures.auto_columns import AutoScores, RunRecord
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.covered import covered
from reviewer.services.project import record
from reviewer.services.project.record import Change
from reviewer.services.project.session import Session, may_lead
from reviewer.store import figures, of_record, repeats, run_details
from reviewer.store.of_record import Kind

NOTHING = 0
"""The number of the log's entry where nothing stands."""


@dataclass(frozen=True, slots=True)
class MetricRecord:
    """Whose scores count for a metric in a run.

    Attributes:
        found: The version with its coverage, and what else scored the metric.
        entry: The number of the log's entry that stands, `NOTHING` where none does.
        kind: How that came: the first scores fixed it, a lead named it or took one back.
        repeated: Names of versions that scored an evaluation more than once.
    """

    metric: Metric
    found: RunRecord
    entry: int = NOTHING
    kind: Kind = "fixed"
    repeated: frozenset[str] = frozenset()

    @property
    def counting(self) -> str | None:
        """Give the full name of the version that counts, None where none does."""
        return None if self.found.version is None else self.found.version.name

    @property
    def versions(self) -> tuple[tuple[ScorerVersion, int], ...]:
        """Give every version that scored the metric, with how many, in the order of making."""
        mine = () if self.found.version is None else ((self.found.version, self.found.n),)
        both = (*mine, *self.found.not_counted)
        return tuple(sorted(both, key=lambda x: x[0].key))


@dataclass(frozen=True, slots=True)
class RunRecords:
    """Whose scores count in a run.

    Attributes:
        metrics: Those that anything scored, in the rubric's order.
        history: How it came to that, the oldest change first.
        may_lead: Whether the active labeler may name other versions.
    """

    run: str
    metrics: tuple[MetricRecord, ...]
    history: tuple[Change, ...]
    may_lead: bool

    def spread(self) -> dict[str, tuple[MetricRecord, ...]]:
        """Give by name of a version the metrics that it scored, where it could count for more.

        Versions that scored one metric, or count for all that they scored, are left out.
        """
        scored: dict[str, list[MetricRecord]] = {}
        for one in self.metrics:
            for version, _ in one.versions:
                scored.setdefault(version.name, []).append(one)
        return {
            name: tuple(mine)
            for name, mine in scored.items()
            if len(mine) > 1 and any(x.counting != name for x in mine)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A version that is to count.

    Attributes:
        version: Its full name.
        metrics: The log's entry that is believed to stand, by metric.
    """

    run: str
    version: str
    metrics: Mapping[str, int]
    with_repeats: bool = False


def of_run(session: Session, run: str) -> RunRecords:
    """Read whose scores count in a run; call it beside the window.

    Raises:
        ReviewerError: There is no such run (any more).
    """
    project, scope = session.project, Scope(runs=(run,))
    with figures.snapshot(project):
        key = run_details.run_key(project, run)
        if key is None:
            raise ReviewerError(
                f"The project has no run {run!r}; its import may have been undone."
            )
        whole = covered(project, scope)
        columns = memory_of(session).look(project)
        scores = AutoScores(columns, scope, columns.evaluations(scope, whole.within))
        standing = of_record.every(project.conn)
        repeated = repeats.repeated(project, key)
        found = []
        for metric in whole.rubric.metrics:
            number = scores.metric_keys.get(metric.name, -1)
            for one in scores.read(metric, number).records:
                kept = standing.get((key, number))
                found.append(
                    MetricRecord(
                        metric=metric,
                        found=one,
                        entry=kept.entry if kept else NOTHING,
                        kind=kept.kind if kept else "fixed",
                        repeated=_repeated(one, number, repeated),
                    )
                )
        return RunRecords(
            run=run,
            metrics=tuple(x for x in found if x.found.is_scored),
            history=tuple(x for x in record.history(session) if x.run == run),
            may_lead=may_lead(session) and not project.read_only,
        )


def name(session: Session, wish: Wish) -> str:
    """Let a version count, and say so with how many it scored; call it beside the window.

    Raises:
        ReviewerError: The version scored nothing there, or somebody named another one meanwhile.
        LabelError: The labeler may not decide that.
    """
    record.name(
        session,
        wish.version,
        runs=(wish.run,),
        metrics=tuple(wish.metrics),
        with_repeats=wish.with_repeats,
        expected={(wish.run, metric): entry for metric, entry in wish.metrics.items()},
    )
    found = of_run(session, wish.run).metrics
    now = told([x for x in found if x.metric.name in wish.metrics])
    return f"What counts now in {wish.run} is {now}. Undo brings back what counted before."


def told(found: Sequence[MetricRecord]) -> str:
    """Say whose scores count for metrics and on how many, the metrics of a version together."""
    return record_words.together([(x.metric.heading, x.found) for x in found])


def _repeated(
    found: RunRecord, number: int, repeated: frozenset[tuple[int, int]]
) -> frozenset[str]:
    mine = () if found.version is None else (found.version,)
    every = (*mine, *(version for version, _ in found.not_counted))
    return frozenset(x.name for x in every if (number, x.key) in repeated)
