"""Reading beside the window: work that gets a session of its own on the same project."""

import contextlib
from collections.abc import Callable

from reviewer.domain.progress import Progress
from reviewer.gui.kit.tasks import Work
from reviewer.services.project.session import Session

Beside = Callable[[Session, Progress], object]
"""Work on a session of its own."""


def beside(session: Session, work: Beside) -> Work:
    """Make task work that opens the project anew, as the same labeler with the same blindness."""
    path, labeler, blind = session.project.path, session.labeler.name, session.blind
    kept = session.kept

    def read(progress: Progress) -> object:
        with contextlib.closing(Session.open(path, labeler)) as own:
            own.blind = blind
            own.kept = kept
            return work(own, progress)

    return read


def seeing(session: Session, work: Beside) -> Work:
    """Make such work that sees auto scores: what a job selects may depend on them."""

    def see(own: Session, progress: Progress) -> object:
        own.blind = False
        return work(own, progress)

    return beside(session, see)
