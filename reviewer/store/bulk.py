"""Actions on many evaluations: one entry of the journal, applied in steps nobody waits for.

A small action is one transaction. A large one is journalled first, `doing`; every step is a short
transaction that may be done twice, and the last one says `done`. So a crash in between leaves an
entry that tells the rest, and `resume` goes on with it.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from reviewer.store import exclusions, journal, scores, tags
from reviewer.store.journal import Action, Body, Bulk, Discarding, Tagging

Write = Callable[[], AbstractContextManager[sqlite3.Connection]]
STEP = 3_000
"""Evaluations a transaction; so many take about 4 ms."""
_RUNNING: dict[Literal["done", "undone"], Literal["doing", "undoing"]] = {
    "done": "doing",
    "undone": "undoing",
}


def size(body: Body) -> int:
    """Count the changes of an action, as steps count them."""
    return sum(len(part.keys) * (30 if isinstance(part, Discarding) else 1) for part in body.bulk)


def _nobody(done: int) -> None:
    """Tell nobody how far it is."""


class Writer(Protocol):
    """Whoever writes a project: the project itself."""

    def write(self) -> AbstractContextManager[sqlite3.Connection]:
        """Begin a transaction."""

    def next_seq(self, count: int = 1) -> int:
        """Reserve numbers of the order of changes, inside `write`, and give the first."""


def do(
    project: Writer,
    *,
    labeler: int,
    kind: str,
    title: str,
    body: Body,
    tell: Callable[[int], None] = _nobody,
) -> Action:
    """Journal an action and apply it; whatever happens, it is whole or `resume` makes it so.

    Args:
        project: Where it is written.
        labeler: Who does it.
        kind: What it is, in a word.
        title: What it is, as undo says it.
        body: What it changes.
        tell: Called after each step of a large one with how many evaluations are done.
    """
    small = size(body) <= STEP
    with project.write() as conn:
        seq = project.next_seq()
        key = journal.add(conn, labeler=labeler, seq=seq, kind=kind, title=title, body=body)
        action = Action(key, kind, title, body, seq)
        if small:
            apply(conn, action, "done")
        else:
            journal.settle(conn, action, "doing")
    if not small:
        go_on(project.write, action, "done", tell)
    return action


def apply(conn: sqlite3.Connection, action: Action, to: Literal["done", "undone"]) -> None:
    """Apply or take back a whole action inside the caller's transaction."""
    for part in _parts(action, to):
        _apply(conn, part, part.keys, action.seq)
    _finish(conn, action, to)


def go_on(
    write: Write,
    action: Action,
    to: Literal["done", "undone"],
    tell: Callable[[int], None] = _nobody,
) -> None:
    """Apply or take back an action in steps, beginning with the first."""
    done = 0
    for part, some in _steps(action, to):
        with write() as conn:
            if journal.state_of(conn, action.key) != _RUNNING[to]:
                # another window has gone on with it and is done
                return
            _apply(conn, part, some, action.seq)
        done += len(some)
        tell(done)
    with write() as conn:
        _finish(conn, action, to)


def begin(conn: sqlite3.Connection, action: Action, to: Literal["done", "undone"]) -> None:
    """Record that an action is about to be applied or taken back in steps."""
    journal.settle(conn, action, _RUNNING[to])


def resume(conn: sqlite3.Connection, write: Write) -> int:
    """Go on with what a crash left half applied and give the number of actions."""
    found = journal.unfinished(conn)
    for action in found:
        go_on(write, action, "done" if action.state == "doing" else "undone")
    return len(found)


def _parts(action: Action, to: str) -> Iterator[Bulk]:
    if to == "done":
        yield from action.body.bulk
    else:
        yield from (journal.inverse(part) for part in reversed(action.body.bulk))


def _steps(action: Action, to: str) -> Iterator[tuple[Bulk, tuple[int, ...]]]:
    for part in _parts(action, to):
        # an evaluation has several scores, each with its place in two indexes
        step = STEP // 30 if isinstance(part, Discarding) else STEP
        for first in range(0, len(part.keys), step):
            yield part, part.keys[first : first + step]


def _apply(conn: sqlite3.Connection, part: Bulk, keys: tuple[int, ...], seq: int) -> None:
    if isinstance(part, Tagging):
        tags.apply(conn, part, keys)
    elif isinstance(part, Discarding):
        scores.apply(conn, part, keys)
    else:
        exclusions.apply(conn, part, keys, seq)


def _finish(conn: sqlite3.Connection, action: Action, to: Literal["done", "undone"]) -> None:
    journal.settle(conn, action, to)
    conn.execute("UPDATE counters SET value = value + 1 WHERE name = 'bulk'")
