"""Read what an export needs, run by run, in the order of arrival."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.store import packing, reading
from reviewer.store.project import Project
from reviewer.store.query import values_of
from reviewer.store.records import RecordReader, Stored
from reviewer.store.scoping import Condition, condition
from reviewer.store.unseen import shown_runs

_FILLED = " + ".join(
    f"((e.{name} IS NOT NULL) << {place})"
    for place, name in enumerate((*packing.COLUMN_NAMES, "nullif(turns, 0)"))
).replace("e.nullif(", "nullif(e.")
_PLAIN = f"SELECT min(e.id) {{chosen}} AND e.extra IS NULL GROUP BY {_FILLED}"
_PACKED = f"SELECT e.id, e.extra, {_FILLED} {{chosen}} AND e.extra IS NOT NULL ORDER BY e.id"
_AS_IS = """CASE WHEN instr(extra, '"as_is"') THEN
    ifnull(json_type(extra, '$."$".as_is.scorer'), '') || ' ' ||
    ifnull(json_type(extra, '$."$".as_is.scorer_version'), '') END"""
_GROUPS = {"scores": f"metric, score_set, {_AS_IS}", "labels": "metric, labeler"}
PART = 4096
_CHOSEN = "EXISTS (SELECT 1 {chosen} AND e.id = x.evaluation)"
_FIRST_ENTRIES = (
    f"SELECT evaluation FROM marks x WHERE {_CHOSEN} LIMIT 1",
    f"SELECT min(evaluation) FROM exclusions x WHERE {_CHOSEN}",
    f"SELECT min(evaluation) FROM tag_changes x WHERE present AND {_CHOSEN}",
)
_LABELLED = Condition("EXISTS (SELECT 1 FROM labels l WHERE l.evaluation = e.id)")


def _runs(project: Project, scope: Scope | None) -> list[tuple[int, str, int]]:
    """Give number, name and rubric of the runs in scope, in the order of their import."""
    rows = project.conn.execute(
        f"SELECT id, name, rubric FROM runs WHERE {shown_runs()} ORDER BY id"
    ).fetchall()
    if scope is None or not scope.runs:
        return rows
    known = {row[1] for row in rows}
    missing = [name for name in scope.runs if name not in known]
    if missing:
        there = ", ".join(sorted(known)) or "none yet"
        raise ReviewerError(f"There is no run {missing[0]!r} in this project; there are: {there}.")
    return [row for row in rows if row[1] in scope.runs]


def _within(scope: Scope | None, run: int) -> Condition | None:
    return None if scope is None else condition(scope, [run])


def stored_records(project: Project, scope: Scope | None) -> Iterator[Stored]:
    """Give the records of the runs in scope with their numbers.

    Raises:
        ReviewerError: The scope names a run that is not there.
    """
    reader = RecordReader(project)
    for key, name, ranks in _ranked_runs(project, scope):
        yield from reader.of_run((key, name), ranks, _within(scope, key))


def labelled_records(
    project: Project, scope: Scope | None, keys: Collection[str]
) -> Iterator[Stored]:
    """Give some keys of the records in scope that anybody labelled, with their numbers.

    Raises:
        ReviewerError: The scope names a run that is not there.
    """
    reader = RecordReader(project, keys=keys)
    for key, name, ranks in _ranked_runs(project, scope):
        within = _within(scope, key)
        labelled = (
            _LABELLED
            if within is None
            else Condition(f"{_LABELLED.sql} AND {within.sql}", within.parameters)
        )
        yield from reader.of_run((key, name), ranks, labelled)


def records_within(
    project: Project, runs: Sequence[str], within: Condition
) -> Iterator[dict[str, Any]]:
    """Give the records of some runs that a condition lets in."""
    reader = RecordReader(project)
    for key, name, ranks in _ranked_runs(project, Scope(runs=tuple(runs))):
        for stored in reader.of_run((key, name), ranks, within):
            yield stored.fields


def telling_records(project: Project, scope: Scope | None) -> Iterator[Stored]:
    """Give a few of the records in scope, in their order, that together need every column.

    Among them is the first record with each key, each metric of each scorer version and each
    metric of each labeler, so that columns in the order of first appearance come out the same.

    Raises:
        ReviewerError: The scope names a run that is not there.
    """
    reader = RecordReader(project)
    for key, name, ranks in _ranked_runs(project, scope):
        within = _within(scope, key)
        also = f" AND {within.sql}" if within else ""
        chosen = f"FROM visible_evaluations e WHERE e.run = ?{also}"
        values = (key, *(within.parameters if within else ()))
        telling = {
            first
            for query in (_PLAIN, *_FIRST_ENTRIES)
            for (first,) in project.conn.execute(query.format(chosen=chosen), values)
            if first is not None
        }
        for table in _GROUPS:
            telling.update(_first_grouped(project, table, chosen, values))
        telling |= _first_packed(project, chosen, values)
        yield from reader.of_keys(telling, name, ranks)


def _first_grouped(
    project: Project, table: str, chosen: str, values: tuple[Any, ...]
) -> Iterator[int]:
    """Give the first evaluation of each group of scores or labels, and some others.

    SQLite sorts what it groups, which takes longer than to find the parts with a new group.
    """
    source, group = f"FROM {table} WHERE evaluation IN (SELECT e.id {chosen}", _GROUPS[table]
    parts: dict[tuple[Any, ...], int] = {}
    for part, *key in project.conn.execute(
        f"SELECT DISTINCT evaluation / {PART}, {group} {source}) ORDER BY 1", values
    ):
        parts.setdefault(tuple(key), part)
    for part in set(parts.values()):
        yield from values_of(
            project.conn,
            f"SELECT min(evaluation) {source} AND e.id BETWEEN ? AND ?) GROUP BY {group}",
            (*values, part * PART, (part + 1) * PART - 1),
        )


def _first_packed(project: Project, chosen: str, values: tuple[Any, ...]) -> set[int]:
    """Give the first evaluation of every set of keys, of those with keys that have no column."""
    first: dict[tuple[Any, ...], int] = {}
    for key, extra, filled in project.conn.execute(_PACKED.format(chosen=chosen), values):
        rest = packing.opened(extra)
        book = rest.get(packing.BOOK) or {}
        kept = (*rest, *book.get("as_is", ()), None, *book.get("filled", ()))
        first.setdefault((filled, kept, tuple(stray[1] for stray in book.get("strays", ()))), key)
    return set(first.values())


def _ranked_runs(
    project: Project, scope: Scope | None
) -> Iterator[tuple[int, str, dict[str, int]]]:
    """Give number and name of the runs in scope and the places of their rubrics' metrics."""
    rubrics = reading.rubrics(project.conn)
    for key, name, rubric in _runs(project, scope):
        metrics = rubrics[rubric].metrics if rubric in rubrics else ()
        yield key, name, {metric.name: rank for rank, metric in enumerate(metrics)}


def count(project: Project, scope: Scope | None) -> int:
    """Count the evaluations in scope."""
    total = 0
    for key, _, _ in _runs(project, scope):
        within = _within(scope, key)
        also = f" AND {within.sql}" if within else ""
        total += project.conn.execute(
            f"SELECT count(*) FROM visible_evaluations e WHERE e.run = ?{also}",
            (key, *(within.parameters if within else ())),
        ).fetchone()[0]
    return total


def files(project: Project, scope: Scope | None) -> Iterator[tuple[str, str, int]]:
    """Give path, hash and number of every file that conversations in scope name.

    Raises:
        ReviewerError: The scope names a run that is not there.
    """
    for key, _, _ in _runs(project, scope):
        within = _within(scope, key)
        also = f" AND {within.sql}" if within else ""
        yield from project.conn.execute(
            "SELECT DISTINCT u.path, a.sha256, a.id FROM attachment_uses u "
            "JOIN attachments a ON a.id = u.attachment WHERE u.evaluation IN "
            f"(SELECT e.id FROM visible_evaluations e WHERE e.run = ?{also}) ORDER BY u.path",
            (key, *(within.parameters if within else ())),
        )


def file_content(project: Project, key: int) -> bytes:
    """Read a file by its number."""
    return bytes(
        project.conn.execute("SELECT content FROM attachments WHERE id = ?", (key,)).fetchone()[0]
    )
