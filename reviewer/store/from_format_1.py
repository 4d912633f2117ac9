"""Bring a project of format 1 to format 2.

Of the scores of a version the newest counted, now the first; whose scores counted was whoever
scored last, now it is a version of record. What that changes is said once, where the project tells
of its conversion.
"""

import json
import re
import sqlite3

from reviewer.domain.values import to_micros
from reviewer.store import (
    entries_from_format_1,
    records_from_format_1,
    schema,
    versions_from_format_1,
)

CONVERTED = "converted"
"""The setting that holds what the conversion changed, as a JSON list of sentences."""
LAST_JOB = "converted_jobs"
"""The setting that holds the number of the last job before it."""
_BEFORE = (
    "This project was made by an older version of Reviewer and was brought up to date; the file "
    "as it was lies beside it. What was done before can no longer be undone, and the scores of "
    "earlier jobs cannot be discarded job by job."
)
_RULES = (
    "The scores of one version count for a metric in a run, until a lead names another one; an "
    "evaluation's date is that of its scores, else its own."
)
_MAKES = re.compile(r"CREATE (?:UNIQUE |VIRTUAL )?(?:TABLE|INDEX|VIEW) (\w+)")


def convert(conn: sqlite3.Connection) -> None:
    """Convert a file inside the transaction that is open; whoever calls keeps a copy of it."""
    # sqlite-utils brings numpy along: only for a file that is old
    from sqlite_utils import Database

    Database(conn, execute_plugins=False).table("_sqlite_migrations").drop(ignore=True)
    entries_from_format_1.convert(conn)
    scored = records_from_format_1.scored(conn)
    joined = versions_from_format_1.convert(conn)
    _add_missing(conn)
    name_presets(conn)
    _date_evaluations(conn)
    versions_from_format_1.count_present(conn)
    changed = records_from_format_1.fix(conn, scored, joined)
    told = [_BEFORE, _RULES, *_joined(len(joined.gone)), *changed]
    # what is half applied goes on at the next opening, and is whole then
    conn.execute("UPDATE journal SET state = 'dropped' WHERE state IN ('done', 'undone')")
    last = conn.execute("SELECT ifnull(max(id), 0) FROM jobs").fetchone()[0]
    for setting, value in ((CONVERTED, json.dumps(told)), (LAST_JOB, str(last))):
        conn.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (setting, value))


def name_presets(conn: sqlite3.Connection) -> None:
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


def _date_evaluations(conn: sqlite3.Connection) -> None:
    """Date evaluations by themselves before their scores."""
    conn.create_function("micros", 1, to_micros, deterministic=True)
    conn.execute(
        "UPDATE evaluations SET dated = micros(occurred_at) "
        "WHERE occurred_at IS NOT NULL AND micros(evaluated_at) IS NULL "
        "AND micros(occurred_at) IS NOT NULL"
    )


def _joined(n: int) -> list[str]:
    if not n:
        return []
    which = "1 version" if n == 1 else f"{n:,} versions"
    return [f"{which} differed from another one in a seed or the like only; they are one now."]
