"""Reading beside the window: work that gets a session of its own on the same project."""

import contextlib
from collections.abc import Callable

from reviewer.domain.progress import Progress
from reviewer.gui.kit.tasks import Work
from reviewer.services.project.session import Session


def beside(session: Session, work: Callable[[Session, Progress], object]) -> Work:
    """Make task work that opens the project anew, as the same labeler with the same blindness."""
    path, labeler, blind = session.project.path, session.labeler.name, session.blind
    kept = session.kept

    def read(progress: Progress) -> object:
        with contextlib.closing(Session.open(path, labeler)) as own:
            own.blind = blind
            own.kept = kept
            return work(own, progress)

    return read
