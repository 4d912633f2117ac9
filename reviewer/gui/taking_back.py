"""Undo and redo beside the window: what is taken back may be thousands of scores."""

from PySide6.QtCore import QObject, Signal

from reviewer.gui.background import beside
from reviewer.gui.kit.tasks import Tasks
from reviewer.services.labelling import undo
from reviewer.services.project.session import Session

TASK = "undo"


class TakingBack(QObject):
    """Takes the newest action back, or does it again, and says which it was.

    Signals:
        failed: An expected error, as a sentence.
        noted: A passing line.
        saved: Something is on disk now.
    """

    failed = Signal(str)
    noted = Signal(str)
    saved = Signal()

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        """Make it without a project."""
        super().__init__(parent)
        self._tasks = tasks
        self._session: Session | None = None

    def open(self, session: Session | None) -> None:
        """Act on a project, or on none."""
        self._session = session

    def act(self, what: str) -> None:
        """Take the labeler's newest action back, or do again what was undone last."""
        session = self._session
        if session is None or TASK in self._tasks.running():
            # the one before comes to its end first
            return
        self._tasks.run(
            TASK,
            beside(session, lambda own, _: undo.take(own, what)),
            then=lambda taken: self._tell(what, taken),
            failed=self.failed,
        )

    def _tell(self, what: str, taken: undo.Taken | None) -> None:
        if self._session is None:
            return
        self._session.poll()
        if taken is not None:
            self.saved.emit()
        self.noted.emit(undo.told(what, taken))
