"""Which part of the labelled evaluations each belongs to, and who looked at the held-out one."""

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from msgspec import Struct

from reviewer.domain.evaluation import Value, now_text
from reviewer.domain.judging import Part
from reviewer.store import labelers
from reviewer.store.project import Project
from reviewer.store.query import finds

_LABELLED = "c.turn = -1 AND c.kind IN ('label', 'adjudication') AND c.value IS NOT NULL"
_COUNTED = "SELECT evaluation FROM exclusions"
# a rehearsal may have undone it already
_DROP = "DROP TABLE IF EXISTS temp.splits"


class LabelledRow(NamedTuple):
    """One label of an evaluation, with what the evaluation is put into a part by."""

    evaluation: int
    run: int
    category: str
    metric: str
    value: Value
    decided: int


class Kin(NamedTuple):
    """What an evaluation may share with others: its test case and its conversation."""

    evaluation: int
    case: str
    cluster: str | None


class Look(Struct, frozen=True):
    """One look at the held-out figure of a judge version; names are None where it is gone."""

    at: str
    labeler: str | None
    judge: str | None
    metric: str | None
    run: str | None


def parts(conn: sqlite3.Connection) -> dict[int, Part]:
    """Give the part of every evaluation that has one."""
    return dict(conn.execute("SELECT evaluation, part FROM splits"))


def parts_of(conn: sqlite3.Connection, keys: Sequence[int]) -> dict[int, Part]:
    """Give the parts of some evaluations, without those that have none."""
    rows = conn.execute(
        "SELECT evaluation, part FROM splits WHERE evaluation IN (SELECT value FROM json_each(?))",
        ("[" + ",".join(map(str, keys)) + "]",),
    )
    return dict(rows)


def of_part(conn: sqlite3.Connection, part: Part) -> "array[int]":
    """Give the evaluations of a part, ascending."""
    rows = conn.execute("SELECT evaluation FROM splits WHERE part = ? ORDER BY 1", (part,))
    return array("q", (key for (key,) in rows))


def has_open(conn: sqlite3.Connection) -> bool:
    """Tell whether an evaluation is labelled and in no part yet."""
    return finds(
        conn,
        "SELECT 1 FROM current_labels c JOIN visible_evaluations v ON v.id = c.evaluation "
        f"WHERE {_LABELLED} AND c.evaluation NOT IN (SELECT evaluation FROM splits) "
        f"AND c.evaluation NOT IN ({_COUNTED}) LIMIT 1",
    )


def labelled(conn: sqlite3.Connection) -> Iterator[LabelledRow]:
    """Give every label that counts, by evaluation."""
    rows = conn.execute(
        "SELECT c.evaluation, v.run, ifnull(v.category, ''), m.name, c.value, c.decided "
        "FROM current_labels c JOIN visible_evaluations v ON v.id = c.evaluation "
        f"JOIN metrics m ON m.id = c.metric WHERE {_LABELLED} "
        f"AND c.evaluation NOT IN ({_COUNTED}) ORDER BY c.evaluation, c.metric"
    )
    return (LabelledRow(*row) for row in rows)


def kin(conn: sqlite3.Connection) -> Iterator[Kin]:
    """Give the case and the conversation of every evaluation."""
    rows = conn.execute(
        "SELECT id, coalesce(case_id, ext_id), CASE WHEN instr(extra, '\"cluster\"') > 0 "
        "AND json_valid(extra) THEN CAST(json_extract(extra, '$.cluster') AS TEXT) END "
        "FROM visible_evaluations"
    )
    return (Kin(*row) for row in rows)


def add(project: Project, rows: Iterable[tuple[int, Part]], *, beside: int) -> bool:
    """Put evaluations into parts, for ever.

    False, and nothing done, where there are not `beside` of them any more: somebody else divided
    meanwhile, and what is kin must not be torn apart.
    """
    with project.write() as conn:
        if conn.execute("SELECT count(*) FROM splits").fetchone()[0] != beside:
            return False
        # lists that were read by part are read anew
        project.next_seq()
        conn.executemany("INSERT OR IGNORE INTO splits(evaluation, part) VALUES (?, ?)", rows)
    return True


@contextmanager
def apart(project: Project) -> Iterator[None]:
    """Let this connection see parts of its own inside the block, which the file never gets.

    A temporary table hides the one of that name, for whatever reads it; so nobody is held up.
    """
    conn = project.conn
    conn.execute("CREATE TEMP TABLE splits(evaluation INTEGER PRIMARY KEY, part TEXT NOT NULL)")
    try:
        conn.execute("INSERT INTO temp.splits SELECT evaluation, part FROM main.splits")
        yield
    except BaseException:
        # nothing can be dropped while what failed is still being read; its session ends
        with suppress(sqlite3.OperationalError):
            conn.execute(_DROP)
        raise
    conn.execute(_DROP)


def is_apart(conn: sqlite3.Connection) -> bool:
    """Tell whether the parts are seen apart from the file."""
    return finds(conn, "SELECT 1 FROM temp.sqlite_master WHERE name = 'splits'")


def add_apart(conn: sqlite3.Connection, rows: Iterable[tuple[int, Part]]) -> None:
    """Put evaluations into parts for the rest of the block that sees them apart."""
    conn.execute(
        "INSERT INTO temp.splits SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') "
        "FROM json_each(?)",
        (json.dumps(list(rows)),),
    )


def labelled_counts(conn: sqlite3.Connection) -> dict[Part, int]:
    """Count the labelled evaluations of each part."""
    return dict(
        conn.execute(
            "SELECT s.part, count(*) FROM splits s JOIN visible_evaluations v "
            f"ON v.id = s.evaluation WHERE s.evaluation NOT IN ({_COUNTED}) AND EXISTS "
            f"(SELECT 1 FROM current_labels c WHERE c.evaluation = s.evaluation AND {_LABELLED}) "
            "GROUP BY s.part"
        )
    )


def shares_a_text(conn: sqlite3.Connection, evaluation: int) -> bool:
    """Tell whether a held-out evaluation has the same question or the same answer."""
    return finds(
        conn,
        "SELECT 1 FROM evaluations a, splits s JOIN evaluations b ON b.id = s.evaluation "
        "WHERE a.id = ? AND s.part = 'held_out' AND b.id <> a.id AND ("
        "(a.input <> '' AND b.input = a.input) OR (a.response <> '' AND b.response = a.response)) "
        "LIMIT 1",
        (evaluation,),
    )


def commented(conn: sqlite3.Connection, metric: int) -> Iterator[int]:
    """Give the evaluations of which somebody's present label on a metric says why."""
    rows = conn.execute(
        "SELECT c.evaluation FROM current_labels c JOIN labels l ON l.id = c.comment "
        f"WHERE c.metric = ? AND {_LABELLED} AND ifnull(l.comment, '') <> ''",
        (metric,),
    )
    return (key for (key,) in rows)


class Shown(NamedTuple):
    """A held-out figure: whose scores, on which metric and run, and in which state they are."""

    score_set: int
    metric: int
    run: int
    stamp: str


def looked(conn: sqlite3.Connection, metric: int, run: int) -> dict[int, str]:
    """Give, by score set, in which state its scores were looked at last."""
    return dict(
        conn.execute(
            "SELECT score_set, stamp FROM held_out_looks WHERE metric = ? AND run = ? ORDER BY id",
            (metric, run),
        )
    )


def add_looks(project: Project, shown: Iterable[Shown], labeler: str) -> None:
    """Record who sees which held-out figures now."""
    with project.write() as conn:
        who = labelers.ensure(conn, labeler) if labeler else None
        conn.executemany(
            "INSERT OR IGNORE INTO held_out_looks(at, labeler, score_set, metric, run, stamp) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [(now_text(), who, *figure) for figure in shown],
        )


def looks(conn: sqlite3.Connection, metric: int | None = None) -> tuple[Look, ...]:
    """Give every look at a held-out figure, of one metric or all, the oldest first."""
    rows = conn.execute(
        "SELECT k.at, p.name, b.scorer || ifnull('@' || b.version, ''), m.name, r.name "
        "FROM held_out_looks k LEFT JOIN score_sets b ON b.id = k.score_set "
        "LEFT JOIN metrics m ON m.id = k.metric LEFT JOIN runs r ON r.id = k.run "
        "LEFT JOIN labelers p ON p.id = k.labeler "
        "WHERE ?1 IS NULL OR k.metric = ?1 ORDER BY k.id",
        (metric,),
    )
    return tuple(Look(*row) for row in rows)
