"""Repeats: evaluations that a labeler answers once more, unaware of their first answers."""

from reviewer.services.project.session import Session
from reviewer.store import queues, states
from reviewer.store.journal import Begun
from reviewer.store.queues import Item


def begin_due(session: Session, labeler: int, *, apart_from: int = 0) -> list[Begun]:
    """Begin the repeats of the present queue whose turn has come, and give them.

    A repeat is due when its first answer is complete and as many evaluations of the queue are
    settled as stand before it. `apart_from` is in view just now. Call inside `Project.write`.
    """
    conn, queue = session.project.conn, session.queue
    if queue is None or not queues.has_waiting(conn, queue.key, labeler):
        return []
    return [
        begin(session, queue.key, labeler, item)
        for item in due(queues.items(conn, queue.key, labeler), apart_from)
    ]


def begin(session: Session, queue: int, labeler: int, item: Item) -> Begun:
    """Begin one repeat and give what undo will need; call inside `Project.write`."""
    before = states.read(session.project.conn, labeler, item.evaluation).repeat_from
    return Begun(queues.begin_repeat(session.project, queue, labeler, item), before)


def due(items: list[Item], apart_from: int = 0) -> list[Item]:
    """Give the repeats whose turn has come."""
    begun = {item.evaluation for item in items if item.since}
    firsts = [item for item in items if item.kind != "repeat"]
    settled = sum(x.complete or x.skipped or x.evaluation in begun for x in firsts)
    found, before = [], 0
    for item in items:
        if item.kind != "repeat":
            before += 1
        elif not item.since and item.complete and settled >= before:
            found.append(item)
    return [item for item in found if item.evaluation != apart_from]
