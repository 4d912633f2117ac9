"""Bring a project of format 1 to format 2.

Of the scores of a version the newest counted, now the first; whose scores counted was whoever
scored last, now it is a version of record. What that changes is said once, where the project tells
of its conversion.
"""

import json
import re
import sqlite3
from collections import defaultdict
from typing import Any, NamedTuple

from reviewer.domain import uids
from reviewer.domain.run import telling
from reviewer.domain.values import to_micros
from reviewer.store import counted_scores, entries_from_format_1, schema
from reviewer.store.packing import BOOK, dump

CONVERTED = "converted"
"""The setting that holds what the conversion changed, as a JSON list of sentences."""
LAST_JOB = "converted_jobs"
"""The setting that holds the number of the last job before it."""
_BEFORE = (
    "This project was made by an older version of Reviewer and was brought up to date; the file "
    "as it was lies beside it. What was done before can no longer be undone, and scores of jobs "
    "of before cannot be discarded singly."
)
_MOST_TOLD = 20
_MAKES = re.compile(r"CREATE (?:UNIQUE |VIRTUAL )?(?:TABLE|INDEX|VIEW) (\w+)")


def convert(conn: sqlite3.Connection) -> None:
    """Convert a file inside the transaction that is open; whoever calls keeps a copy of it."""
    # sqlite-utils brings numpy along: only for a file that is old
    from sqlite_utils import Database

    file = Database(conn, execute_plugins=False)
    file.table("_sqlite_migrations").drop(ignore=True)
    entries_from_format_1.convert(conn)
    scores = file.table("scores")
    for name in ("at_us", "job"):
        scores.add_column(name, int)
    _add_missing(conn)
    _date_scores(conn)
    _join_seeds(conn)
    _count_first(conn)
    _name_presets(conn)
    told = [_BEFORE, *_fix_records(conn)]
    # what is half applied goes on at the next opening, and is whole then
    conn.execute("UPDATE journal SET state = 'dropped' WHERE state IN ('done', 'undone')")
    last = conn.execute("SELECT ifnull(max(id), 0) FROM jobs").fetchone()[0]
    for setting, value in ((CONVERTED, json.dumps(told)), (LAST_JOB, str(last))):
        conn.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (setting, value))


def _name_presets(conn: sqlite3.Connection) -> None:
    """Let the rubric whose deviations were published go on being computed so."""
    conn.execute(
        "UPDATE rubric_versions SET body = json_set(body, '$.preset', 'published') "
        "WHERE json_extract(body, '$.name') = 'virtual-agent' "
        "AND json_extract(body, '$.preset') IS NULL"
    )


def _add_missing(conn: sqlite3.Connection) -> None:
    """Make the tables and indexes that this format adds."""
    there = {name for (name,) in conn.execute("SELECT name FROM sqlite_master")}
    for statement in schema.statements():
        made = _MAKES.match(statement)
        if made and made[1] not in there:
            conn.execute(statement)


def _date_scores(conn: sqlite3.Connection) -> None:
    """Keep times of scores as numbers, and date evaluations by themselves before their scores."""
    conn.create_function("micros", 1, to_micros, deterministic=True)
    conn.execute("UPDATE scores SET at_us = micros(at) WHERE at IS NOT NULL")
    conn.execute(
        "UPDATE evaluations SET dated = micros(occurred_at) "
        "WHERE occurred_at IS NOT NULL AND micros(evaluated_at) IS NULL "
        "AND micros(occurred_at) IS NOT NULL"
    )


def _join_seeds(conn: sqlite3.Connection) -> None:
    """Make one of the score sets that differ in nothing that makes a version."""
    joined: dict[tuple[Any, ...], int] = {}
    rows = conn.execute(
        "SELECT id, scorer, version, model, prompt_hash, parameters FROM score_sets ORDER BY id"
    ).fetchall()
    for key, *identity, parameters in rows:
        given = json.loads(parameters) if parameters else None
        kept = telling(given)
        if kept is not given:
            _keep_parameters(conn, key, given)
        made = None if kept is None else dump(kept)
        first = joined.setdefault((*identity, made), key)
        if first != key:
            _move_scores(conn, key, first)
            conn.execute("UPDATE held_out_looks SET score_set = ? WHERE score_set = ?",
                         (first, key))  # fmt: skip
            conn.execute("DELETE FROM score_sets WHERE id = ?", (key,))
        elif kept is not given:
            conn.execute("UPDATE score_sets SET parameters = ? WHERE id = ?", (made, key))


def _keep_parameters(conn: sqlite3.Connection, score_set: int, given: object) -> None:
    """Leave with each score what the set will no longer tell."""
    rows = conn.execute(
        "SELECT evaluation, metric, turn, ordinal, extra FROM scores WHERE score_set = ?",
        (score_set,),
    ).fetchall()
    for evaluation, metric, turn, ordinal, extra in rows:
        fields = json.loads(extra) if extra else {}
        book = fields.pop(BOOK, None)
        fields["parameters"] = given
        if book is not None:
            fields[BOOK] = book
        conn.execute(
            "UPDATE scores SET extra = ? WHERE evaluation = ? AND metric = ? AND score_set = ? "
            "AND turn = ? AND ordinal = ?",
            (dump(fields), evaluation, metric, score_set, turn, ordinal),
        )


def _move_scores(conn: sqlite3.Connection, score_set: int, to: int) -> None:
    """Put the scores of a set behind those of another."""
    groups = conn.execute(
        "SELECT evaluation, metric, turn, ifnull((SELECT max(o.ordinal) + 1 FROM scores o "
        "WHERE o.evaluation = s.evaluation AND o.metric = s.metric AND o.score_set = ? "
        "AND o.turn = s.turn), 0) FROM scores s WHERE score_set = ? "
        "GROUP BY evaluation, metric, turn",
        (to, score_set),
    ).fetchall()
    for evaluation, metric, turn, behind in groups:
        conn.execute(
            "UPDATE scores SET score_set = ?, ordinal = ordinal + ? WHERE evaluation = ? "
            "AND metric = ? AND score_set = ? AND turn = ?",
            (to, behind, evaluation, metric, score_set, turn),
        )


def _count_first(conn: sqlite3.Connection) -> None:
    groups = conn.execute(
        "SELECT DISTINCT evaluation, metric, score_set, turn FROM scores WHERE ordinal > 0"
    ).fetchall()
    for group in groups:
        counted_scores.mark_counted(conn, group)


class _Scored(NamedTuple):
    """How a score set scored a metric in a run."""

    score_set: int
    n: int
    newest: float
    mean: float | None
    status: str


def _fix_records(conn: sqlite3.Connection) -> list[str]:
    """Let the version count that stood as the auto score, and say where another one does."""
    rows = conn.execute(
        "SELECT e.run, s.metric, s.score_set, count(*), max(ifnull(julianday(s.at), 0)), "
        "avg(CASE WHEN typeof(s.value) <> 'text' THEN s.value END), b.status FROM scores s "
        "JOIN visible_evaluations e ON e.id = s.evaluation "
        "JOIN score_sets b ON b.id = s.score_set "
        "WHERE s.latest = 1 AND s.turn = -1 GROUP BY 1, 2, 3"
    )
    found: dict[tuple[int, int], list[_Scored]] = defaultdict(list)
    for run, metric, *rest in rows:
        found[run, metric].append(_Scored(*rest))
    changed = []
    for (run, metric), sets in found.items():
        stood = max(sets, key=lambda x: (x.status != "running", x.newest, x.score_set))
        whole = [x for x in sets if x.status != "running" and x.n == max(y.n for y in sets)]
        is_partial = stood.status == "running" or (
            stood.status != "imported" and stood not in whole
        )
        counts = stood if not is_partial else min(whole, default=None)
        if counts is not None:
            _record(conn, run, metric, counts.score_set)
        if counts is not stood:
            changed.append(_said(conn, run, metric, stood, counts))
    if len(changed) > _MOST_TOLD:
        rest = f"{len(changed) - _MOST_TOLD} more records changed so."
        changed = [*changed[:_MOST_TOLD], rest]
    return changed


def _record(conn: sqlite3.Connection, run: int, metric: int, score_set: int) -> None:
    words = (run, metric, score_set)
    seq = conn.execute(
        "UPDATE counters SET value = value + 1 WHERE name = 'seq' RETURNING value"
    ).fetchall()[0][0]
    names = conn.execute(
        "SELECT r.name, m.name FROM runs r, metrics m WHERE r.id = ? AND m.id = ?", words[:2]
    ).fetchone()
    entry = conn.execute(
        "INSERT INTO record_log(uid, seq, run, metric, score_set, kind, at) "
        "VALUES (?, ?, ?, ?, ?, 'fixed', strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) RETURNING id",
        (uids.of_content("record", *names, score_set), seq, *words),
    ).fetchall()[0][0]
    conn.execute(
        "INSERT INTO records(run, metric, score_set, entry) VALUES (?, ?, ?, ?)", (*words, entry)
    )


def _said(
    conn: sqlite3.Connection, run: int, metric: int, stood: _Scored, counts: _Scored | None
) -> str:
    run_name, metric_name = conn.execute(
        "SELECT r.name, m.name FROM runs r, metrics m WHERE r.id = ? AND m.id = ?", (run, metric)
    ).fetchone()
    before = f"{_name(conn, stood)} on {stood.n:,}{_mean(stood)}"
    if counts is None:
        return (
            f"{metric_name} of {run_name}: {before} came of a job that was stopped, so nothing "
            "counts until a job ends or a lead names a version."
        )
    return (
        f"{metric_name} of {run_name}: {before} stood for it and came of a job that was stopped "
        f"or partial; {_name(conn, counts)} on {counts.n:,}{_mean(counts)} counts now."
    )


def _mean(scored: _Scored) -> str:
    return "" if scored.mean is None else f" (mean {scored.mean:.2f})"


def _name(conn: sqlite3.Connection, scored: _Scored) -> str:
    scorer, version = conn.execute(
        "SELECT scorer, version FROM score_sets WHERE id = ?", (scored.score_set,)
    ).fetchone()
    return f"{scorer}@{version}" if version else str(scorer)
