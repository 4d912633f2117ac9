"""Work packages that were made here: for whom, and how their evaluations were drawn."""

import json
import sqlite3
from typing import NamedTuple

from reviewer.domain.label import SelectionReason


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
