"""Where a returned package belongs here: whose it is, and how its evaluations were drawn."""

from collections.abc import Mapping
from dataclasses import dataclass

from reviewer.domain.errors import ReviewerError
from reviewer.domain.label import SelectionReason
from reviewer.services.assigning import working
from reviewer.services.parcels.packing import UNTOLD, Note
from reviewer.services.parcels.returned import Place
from reviewer.services.project.session import Session
from reviewer.store import packages
from reviewer.store import queues as kept_queues
from reviewer.store.queues import QueueRow

Drawn = tuple[SelectionReason, float | None]


@dataclass(frozen=True, slots=True)
class Home:
    """A package's labeler and queue as they are here by now.

    Attributes:
        key: The labeler's key, 0 where they are not here.
        labeler: Their name here.
        queue: None where it is gone.
        draws: How the evaluations were drawn when the package was made.
    """

    key: int
    labeler: str
    queue: QueueRow | None
    draws: Mapping[Place, Drawn]

    def drawn(self, session: Session, place: Place, evaluation: int) -> Drawn:
        """Tell how an evaluation was drawn, which a package does not say."""
        known = self.draws.get(place)
        if known is not None:
            return known
        if self.queue is None or not self.key:
            return UNTOLD, None
        return kept_queues.draw(session.project.conn, self.queue, self.key, evaluation)


def home_of(session: Session, note: Note) -> Home:
    """Find a package's labeler and queue, by its number where it is known here, else by name."""
    conn = session.project.conn
    made = packages.find(conn, note.id) if note.id else None
    names = {person.key: person.name for person in session.labelers()}
    if made is None:
        key = next((x for x, name in names.items() if name == note.labeler), 0)
        return Home(key, note.labeler, _named(session, note.queue), {})
    queue = kept_queues.read(conn, made.queue)
    if queue is not None and queue.created_at != made.queue_made:
        queue = None
    draws = {(one.run, one.id): (one.reason, one.chance) for one in made.draws}
    return Home(made.labeler, names.get(made.labeler, note.labeler), queue, draws)


def _named(session: Session, name: str) -> QueueRow | None:
    try:
        return working.find(session, name)
    except ReviewerError:
        return None
