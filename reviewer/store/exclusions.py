"""Evaluations that count in no figure, each with the reason that somebody gave."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from reviewer.domain.record import EXCLUSION_KEYS
from reviewer.store import packing
from reviewer.store.journal import Excluding
from reviewer.store.query import values_of

COUNTED = "e.id NOT IN (SELECT evaluation FROM exclusions)"
"""The condition on evaluations `e` that figures put beside every other one."""
_LISTED = "(SELECT value FROM json_each(?))"


class Exclusion(Struct, frozen=True):
    """Why, by whom and when an evaluation was excluded."""

    reason: str
    labeler: str | None = None
    at: str | None = None


def stamp(conn: sqlite3.Connection) -> tuple[int, int]:
    """Give what changes when an evaluation is excluded or counts again."""
    row = conn.execute("SELECT count(*), ifnull(sum(evaluation), 0) FROM exclusions").fetchone()
    return (int(row[0]), int(row[1]))


def of(conn: sqlite3.Connection, keys: Sequence[int]) -> dict[int, Exclusion]:
    """Give the exclusions among some evaluations."""
    rows = conn.execute(
        "SELECT x.evaluation, x.reason, p.name, x.at FROM exclusions x "
        f"LEFT JOIN labelers p ON p.id = x.labeler WHERE x.evaluation IN {_LISTED}",
        (_listed(keys),),
    )
    return {key: Exclusion(reason, name, at) for key, reason, name, at in rows}


def records(
    conn: sqlite3.Connection, among: str, values: Iterable[object]
) -> dict[int, dict[str, Any]]:
    """Give the exclusions of some evaluations (an SQL condition) as a record's key has them."""
    found = {}
    for key, extra, *fields in conn.execute(
        "SELECT x.evaluation, x.extra, x.reason, p.name, x.at FROM exclusions x "
        f"LEFT JOIN labelers p ON p.id = x.labeler WHERE x.evaluation {among}",
        tuple(values),
    ):
        columns = {
            name: value
            for name, value in zip(EXCLUSION_KEYS, fields, strict=True)
            if value is not None
        }
        found[key] = packing.unpack(columns, extra, EXCLUSION_KEYS)
    return found


def included(conn: sqlite3.Connection, keys: Sequence[int]) -> list[int]:
    """Give those of some evaluations that are not excluded, ascending."""
    return values_of(
        conn,
        f"SELECT e.id FROM visible_evaluations e WHERE e.id IN {_LISTED} AND {COUNTED} "
        "ORDER BY e.id",
        (_listed(keys),),
    )


def standing(conn: sqlite3.Connection, keys: Sequence[int]) -> list[Excluding]:
    """Give the exclusions among some evaluations, those made together as one."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for key, *made in conn.execute(
        "SELECT evaluation, reason, labeler, at, extra, import FROM exclusions "
        f"WHERE evaluation IN {_LISTED} ORDER BY evaluation",
        (_listed(keys),),
    ):
        groups.setdefault(tuple(made), []).append(key)
    return [
        Excluding(reason, labeler, at, tuple(found), extra=extra, number=number)
        for (reason, labeler, at, extra, number), found in groups.items()
    ]


def apply(conn: sqlite3.Connection, part: Excluding, keys: Sequence[int], seq: int) -> None:
    """Exclude or include; call inside `Project.write`. Doing it twice changes nothing more."""
    if not part.present:
        conn.execute(f"DELETE FROM exclusions WHERE evaluation IN {_LISTED}", (_listed(keys),))
        return
    conn.execute(
        "INSERT OR IGNORE INTO exclusions(evaluation, reason, labeler, at, seq, extra, import, "
        "uid) SELECT id, ?, ?, ?, ?, ?, ?, fresh_uid() FROM evaluations "
        f"WHERE id IN {_LISTED}",
        (part.reason, part.labeler, part.at, seq, part.extra, part.number, _listed(keys)),
    )


def _listed(keys: Sequence[int]) -> str:
    return "[" + ",".join(map(str, keys)) + "]"
