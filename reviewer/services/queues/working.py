"""Queues as people work on them: whose they are, how far everybody is, what becomes of them."""

from dataclasses import dataclass

from reviewer.domain.change import PeopleChanged
from reviewer.domain.errors import QueueError
from reviewer.services.listing.listing import seconds_each
from reviewer.services.project import naming, pace
from reviewer.services.project.session import Session
from reviewer.services.queues import pools
from reviewer.services.queues.plans import QueuePlan
from reviewer.store import journal, labelers, queue_acts, queues
from reviewer.store.journal import Body, Queueing
from reviewer.store.queues import Item, QueueRow


@dataclass(frozen=True, slots=True)
class LabelerProgress:
    """How far one person is with their part of a queue; repeats and gold count as all others.

    Attributes:
        skipped: Put aside for the end; they are still left.
        flagged, not_applicable: Answers of their own, counted beside.
        seconds_left: None until a pace can be told, or where it is not for whoever asks.
    """

    labeler: str
    total: int
    done: int
    skipped: int
    flagged: int
    not_applicable: int
    seconds_each: float | None

    @property
    def left(self) -> int:
        """Count what is not answered yet, skipped ones too."""
        return self.total - self.done

    @property
    def seconds_left(self) -> float | None:
        """Give the time that the rest takes at this pace."""
        return None if self.seconds_each is None else self.left * self.seconds_each


@dataclass(frozen=True, slots=True)
class GivenQueue:
    """A queue with the progress of one person, None where they have no part in it."""

    queue: QueueRow
    plan: QueuePlan
    mine: LabelerProgress | None


def every(session: Session) -> tuple[GivenQueue, ...]:
    """Give all queues, the newest first, with the active labeler's progress."""
    conn, me = session.project.conn, session.labeler
    parts = set(queues.of_labeler(conn, me.key))
    return tuple(
        GivenQueue(
            row,
            QueuePlan.from_json(row.plan),
            _progress(session, row, me.key, me.name) if row.key in parts else None,
        )
        for row in queues.every(conn)
    )


def mine(session: Session) -> tuple[GivenQueue, ...]:
    """Give the open queues in which the active labeler has a part, the newest first."""
    return tuple(x for x in every(session) if x.mine is not None and x.queue.is_open)


def lines(session: Session) -> list[tuple[str, str]]:
    """Give name and progress of the active labeler's open queues, the newest first."""
    return [
        (one.queue.name, f"{one.mine.done:,} of {one.mine.total:,}")
        for one in mine(session)
        if one.mine is not None
    ]


def answers_left(session: Session, queue: QueueRow) -> int:
    """Count what everybody has still to answer in a queue, skipped evaluations too."""
    held = sum(one.left for one in progress(session, queue))
    return held + pools.free_answers(session, queue)


def find(session: Session, name: str) -> QueueRow:
    """Give a queue by its name.

    Raises:
        QueueError: There is no such queue.
    """
    found = queues.find(session.project.conn, name)
    if found is None:
        there = ", ".join(x.name for x in queues.every(session.project.conn)) or "none"
        raise QueueError(f"The project has no queue {name!r}; it has: {there}.")
    return found


def people(session: Session, queue: QueueRow) -> tuple[str, ...]:
    """Give the names of those who have a part in a queue."""
    return tuple(name for _, name in queues.people(session.project.conn, queue.key))


def items_of(session: Session, queue: QueueRow, labeler: str) -> list[Item]:
    """Give a labeler's part of a queue in order.

    Raises:
        QueueError: They have none.
    """
    person = labelers.find(session.project.conn, labeler)
    found = queues.items(session.project.conn, queue.key, person.key) if person else []
    if not found:
        raise QueueError(f"{labeler} has no part in the queue {queue.name!r}.")
    return found


def progress(session: Session, queue: QueueRow) -> tuple[LabelerProgress, ...]:
    """Tell how far everybody is with a queue."""
    return tuple(
        _progress(session, queue, key, name)
        for key, name in queues.people(session.project.conn, queue.key)
    )


def _progress(session: Session, queue: QueueRow, labeler: int, name: str) -> LabelerProgress:
    conn = session.project.conn
    counts = queues.counts(conn, queue.key, labeler)
    may = pace.may_be_seen(session, name)
    return LabelerProgress(
        labeler=name,
        total=counts.total,
        done=counts.done,
        skipped=counts.skipped,
        flagged=counts.flagged,
        not_applicable=queues.not_applicable(conn, queue.key, labeler),
        seconds_each=(seconds_each(queues.last_times(conn, queue.key, labeler)) if may else None),
    )


def close(session: Session, queue: QueueRow) -> None:
    """Take a queue off everybody's list; it can be opened again."""
    _set_open(session, queue, is_open=False)


def reopen(session: Session, queue: QueueRow) -> None:
    """Put a closed queue back on everybody's list."""
    _set_open(session, queue, is_open=True)


def rename(session: Session, queue: QueueRow, name: str) -> None:
    """Give a queue another name; undo takes that back.

    Raises:
        LabelError: The name is empty, too long or taken.
    """
    others = (x.name for x in queues.every(session.project.conn) if x.key != queue.key)
    made = naming.free(name, others, "queue")
    with session.project.write() as conn:
        act = Queueing("renamed", queue_acts.seq_of(conn, queue.key), queue.name, made)
        queues.rename(conn, queue.key, made)
        _journal(session, f"Queue {queue.name} renamed to {made}", act)
    session.publish(PeopleChanged(f"the queue {queue.name} is called {made} now"))


def delete(session: Session, queue: QueueRow) -> None:
    """Delete a queue; the labels that were given in it stay, and undo brings it back."""
    with session.project.write() as conn:
        seq = queue_acts.seq_of(conn, queue.key)
        kept = queue_acts.take(conn, queue.key)
        _journal(session, f"Queue {queue.name} deleted", Queueing("deleted", seq, kept=kept))
    session.publish(PeopleChanged(f"the queue {queue.name} was deleted"))


def _journal(session: Session, title: str, act: Queueing) -> None:
    conn = session.project.conn
    me = session.my_key()
    seq, body = session.project.next_seq(), Body(queue=act)
    journal.add(conn, labeler=me, seq=seq, kind="queue", title=title, body=body)


def _set_open(session: Session, queue: QueueRow, *, is_open: bool) -> None:
    with session.project.write() as conn:
        queues.set_open(conn, queue.key, is_open=is_open)
    word = "opened again" if is_open else "closed"
    session.publish(PeopleChanged(f"the queue {queue.name} was {word}"))
