"""Work packages that were made here, and what counts in a project as they carry it: in names."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic_core import from_json

from reviewer.domain.evaluation import SelectionReason, Value
from reviewer.store import of_record
from reviewer.store.labelers import ensure, known
from reviewer.store.of_record import Record
from reviewer.store.project import Project
from reviewer.store.rows import Names
from reviewer.store.schema import MADE, WHOLE
from reviewer.store.scores import mark_run

Made = tuple[Value, str | None, int | None]
"""A value made of repeats, and its time as text and as a number."""
_SET = "SELECT scorer, version, model, prompt_hash, parameters FROM score_sets WHERE id = ?"
_IN_GROUP = f"evaluation = ? AND metric = ? AND score_set = ? AND turn = {WHOLE}"
_MADE = (
    "SELECT e.id, e.ext_id, s.value, s.at, s.at_us FROM evaluations e CROSS JOIN scores s "
    "ON s.evaluation = e.id AND s.metric = ? AND s.score_set = ? "
    f"AND s.turn = {WHOLE} AND s.ordinal = {MADE} WHERE e.run = ?"
)
_FIRST = (
    f"UPDATE scores SET latest = 1 WHERE {_IN_GROUP} AND ordinal = (SELECT min(ordinal) "
    f"FROM scores WHERE {_IN_GROUP} AND value IS NOT NULL "
    "AND ifnull(json_extract(extra, '$.error'), '') = '')"
)


class RecordCopy(NamedTuple):
    """Whose scores count for a metric in a run.

    Attributes:
        version: What makes it, as a record's score tells it.
        entry: Who named it and when, or that it was fixed.
        uid: The number that this entry has everywhere.
        made: By id of the evaluation, what counts instead of several values.
    """

    run: str
    metric: str
    version: dict[str, Any]
    entry: of_record.Entry
    uid: bytes
    with_repeats: bool
    made: dict[str, Made]


def read_record(project: Project, runs: Sequence[str]) -> list[RecordCopy]:
    """Give what counts in some runs."""
    conn = project.conn
    names = dict(conn.execute("SELECT id, name FROM runs"))
    metrics = dict(conn.execute("SELECT id, name FROM metrics"))
    return [
        _copy(conn, record, names[run], metrics[metric])
        for (run, metric), record in of_record.every(conn).items()
        if names[run] in runs
    ]


def _copy(conn: sqlite3.Connection, record: Record, run: str, metric: str) -> RecordCopy:
    entry = of_record.origin_of(conn, of_record.entry_of(conn, record.entry))
    (uid,) = conn.execute("SELECT uid FROM record_log WHERE id = ?", (entry.key,)).fetchone()
    rows = conn.execute(_MADE, (record.metric, record.score_set, record.run)).fetchall()
    made = {name: (value, at, micros) for _, name, value, at, micros in rows}
    return RecordCopy(
        run, metric, _version(conn, record.score_set), entry, bytes(uid), record.with_repeats, made
    )


def _version(conn: sqlite3.Connection, score_set: int) -> dict[str, Any]:
    scorer, version, model, prompt, parameters = conn.execute(_SET, (score_set,)).fetchone()
    return {
        "scorer": scorer,
        "scorer_version": version,
        "model": model,
        "prompt_hash": prompt,
        "parameters": None if parameters is None else from_json(parameters),
    }


def write_record(project: Project, copies: Sequence[RecordCopy]) -> None:
    """Let the same count in a file as where its evaluations are from, and nothing else."""
    names = Names(project)
    # names are looked up in transactions of their own
    places = [(names.metric(x.metric), names.score_set(x.version)) for x in copies]
    with project.write() as conn:
        runs = dict(conn.execute("SELECT name, id FROM runs"))
        conn.execute("DELETE FROM records")
        conn.execute("DELETE FROM record_log")
        for copied, (metric, score_set) in zip(copies, places, strict=True):
            run = runs[copied.run]
            _stand(project, copied, (run, metric, score_set))
            if copied.with_repeats:
                mark_run(conn, run, metric, score_set)
                _count_alike(conn, (run, metric, score_set), copied.made)


def follow_record(project: Project, copies: Sequence[RecordCopy]) -> None:
    """Let the same count as in another copy of the project, in the runs that are here."""
    names = Names(project)
    # names are looked up in transactions of their own
    places = [(names.metric(x.metric), names.score_set(x.version)) for x in copies]
    with project.write() as conn:
        runs = dict(conn.execute("SELECT name, id FROM runs"))
        for copied, (metric, score_set) in zip(copies, places, strict=True):
            entry = copied.entry
            if copied.run in runs:
                who = None if entry.labeler is None else known(conn, entry.labeler)
                wanted = of_record.Record(
                    run=runs[copied.run], metric=metric, score_set=score_set,
                    with_repeats=copied.with_repeats, kind=entry.kind, at=entry.at,
                )  # fmt: skip
                of_record.follow(project, wanted, copied.uid, who)


def _stand(project: Project, copied: RecordCopy, place: tuple[int, int, int]) -> None:
    conn, entry = project.conn, copied.entry
    who = None if entry.labeler is None else ensure(conn, entry.labeler)
    made = conn.execute(
        "INSERT INTO record_log(uid, seq, run, metric, score_set, with_repeats, kind, labeler, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (copied.uid, project.next_seq(), *place, copied.with_repeats, entry.kind, who, entry.at),
    ).fetchall()[0][0]
    conn.execute(
        "INSERT INTO records(run, metric, score_set, with_repeats, entry) VALUES (?, ?, ?, ?, ?)",
        (*place, copied.with_repeats, made),
    )


def _count_alike(
    conn: sqlite3.Connection, place: tuple[int, int, int], made: Mapping[str, Made]
) -> None:
    """Give repeats the value that they have there, where texts were replaced in between, too."""
    run, *rest = place
    for key, name, *_ in conn.execute(_MADE, (*rest, run)).fetchall():
        group = (key, *rest)
        if name in made:
            conn.execute(
                f"UPDATE scores SET value = ?, at = ?, at_us = ? WHERE {_IN_GROUP} "
                f"AND ordinal = {MADE}",
                (*made[name], *group),
            )
        else:
            conn.execute(f"DELETE FROM scores WHERE {_IN_GROUP} AND ordinal = {MADE}", group)
            conn.execute(_FIRST, (*group, *group))


class Draw(NamedTuple):
    """How an evaluation of a package was drawn."""

    run: str
    id: str
    reason: SelectionReason
    chance: float | None


class MadePackage(NamedTuple):
    """A work package; `queue_made` tells its queue from a later one with the same key."""

    id: str
    labeler: int
    queue: int
    queue_made: str
    made_at: str
    draws: tuple[Draw, ...]


def add(conn: sqlite3.Connection, made: MadePackage) -> None:
    """Remember a package; call inside `Project.write`."""
    conn.execute(
        "INSERT INTO packages(id, labeler, queue, queue_made, made_at, draws) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (*made[:5], json.dumps(made.draws, ensure_ascii=False)),
    )


def find(conn: sqlite3.Connection, name: str) -> MadePackage | None:
    """Give a package by its id; None where this file does not know it, as after a restore."""
    row = conn.execute(
        "SELECT id, labeler, queue, queue_made, made_at, draws FROM packages WHERE id = ?", (name,)
    ).fetchone()
    if row is None:
        return None
    name, labeler, queue, queue_made, made_at, text = row
    draws = tuple(Draw(*one) for one in json.loads(text))
    return MadePackage(name, labeler, queue, queue_made, made_at, draws)
