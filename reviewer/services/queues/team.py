"""How far everybody is with all that their open queues ask of them."""

from dataclasses import dataclass

from reviewer.services.listing.listing import seconds_each
from reviewer.services.project import pace
from reviewer.services.project.session import Session
from reviewer.services.queues import working
from reviewer.store import labelers, listing


@dataclass(frozen=True, slots=True)
class Member:
    """How far somebody is.

    Attributes:
        total, done: Of all their open queues.
        last_us: When they answered last, in microseconds since 1970; None for never.
        seconds_each: None until a pace can be told, and where it is not to be seen.
        is_paced: Whether whoever asks may see it.
    """

    name: str
    total: int
    done: int
    last_us: int | None
    seconds_each: float | None
    is_paced: bool


def members(session: Session) -> list[Member]:
    """Tell how far everybody is, by name."""
    conn = session.project.conn
    last = labelers.last_answers(conn)
    total: dict[str, int] = {}
    done: dict[str, int] = {}
    for one in working.every(session):
        for part in working.progress(session, one.queue) if one.queue.is_open else ():
            total[part.labeler] = total.get(part.labeler, 0) + part.total
            done[part.labeler] = done.get(part.labeler, 0) + part.done
    found = []
    for person in session.labelers():
        may = pace.may_be_seen(session, person.name)
        times = listing.recent_times(session.project, person.key, _NEWEST) if may else []
        found.append(
            Member(
                person.name,
                total.get(person.name, 0),
                done.get(person.name, 0),
                last.get(person.key),
                seconds_each(times),
                may,
            )
        )
    return found


_NEWEST = 300
"""Answers that tell how long the next ones take."""
