"""Putting answers on disk, and keeping them in sight where the file takes none just now."""

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.domain.errors import ReviewerError
from reviewer.services.labelling import unsaved
from reviewer.services.labelling.unsaved import Answer, Unsaved
from reviewer.services.project.session import Session

AGAIN_MS = 500
ALL_SAVED = "Everything is saved now."


class Saving(QObject):
    """Writes answers, and tries again by itself what could not be written.

    Signals:
        failed: An expected error, as a sentence.
        noted: A passing line.
        saved: Something is on disk now.
        waiting_changed: So many answers are not yet saved.
    """

    failed = Signal(str)
    noted = Signal(str)
    saved = Signal()
    waiting_changed = Signal(int)

    def __init__(self, parent: QObject) -> None:
        """Begin without a project."""
        super().__init__(parent)
        self.waiting: Unsaved | None = None
        self._before = 0
        self._again = QTimer(self, interval=AGAIN_MS)
        self._again.timeout.connect(self.try_again)

    def open(self, session: Session | None) -> None:
        """Save in a project, or in none."""
        self.waiting = None if session is None else unsaved.of(session)
        self._before = 0
        self._again.stop()
        if self.waiting:
            self._tell()

    def take(self, answer: Answer) -> bool:
        """Save an answer or keep it; tells whether it was taken at all."""
        if self.waiting is None:
            return False
        try:
            done = self.waiting.do(answer)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return False
        if done:
            self.saved.emit()
        if self._before or not done:
            self._tell()
        return True

    def try_again(self) -> None:
        """Save what waits, where that can be done by now."""
        if self.waiting:
            self.waiting.write()
            self._tell()

    def take_back(self) -> bool:
        """Forget the last answer where it is not yet saved; tells whether there was one."""
        if not self.waiting or not self.waiting.take_back():
            return False
        self._tell()
        return True

    def _tell(self) -> None:
        waiting = self.waiting
        if waiting is None:
            return
        before, self._before = self._before, len(waiting)
        for sentence in waiting.refused:
            self.failed.emit(sentence)
        waiting.refused.clear()
        if waiting and not before:
            self._again.start()
            self.failed.emit(waiting.words)
        elif before and not waiting:
            self._again.stop()
            self.saved.emit()
            self.noted.emit(ALL_SAVED)
        self.waiting_changed.emit(len(waiting))
