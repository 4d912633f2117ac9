"""Undo and redo of what is large: beside the window, one after the other."""

from collections.abc import Callable

from PySide6.QtCore import QObject, SignalInstance
from shiboken6 import isValid

from reviewer.domain.errors import LabelError, Progress
from reviewer.gui.background import beside
from reviewer.gui.kit.tasks import Tasks
from reviewer.services.labelling import undo
from reviewer.services.labelling.undo import Taken
from reviewer.services.project.session import Session

UNDO = "undo"
UNDOING, REDOING = "Undoing…", "Doing again…"
LOSS = "the undoing of what was done last"


def take_beside(
    owner: QObject,
    tasks: Tasks,
    session: Session,
    what: str,
    *,
    then: Callable[[Taken | str | None], object],
    failed: SignalInstance,
) -> bool:
    """Take back or do again beside the window; tells whether it was begun.

    Args:
        owner: Hears what it came to; one that is gone by then hears nothing.
        tasks: Those of the window; the one before comes to its end first.
        session: Has still to read what changed once it is done.
        what: `undo` or `redo`.
        then: Gets what it was, or a sentence why it has to stay.
        failed: Gets a sentence why it cannot be done.
    """
    if UNDO in tasks.running():
        return False

    def work(own: Session, _: Progress) -> Taken | str | None:
        try:
            return undo.take(own, what)
        except LabelError as stays:
            return str(stays)

    def tell(found: Taken | str | None) -> None:
        if isValid(owner):
            then(found)

    tasks.run(UNDO, beside(session, work), then=tell, failed=failed, loss=LOSS)
    return True
