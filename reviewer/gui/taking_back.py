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

    def undo(self) -> None:
        """Take the labeler's newest action back."""
        self._act("undo")

    def redo(self) -> None:
        """Do again what was undone last."""
        self._act("redo")

    def _act(self, what: str) -> None:
        session = self._session
        if session is None or TASK in self._tasks.running():
            # the one before comes to its end first
            return
        act = undo.undo if what == "undo" else undo.redo
        self._tasks.run(
            TASK,
            beside(session, lambda own, _: act(own)),
            then=lambda title: self._tell(what, title),
            failed=self.failed,
        )

    def _tell(self, what: str, title: object) -> None:
        if self._session is None:
            return
        self._session.poll()
        if not title:
            self.noted.emit(f"There is nothing to {what}.")
            return
        self.saved.emit()
        self.noted.emit(f"{'Undone' if what == 'undo' else 'Done again'}: {title}")
