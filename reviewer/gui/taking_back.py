"""Undo and redo beside the window: what is taken back may be thousands of scores."""

from PySide6.QtCore import QObject, Signal

from reviewer.gui.background import beside
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.labelling import undo

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

    def __init__(self, surroundings: ProjectSurroundings, parent: QObject) -> None:
        """Act on the project."""
        super().__init__(parent)
        self._session, self._tasks = surroundings.session, surroundings.tasks
        self._what = ""

    def act(self, what: str) -> None:
        """Take the labeler's newest action back, or do again what was undone last."""
        if TASK in self._tasks.running():
            # the one before comes to its end first
            return
        self._what = what
        self._tasks.run(
            TASK,
            beside(self._session, lambda own, _: undo.take(own, what)),
            then=self._tell,
            failed=self.failed,
        )

    def _tell(self, taken: undo.Taken | None) -> None:
        self._session.poll()
        if taken is not None:
            self.saved.emit()
        self.noted.emit(undo.told(self._what, taken))
