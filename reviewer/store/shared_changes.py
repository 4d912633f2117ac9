"""What became of evaluations after they came: exclusions, tags and other texts, by run and id."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reviewer.store import exclusions, tags
from reviewer.store.journal import Excluding, Tagging
from reviewer.store.project import Project
from reviewer.store.records import RecordReader
from reviewer.store.rows import Fields

Place = tuple[str, str]
_NAMED = "JOIN visible_evaluations e ON e.id = x.evaluation JOIN runs r ON r.id = e.run"


class Excluded(NamedTuple):
    """Why, by whom (the key of a person) and when an evaluation was excluded."""

    reason: str
    labeler: int | None
    at: str | None


def excluded(conn: sqlite3.Connection) -> dict[Place, Excluded]:
    """Give every exclusion."""
    rows = conn.execute(
        f"SELECT r.name, e.ext_id, x.reason, x.labeler, x.at FROM exclusions x {_NAMED}"
    )
    return {(run, name): Excluded(*rest) for run, name, *rest in rows}


def tagged(conn: sqlite3.Connection) -> dict[tuple[str, str, str], bool]:
    """Give every tag that was given (True) or taken since its record came."""
    rows = conn.execute(f"SELECT r.name, e.ext_id, x.tag, x.present FROM tag_changes x {_NAMED}")
    return {(run, name, tag): bool(present) for run, name, tag, present in rows}


def having(
    conn: sqlite3.Connection, asked: Iterable[tuple[str, str, str]]
) -> set[tuple[str, str, str]]:
    """Give those of some evaluations with a tag each that have it."""
    rows = conn.execute(
        "SELECT r.name, e.ext_id, x.tag FROM json_each(?) w "
        "CROSS JOIN runs r ON r.name = w.value ->> 0 "
        "CROSS JOIN evaluations e INDEXED BY evaluations_identity "
        "ON e.run = r.id AND e.ext_id = w.value ->> 1 "
        "CROSS JOIN tags x ON x.tag = w.value ->> 2 AND x.evaluation = e.id",
        (json.dumps(sorted(asked)),),
    )
    return {(run, name, tag) for run, name, tag in rows}


def apply(
    project: Project,
    conn: sqlite3.Connection,
    excluding: Mapping[int, Excluded | None],
    tagging: Iterable[tuple[int, str, bool]],
) -> None:
    """Exclude, include, tag and untag evaluations by key; call inside `Project.write`."""
    seq = project.next_seq()
    for key, what in excluding.items():
        exclusions.apply(conn, Excluding("", None, None, (key,), present=False), (key,), seq)
        if what is not None:
            exclusions.apply(conn, Excluding(*what, (key,)), (key,), seq)
    for key, tag, present in tagging:
        tags.apply(conn, Tagging(tag, (key,), present), (key,))
    conn.execute("UPDATE counters SET value = value + 1 WHERE name = 'bulk'")


def revised(conn: sqlite3.Connection) -> dict[Place, tuple[int, int]]:
    """Give key and revision of the evaluations whose text was replaced."""
    rows = conn.execute(
        "SELECT r.name, e.ext_id, e.id, e.revision FROM visible_evaluations e "
        "JOIN runs r ON r.id = e.run WHERE e.revision > 1"
    )
    return {(run, name): (key, revision) for run, name, key, revision in rows}


def earlier(conn: sqlite3.Connection, key: int) -> dict[int, Fields]:
    """Give the texts that stood in an evaluation's place before, by revision."""
    rows = conn.execute(
        "SELECT revision, body FROM evaluation_versions WHERE evaluation = ?", (key,)
    )
    return {revision: json.loads(body) for revision, body in rows}


def records(
    project: Project, keys: Mapping[int, str], wanted: Sequence[str]
) -> Iterator[tuple[int, Fields]]:
    """Give some fields of the records of evaluations, by key and run."""
    by_run: dict[str, list[int]] = {}
    for key, run in keys.items():
        by_run.setdefault(run, []).append(key)
    reader = RecordReader(project, keys=("id", *wanted))
    for run, some in by_run.items():
        for stored in reader.of_keys(some, run):
            yield stored.key, stored.fields
