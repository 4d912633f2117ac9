"""Name the scorer version of record, take that back, and tell whose scores count where."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.domain.change import EvaluationsChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import ScorerVersion
from reviewer.services.project.session import Session, require_lead
from reviewer.store import figures, journal, of_record
from reviewer.store.of_record import Record
from reviewer.store.scoping import Condition

ALL_RUNS = "all"


@dataclass(frozen=True, slots=True)
class Standing:
    """Whose scores count for a metric in a run, and what else scored it there.

    Attributes:
        version: None where nothing counts yet.
        by: Who named it, None where an import or a job fixed it.
        entry: The log's entry that says so, None without one.
        others: The other versions, in the order of their making.
    """

    run: str
    metric: str
    version: ScorerVersion | None
    with_repeats: bool = False
    by: str | None = None
    at: str | None = None
    entry: int | None = None
    others: tuple[ScorerVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the history: what came to count for a metric in a run, when and by whom."""

    run: str
    metric: str
    version: str | None
    kind: str
    by: str | None
    at: str
    with_repeats: bool = False


def standing(session: Session, runs: Sequence[str] = ()) -> tuple[Standing, ...]:
    """Tell by run and metric whose scores count; without runs of the newest one.

    Raises:
        ReviewerError: There is no such run.
    """
    project = session.project
    versions = {x.key: x for x in figures.scorer_versions(project)}
    records = of_record.every(project.conn)
    numbers = figures.metric_keys(project)
    found = []
    for key, name in _runs(session, runs):
        for metric in session.rubric_of_run(key).metrics:
            number = numbers.get(metric.name)
            if number is None:
                continue
            used = figures.score_sets_in_use(project, number, Condition("e.run = ?", (key,)))
            record = records.get((key, number))
            if used or record is not None:
                others = tuple(
                    versions[x] for x in used if record is None or x != record.score_set
                )
                found.append(_standing(name, metric.name, record, versions, others))
    return tuple(found)


def _standing(
    run: str,
    metric: str,
    record: Record | None,
    versions: Mapping[int, ScorerVersion],
    others: tuple[ScorerVersion, ...],
) -> Standing:
    if record is None:
        return Standing(run, metric, None, others=others)
    return Standing(
        run,
        metric,
        versions[record.score_set],
        with_repeats=record.with_repeats,
        by=record.labeler,
        at=record.at,
        entry=record.entry,
        others=others,
    )


def history(session: Session) -> tuple[Change, ...]:
    """Tell how every record came to what it is, the oldest change first."""
    project = session.project
    versions = {x.key: x.name for x in figures.scorer_versions(project)}
    metrics = {key: name for name, key in figures.metric_keys(project).items()}
    runs = {key: name for key, name, _ in figures.run_places(project)}
    return tuple(
        Change(
            run=runs.get(x.run, "a run that is gone"),
            metric=metrics.get(x.metric, ""),
            version=None if x.score_set is None else versions[x.score_set],
            kind=x.kind,
            by=x.labeler,
            at=x.at,
            with_repeats=x.with_repeats,
        )
        for x in of_record.history(project.conn)
    )


def name(
    session: Session,
    version: str,
    *,
    runs: Sequence[str] = (),
    metrics: Sequence[str] = (),
    with_repeats: bool = False,
    expected: Mapping[tuple[str, str], int | None] | None = None,
) -> str:
    """Let a version count for the metrics that it scored, and say so; one act of undo.

    Args:
        session: The open project.
        version: NAME, NAME@VERSION or the full name; it must mean one version.
        runs: Names; without any the newest run, `all` for every one.
        metrics: Ids; without any every metric that the version scored.
        with_repeats: Whether what it says again counts, too.
        expected: By run and metric the log's entry that is believed to stand.

    Raises:
        ReviewerError: The version scored nothing of it, its name means several, or somebody
            named another one meanwhile.
        LabelError: The labeler may not decide that.
    """
    require_lead(session, "name the version whose scores count")
    wanted = _wanted(session, version, runs=runs, metrics=metrics, with_repeats=with_repeats)
    return _keep(session, wanted, expected or {})


def name_of_job(session: Session, job: int, keys: Sequence[int]) -> str:
    """Let the scores of a job count in the runs that it worked on, and say so; one act of undo.

    Args:
        session: The open project.
        job: The number of the job.
        keys: The evaluations that it worked on.

    Raises:
        ReviewerError: It scored nothing.
        LabelError: The labeler may not decide that.
    """
    require_lead(session, "name the version whose scores count")
    places = of_record.scored_by_job(session.project.conn, job, keys)
    wanted = [
        Record(run=run, metric=metric, score_set=next(iter(counts)))
        for (run, metric), counts in places.items()
    ]
    if not wanted:
        raise ReviewerError(f"Job {job} scored nothing, so nothing of it can count.")
    return _keep(session, wanted, {})


def _keep(
    session: Session, wanted: Sequence[Record], known: Mapping[tuple[str, str], int | None]
) -> str:
    names = _names(session)
    with session.project.write() as conn:
        # whoever believes that something else stands is told who changed it
        changed = [one for one in wanted if known or not _is_named(session, one)]
        if not changed:
            return f"{_title(names, wanted)} already."
        mine, seq = session.my_key(), session.project.next_seq()
        parts = []
        for one in changed:
            place = (names.runs[one.run], names.metrics[one.metric])
            entry = of_record.name(
                session.project, one, labeler=mine, seq=seq, expected=known.get(place)
            )
            parts.append(
                journal.Naming(one.run, one.metric, one.score_set, one.with_repeats, entry)
            )
        title = _title(names, changed)
        journal.add(
            conn, labeler=mine, seq=session.project.next_seq(), kind="record", title=title,
            body=journal.Body(named=tuple(parts)),
        )  # fmt: skip
    session.publish(EvaluationsChanged(title))
    return f"{title}."


def _is_named(session: Session, wanted: Record) -> bool:
    """Tell whether somebody named just that, and it stands."""
    found = of_record.find(session.project.conn, wanted.run, wanted.metric)
    return (
        found is not None
        and found.kind == "named"
        and (found.score_set, found.with_repeats) == (wanted.score_set, wanted.with_repeats)
    )


def take_back(session: Session, *, runs: Sequence[str] = (), metrics: Sequence[str] = ()) -> str:
    """Let count again what counted before somebody named a version last, and say so.

    What was named for several metrics at once is taken back for all of them.

    Raises:
        ReviewerError: Nobody named a version there.
        LabelError: The labeler may not decide that.
    """
    require_lead(session, "take back whose scores count")
    project, names = session.project, _names(session)
    keys = {key for key, _ in _runs(session, runs or (ALL_RUNS,))}
    known = figures.metric_keys(project)
    _check_metrics(metrics, known)
    numbers = {known[x] for x in metrics} or set(known.values())
    with project.write() as conn:
        last = of_record.named_last(conn, keys, numbers)
        if not last:
            raise ReviewerError("Nobody named a version of record there, so nothing goes back.")
        for one in last:
            of_record.take_back(project, one.entry, labeler=session.my_key())
    said = "; ".join(
        f"{names.metrics[x.metric]} of {names.runs[x.run]}: {_now(session, x)}" for x in last
    )
    session.publish(EvaluationsChanged("Take back a version of record"))
    return f"{said}."


@dataclass(frozen=True, slots=True)
class _Names:
    runs: dict[int, str]
    metrics: dict[int, str]
    versions: dict[int, ScorerVersion]


def _names(session: Session) -> _Names:
    project = session.project
    return _Names(
        runs={key: name for key, name, _ in figures.run_places(project)},
        metrics={key: name for name, key in figures.metric_keys(project).items()},
        versions={x.key: x for x in figures.scorer_versions(project)},
    )


def _now(session: Session, before: Record) -> str:
    record = of_record.find(session.project.conn, before.run, before.metric)
    if record is None:
        return "nothing counts"
    name = _names(session).versions[record.score_set].name
    if record.with_repeats:
        return f"{name} counts with its repeats again"
    if before.with_repeats and before.score_set == record.score_set:
        return f"{name} counts without its repeats again"
    return f"{name} counts again"


def _runs(session: Session, wanted: Sequence[str]) -> list[tuple[int, str]]:
    places = [(key, name) for key, name, _ in figures.run_places(session.project)]
    known = {name for _, name in places}
    if not wanted:
        return places[-1:]
    if ALL_RUNS in wanted and ALL_RUNS not in known:
        return places
    for name in wanted:
        if name not in known:
            there = ", ".join(sorted(known)) or "none yet"
            raise ReviewerError(f"There is no run {name!r} in this project; there are: {there}.")
    return [place for place in places if place[1] in wanted]


def _wanted(
    session: Session,
    version: str,
    *,
    runs: Sequence[str],
    metrics: Sequence[str],
    with_repeats: bool,
) -> list[Record]:
    project = session.project
    versions = {x.key: x for x in figures.scorer_versions(project)}
    known = figures.metric_keys(project)
    _check_metrics(metrics, known)
    found: list[Record] = []
    there: dict[str, None] = {}
    for key, run in _runs(session, runs):
        for metric in metrics or tuple(session.rubric_of_run(key).by_name):
            number = known.get(metric, -1)
            used = figures.score_sets_in_use(project, number, Condition("e.run = ?", (key,)))
            there |= dict.fromkeys(versions[x].name for x in used)
            meant = _meant(version, [versions[x] for x in used])
            if meant is not None:
                found.append(
                    Record(run=key, metric=number, score_set=meant.key, with_repeats=with_repeats)
                )
            elif metrics:
                scored = ", ".join(versions[x].name for x in used) or "nothing"
                raise ReviewerError(
                    f"{version} scored no {metric} in the run {run}; it was scored by: {scored}."
                )
    if not found:
        scored = ", ".join(there) or "none"
        raise ReviewerError(f"No version {version!r} scored anything there; there are: {scored}.")
    return found


def _check_metrics(wanted: Iterable[str], known: Mapping[str, int]) -> None:
    for metric in wanted:
        if metric not in known:
            there = ", ".join(known) or "none"
            raise ReviewerError(f"No metric {metric!r} was scored; there are: {there}.")


def _meant(name: str, used: Sequence[ScorerVersion]) -> ScorerVersion | None:
    exact = [x for x in used if x.name == name]
    found = exact or [x for x in used if x.is_called(name)]
    if len(found) > 1:
        there = ", ".join(x.name for x in found)
        raise ReviewerError(f"{name} names several versions: {there}. Name one of them in full.")
    return found[0] if found else None


def _title(names: _Names, wanted: Sequence[Record]) -> str:
    version = ", ".join(dict.fromkeys(names.versions[x.score_set].name for x in wanted))
    verb = "count" if "," in version else "counts"
    metrics = ", ".join(dict.fromkeys(names.metrics[x.metric] for x in wanted))
    runs = ", ".join(dict.fromkeys(names.runs[x.run] for x in wanted))
    repeats = ", with its repeats" if wanted[0].with_repeats else ""
    return f"{version} {verb} for {metrics} of {runs}{repeats}"
