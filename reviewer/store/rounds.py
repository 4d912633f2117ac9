"""Take back that a repeat has begun: the labeler's first answers stand again as they did."""

import sqlite3

from reviewer.store import states
from reviewer.store.journal import Begun
from reviewer.store.states import EMPTY


def take_back(conn: sqlite3.Connection, begun: Begun) -> int | None:
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
