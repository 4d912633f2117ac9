"""Which of the scores of one evaluation, metric, score set and turn is the newest."""

import sqlite3
from typing import Any

from pydantic_core import from_json

from reviewer.store import rows as tables

_GROUP = (
    "SELECT ordinal, value, at, extra FROM scores "
    "WHERE evaluation = ? AND metric = ? AND score_set = ? AND turn = ? ORDER BY ordinal"
)
_MARK_LATEST = (
    "UPDATE scores SET latest = (ordinal = ?) "
    "WHERE evaluation = ? AND metric = ? AND score_set = ? AND turn = ?"
)


def mark_latest(conn: sqlite3.Connection, group: tuple[Any, ...]) -> None:
    """Mark the newest value without error of an evaluation, metric, score set and turn."""
    newest: tuple[int, int] | None = None
    for ordinal, value, at, extra in conn.execute(_GROUP, group).fetchall():
        if value is None or (extra and from_json(extra).get("error")):
            continue
        place = (tables.time_place(at), ordinal)
        newest = place if newest is None else max(newest, place)
    conn.execute(_MARK_LATEST, (newest[1] if newest else -1, *group))
