"""Queues that are made, deleted or renamed: taken back and done again, with everything in them."""

import json
import sqlite3
from typing import Any, Literal

from msgspec.structs import replace

from reviewer.domain.errors import QueueError
from reviewer.store import queues, states
from reviewer.store.journal import Begun, Queueing
from reviewer.store.query import values_of
from reviewer.store.states import EMPTY

To = Literal["done", "undone"]
TAKEN = "another queue has its name now"
GONE = "the queue was deleted"

_ROW = "id, name, recipe, plan, reason, blind, state, labeler, created_at, seq"
_ITEM = "labeler, position, evaluation, kind, prob, since"
_PUT_ITEMS = f"""
    INSERT INTO queue_items(queue, {_ITEM})
    SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
    FROM json_each(?) WHERE value ->> 0 IN (SELECT id FROM labelers)
        AND value ->> 2 IN (SELECT id FROM evaluations)
"""
_ANSWERED = """
    SELECT name FROM labelers WHERE id IN (
        SELECT i.labeler FROM queue_items i
        LEFT JOIN current_labels c ON c.evaluation = i.evaluation AND c.labeler = i.labeler
            AND c.decided = 0 AND c.kind IN ('label', 'not_applicable')
        LEFT JOIN labels l ON l.id = c.place
        WHERE i.queue = ? AND (i.since > 0 OR l.seq > ?))
    ORDER BY name COLLATE NOCASE
"""


def seq_of(conn: sqlite3.Connection, queue: int) -> int:
    """Give a queue's number in the order of changes.

    Raises:
        QueueError: The queue is gone.
    """
    row = conn.execute("SELECT seq FROM queues WHERE id = ?", (queue,)).fetchone()
    if row is None:
        raise QueueError("The queue was deleted meanwhile.")
    return int(row[0])


def obstacle(conn: sqlite3.Connection, act: Queueing, to: To) -> str | None:
    """Say why a queue has to stay as it is, None where it can be changed."""
    key = _key(conn, act.seq)
    if _brings_back(act, to):
        # what is kept is there as long as nobody takes the place of its name
        return TAKEN if key is None and _is_taken(conn, str(_kept(act)["row"][1])) else None
    if key is None:
        return GONE
    if act.act == "renamed":
        wanted = act.before if to == "undone" else act.after
        return TAKEN if _is_taken(conn, wanted, apart_from=key) else None
    if act.act == "deleted":
        return None
    people = values_of(conn, _ANSWERED, (key, act.seq))
    if not people:
        return None
    more = f" and {len(people) - 1} more" if len(people) > 1 else ""
    return f"{people[0]}{more} answered in it, so the queue stays"


def apply(conn: sqlite3.Connection, act: Queueing, to: To) -> Queueing:
    """Take back or do again what was done to a queue; call inside `Project.write`.

    Gives what the journal has to know of it from now on.
    """
    key = _key(conn, act.seq)
    if act.act == "renamed":
        name = act.before if to == "undone" else act.after
        conn.execute("UPDATE queues SET name = ? WHERE id = ?", (name, key))
        return act
    if not _brings_back(act, to):
        return act if key is None else replace(act, kept=take(conn, key))
    if key is None:
        _put_back(conn, _kept(act))
    return replace(act, kept=None)


def take(conn: sqlite3.Connection, queue: int) -> str:
    """Delete a queue and give it as a text that brings it back; inside `Project.write`."""
    row = conn.execute(f"SELECT {_ROW} FROM queues WHERE id = ?", (queue,)).fetchone()
    items = conn.execute(
        f"SELECT json_group_array(json_array({_ITEM})) FROM queue_items WHERE queue = ?", (queue,)
    ).fetchone()[0]
    queues.delete(conn, queue)
    return json.dumps({"row": row, "items": items})


def _put_back(conn: sqlite3.Connection, kept: dict[str, Any]) -> None:
    key, *row = kept["row"]
    if conn.execute("SELECT 1 FROM queues WHERE id = ?", (key,)).fetchone():
        key = None
    marks = ", ".join("?" * (len(row) + 1))
    made = conn.execute(
        f"INSERT INTO queues({_ROW}) VALUES ({marks}) RETURNING id", (key, *row)
    ).fetchall()[0][0]
    conn.execute(_PUT_ITEMS, (made, kept["items"]))


def _brings_back(act: Queueing, to: To) -> bool:
    return (act.act, to) in (("made", "done"), ("deleted", "undone"))


def _kept(act: Queueing) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(act.kept or "{}")
    return found


def _key(conn: sqlite3.Connection, seq: int) -> int | None:
    row = conn.execute("SELECT id FROM queues WHERE seq = ?", (seq,)).fetchone()
    return None if row is None else int(row[0])


def _is_taken(conn: sqlite3.Connection, name: str, apart_from: int = 0) -> bool:
    return any(
        other.casefold() == name.casefold()
        for (other,) in conn.execute("SELECT name FROM queues WHERE id <> ?", (apart_from,))
    )


def take_round_back(conn: sqlite3.Connection, begun: Begun) -> int | None:
    """Let a repeat wait for its turn again; call inside `Project.write`.

    Gives its evaluation, None where the labeler has said something in the new round, or the
    queue is gone: then it stays.
    """
    item = conn.execute(
        "SELECT labeler, evaluation FROM queue_items WHERE since = ?", (begun.since,)
    ).fetchone()
    if item is None:
        return None
    labeler, evaluation = item
    if states.read(conn, labeler, evaluation) != EMPTY._replace(repeat_from=begun.since):
        return None
    conn.execute("UPDATE queue_items SET since = 0 WHERE since = ?", (begun.since,))
    conn.execute(
        "UPDATE states SET repeat_from = ? WHERE labeler = ? AND evaluation = ?",
        (begun.before, labeler, evaluation),
    )
    states.refresh(conn, (evaluation,))
    return int(evaluation)
