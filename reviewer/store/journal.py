"""The journal of actions, from which undo and redo work over restarts.

A labeler's actions that are undone lie above those that are done; a new action drops them.
"""

import json
import sqlite3
from dataclasses import dataclass, field
from typing import Literal

from reviewer.domain.values import now_text

State = Literal["done", "undone", "dropped"]


@dataclass(frozen=True, slots=True)
class Body:
    """What an action changed: pairs of rows before (None: nothing) and after, in order.

    Attributes:
        labels: Rows of the label history.
        marks: Rows of the mark history.
        number: The number of an import.
    """

    labels: tuple[tuple[int | None, int], ...] = ()
    marks: tuple[tuple[int | None, int], ...] = ()
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """A journalled action."""

    key: int
    kind: str
    title: str
    body: Body = field(default_factory=Body)


def add(
    conn: sqlite3.Connection, *, labeler: int, seq: int, kind: str, title: str, body: Body
) -> None:
    """Journal an action of a labeler; call inside `Project.write`, with what it changed."""
    conn.execute(
        "UPDATE journal SET state = 'dropped' WHERE labeler = ? AND state = 'undone'", (labeler,)
    )
    parts: dict[str, object] = {"labels": body.labels, "marks": body.marks, "number": body.number}
    conn.execute(
        "INSERT INTO journal(seq, labeler, at, kind, title, body) VALUES (?, ?, ?, ?, ?, ?)",
        (
            seq,
            labeler,
            now_text(),
            kind,
            title,
            json.dumps({name: value for name, value in parts.items() if value}),
        ),
    )


def top(conn: sqlite3.Connection, labeler: int, state: State) -> Action | None:
    """Give what a labeler would undo next ("done") or redo next ("undone")."""
    order = "DESC" if state == "done" else "ASC"
    row = conn.execute(
        "SELECT id, kind, title, body FROM journal WHERE labeler = ? AND state = ? "
        f"ORDER BY id {order} LIMIT 1",
        (labeler, state),
    ).fetchone()
    if row is None:
        return None
    body = json.loads(row[3])
    return Action(
        key=row[0],
        kind=row[1],
        title=row[2],
        body=Body(
            labels=tuple((before, after) for before, after in body.get("labels", ())),
            marks=tuple((before, after) for before, after in body.get("marks", ())),
            number=body.get("number"),
        ),
    )


def settle(conn: sqlite3.Connection, action: Action, state: State) -> None:
    """Record that an action is undone or done again; call inside `Project.write`."""
    conn.execute("UPDATE journal SET state = ? WHERE id = ?", (state, action.key))


def drop_import(conn: sqlite3.Connection, number: int) -> None:
    """Forget the entry of an import that was taken back by its number; inside `Project.write`."""
    conn.execute(
        "UPDATE journal SET state = 'dropped' "
        "WHERE kind = 'import' AND json_extract(body, '$.number') = ?",
        (number,),
    )
