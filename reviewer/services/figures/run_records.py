"""Whose scores count in each run, how that is said, and what naming another version changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope, ScorerVersion
from reviewer.services.figures import likeness
from reviewer.services.figures.auto_columns import AutoScores, RunRecord
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.request import covered
from reviewer.services.project import record
from reviewer.services.project.record import Change
from reviewer.services.project.session import Session, may_lead
from reviewer.store import figures, of_record, repeats, run_details
from reviewer.store.of_record import Kind

MOST_NAMED = 3
"""Runs that are told one by one; of more only how many there are."""


def coverage(found: RunRecord) -> str:
    """Say which version counts in a run and on how many, empty where none does."""
    if found.version is None or found.reason is not None:
        return ""
    return f"{_name(found)} on {span([found.n], found.of)}"


def not_counted(found: RunRecord) -> str:
    """Say what else scored there and on how many, empty where nothing did."""
    return ", ".join(f"{version.name} on {n:,}" for version, n in found.not_counted)


def span(counts: Sequence[int], of: int) -> str:
    """Say on how many of all, from the fewest to the most where counts differ."""
    low, high = min(counts), max(counts)
    return f"{low:,} of {of:,}" if low == high else f"{low:,} to {high:,} of {of:,}"


def together(found: Sequence[tuple[str, RunRecord]]) -> str:
    """Say whose scores count in a run, the metrics of a version together; empty for no metric.

    Args:
        found: Headings of metrics of one run, each with whose scores count for it.
    """
    alike: dict[str, list[tuple[str, RunRecord]]] = {}
    for heading, one in sorted(found, key=lambda x: not coverage(x[1])):
        alike.setdefault(_name(one), []).append((heading, one))
    is_single = len(alike) == 1 and len(found) > 1
    return "; ".join(
        _counting_for(name, mine, is_single=is_single) for name, mine in alike.items()
    )


def change_of(before: ScorerVersion | None, now: ScorerVersion | None) -> tuple[str, str] | None:
    """Say in short and whole how whoever judges changed, None where nothing did."""
    if before is None or now is None or before.key == now.key:
        return None
    kind = likeness.kind_of(before, now)
    if before.plain != now.plain:
        title = f"judge {now.plain}"
    else:
        title = f"model {now.model or 'unknown'}" if kind == "judge" else f"other {kind}"
    return title, f"{likeness.OTHER[kind]}: {before.name} → {now.name}"


def not_counting(records: Iterable[tuple[str, RunRecord]]) -> dict[str, list[str]]:
    """Give the metrics that other versions scored without counting, by how that is said."""
    found: dict[str, list[str]] = {}
    for metric, one in records:
        words = not_counted(one)
        if words:
            found.setdefault(f"{words} in {one.run}", []).append(metric)
    return found


def _counting_for(name: str, found: Sequence[tuple[str, RunRecord]], *, is_single: bool) -> str:
    one, headings = found[0][1], ", ".join(heading for heading, _ in found)
    metrics = "" if is_single else f" for {headings}"
    if not coverage(one):
        return f"nothing{metrics} ({one.reason})"
    return f"{name} on {span([x.n for _, x in found], one.of)}{metrics}"


def line(records: Sequence[RunRecord]) -> str:
    """Say of a metric's runs which version counts and on how many, and what does not count.

    Runs that one version covers are told together, others run by run; empty where nothing was
    scored.
    """
    scored = [x for x in records if x.is_scored]
    if not scored:
        return ""
    parts = [_counting(scored)]
    if not all(x.is_of_record for x in scored):
        parts.append("chosen here, not of record")
    rest = _left_out(scored)
    if rest:
        parts.append(f"not counted: {rest}")
    return "; ".join(parts)


def _counting(records: Sequence[RunRecord]) -> str:
    if len(records) == 1:
        return coverage(records[0]) or f"Nothing counts: {records[0].reason}"
    alike = {(x.version and x.version.key, x.with_repeats, x.reason) for x in records}
    if len(alike) == 1 and records[0].version is not None and records[0].reason is None:
        n, of = sum(x.n for x in records), sum(x.of for x in records)
        return f"{_name(records[0])} on {span([n], of)} in {len(records)} runs"
    told = [f"{coverage(x) or _name(x)} in {x.run}" for x in records[-MOST_NAMED:]]
    more = len(records) - len(told)
    rest = f"; {more} more {'run' if more == 1 else 'runs'}" if more else ""
    return f"{', '.join(told)}{rest}"


def _name(found: RunRecord) -> str:
    if found.version is None or found.reason is not None:
        return f"nothing ({found.reason})"
    return f"{found.version.name} with its repeats" if found.with_repeats else found.version.name


def _left_out(records: Sequence[RunRecord]) -> str:
    """Say what scored in these runs and does not count there."""
    counting = {None if x.version is None else x.version.key for x in records}
    if len(counting) > 1:
        # what is left out in one run may count in another
        told = [f"{not_counted(x)} in {x.run}" for x in records if x.not_counted]
        return ", ".join(told[-MOST_NAMED:])
    counts: dict[str, int] = {}
    for one in records:
        for version, n in one.not_counted:
            counts[version.name] = counts.get(version.name, 0) + n
    return ", ".join(f"{name} on {n:,}" for name, n in counts.items())


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
        return tuple(sorted((*mine, *self.found.not_counted), key=lambda x: x[0].key))


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
    now = versions_told(
        [x for x in of_run(session, wish.run).metrics if x.metric.name in wish.metrics]
    )
    return f"What counts now in {wish.run} is {now}. Undo brings back what counted before."


def versions_told(found: Sequence[MetricRecord]) -> str:
    """Say whose scores count for metrics and on how many, the metrics of a version together."""
    return together([(x.metric.heading, x.found) for x in found])


def _repeated(
    found: RunRecord, number: int, repeated: frozenset[tuple[int, int]]
) -> frozenset[str]:
    mine = () if found.version is None else (found.version,)
    every = (*mine, *(version for version, _ in found.not_counted))
    return frozenset(x.name for x in every if (number, x.key) in repeated)
