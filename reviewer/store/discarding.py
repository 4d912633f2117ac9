"""Take the scores of a job back, and put them back where they stood."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from reviewer.store import counted_scores
from reviewer.store.counted_scores import Group
from reviewer.store.journal import Discarding

_ROW = (
    "evaluation, metric, score_set, turn, ordinal, value, reasoning, at, extra, import, at_us, job"
)
_AMONG = "evaluation IN (SELECT value FROM json_each(?))"
_GROUPS = "SELECT DISTINCT evaluation, metric, score_set, turn FROM {} WHERE job = ? AND " + _AMONG
_KEEP = (
    f"INSERT OR REPLACE INTO discarded_scores({_ROW}) SELECT {_ROW} FROM scores "
    f"WHERE {_AMONG} AND job = ?"
)
_OF_GROUP = "evaluation = ? AND metric = ? AND score_set = ? AND turn = ?"
_PUT = f"INSERT INTO scores({_ROW}) VALUES ({', '.join('?' * 12)})"
_ORDINAL = 4


def scored(conn: sqlite3.Connection, job: int) -> list[int]:
    """Give the evaluations that a job scored, ascending."""
    found: set[int] = set()
    places = conn.execute("SELECT metric, score_set FROM job_sets WHERE job = ?", (job,))
    for metric, score_set in places.fetchall():
        rows = conn.execute(
            # whatever a job scored has a value that counts, of this job or of another
            "SELECT c.evaluation FROM scores c WHERE c.metric = ?1 AND c.score_set = ?2 "
            "AND c.latest = 1 AND c.turn = -1 AND EXISTS (SELECT 1 FROM scores s "
            "WHERE s.evaluation = c.evaluation AND s.metric = ?1 AND s.score_set = ?2 "
            "AND s.job = ?3)",
            (metric, score_set, job),
        )
        found.update(key for (key,) in rows)
    return sorted(found)


def is_discarded(conn: sqlite3.Connection, job: int) -> bool:
    """Tell whether scores of a job were taken back."""
    row = conn.execute("SELECT 1 FROM discarded_scores WHERE job = ? LIMIT 1", (job,)).fetchone()
    return row is not None


def apply(conn: sqlite3.Connection, part: Discarding, keys: Sequence[int]) -> None:
    """Take back or put back the scores of some evaluations; may be done twice, inside `write`."""
    listed = json.dumps(list(keys))
    if part.present:
        groups = conn.execute(_GROUPS.format("scores"), (part.job, listed)).fetchall()
        conn.execute(_KEEP, (listed, part.job))
        conn.execute(f"DELETE FROM scores WHERE {_AMONG} AND job = ?", (listed, part.job))
    else:
        groups = conn.execute(_GROUPS.format("discarded_scores"), (part.job, listed)).fetchall()
        for group in groups:
            _put_back(conn, group, part.job)
        conn.execute(
            f"DELETE FROM discarded_scores WHERE job = ? AND {_AMONG}", (part.job, listed)
        )
    for group in groups:
        counted_scores.mark_counted(conn, group)


def _put_back(conn: sqlite3.Connection, group: Group, job: int) -> None:
    kept = conn.execute(
        f"SELECT {_ROW} FROM discarded_scores WHERE job = ? AND {_OF_GROUP} ORDER BY ordinal",
        (job, *group),
    ).fetchall()
    there = conn.execute(
        f"SELECT {_ROW} FROM scores WHERE {_OF_GROUP} AND ordinal >= 0 ORDER BY ordinal", group
    ).fetchall()
    if {row[_ORDINAL] for row in kept} & {row[_ORDINAL] for row in there}:
        # others came since: what was there first stands before them again
        conn.execute(f"DELETE FROM scores WHERE {_OF_GROUP}", group)
        kept = [_at(row, place) for place, row in enumerate((*kept, *there))]
    conn.executemany(_PUT, kept)


def _at(row: tuple[Any, ...], ordinal: int) -> tuple[Any, ...]:
    return (*row[:_ORDINAL], ordinal, *row[_ORDINAL + 1 :])
