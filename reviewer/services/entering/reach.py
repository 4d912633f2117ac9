"""Which action undo and redo reach: one that cannot be taken back blocks nothing older.

It is passed over, but not in silence: the first press says what stays and why, and only the next
one goes on with what lies beneath. What comes back with its import can be taken back again.
"""

from typing import Literal, cast

from reviewer.domain.errors import LabelError
from reviewer.services.project.insights_words import counted
from reviewer.services.project.session import Session
from reviewer.store import journal, of_record, queue_acts

State = Literal["done", "undone"]
GONE = "its import was undone"
TOLD = "undo told"
"""Under this name a session keeps the actions of which it said that they are passed over."""


def reached(session: Session, state: State) -> journal.Action | None:
    """Give what undo ("done") or redo ("undone") would change, None where there is nothing.

    Raises:
        LabelError: Newer actions are passed over; the sentence says so, once.
    """
    told = cast("set[int]", session.kept.setdefault(TOLD, set()))
    untold: list[tuple[str, str]] = []
    action = _top(session, state)
    while action is not None:
        why = _obstacle(session, action, state)
        if why is None or (untold and why != untold[0][1]):
            break
        if action.key not in told:
            untold.append((action.title, why))
            told.add(action.key)
        action = _top(session, state, action)
    if untold:
        raise LabelError(_sentence(untold, state))
    return action


def title(session: Session, state: State) -> str | None:
    """Give the title of what undo or redo would change, whatever they would say before."""
    action = _top(session, state)
    while action is not None and _obstacle(session, action, state) is not None:
        action = _top(session, state, action)
    return None if action is None else action.title


def _top(
    session: Session, state: State, beyond: journal.Action | None = None
) -> journal.Action | None:
    return journal.top(session.project.conn, session.labeler.key, state, beyond=beyond)


def _obstacle(session: Session, action: journal.Action, state: State) -> str | None:
    """Say why an action has to stay as it is, None where it can be taken back."""
    conn, act = session.project.conn, action.body.queue
    for part in action.body.named:
        why = of_record.obstacle(conn, part)
        if why is not None:
            return why
    if act is not None:
        return queue_acts.obstacle(conn, act, "undone" if state == "done" else "done")
    return None if journal.is_there(conn, action.body) else GONE


def _sentence(untold: list[tuple[str, str]], state: State) -> str:
    (first, why), rest = untold[0], len(untold) - 1
    more = f" and {counted(rest, 'older action', 'older actions')}" if rest else ""
    what = "taken back" if state == "done" else "done again"
    if rest and why == GONE:
        why = "they are about responses whose import was undone"
    return f"{first}{more} cannot be {what}: {why}."
