"""Reads in a quiet moment what the Audit page will need, so that it is there when it is chosen."""

import ctypes
import sys

from PySide6.QtCore import QObject, QTimer

from reviewer.domain.progress import Progress
from reviewer.gui.own_session import beside
from reviewer.gui.window import MainWindow
from reviewer.services.project.session import Session

QUIET_MS = 600
KIND = "audit columns"


class Preparation(QObject):
    """Waits until nothing else runs after a project was opened, then reads its columns once."""

    def __init__(self, window: MainWindow) -> None:
        """Watch over a window."""
        super().__init__(window)
        self._window = window
        self._done: Session | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(QUIET_MS)
        self._timer.timeout.connect(self._begin)
        window.page_shown.connect(lambda _: self._timer.start())
        self._timer.start()

    def wait_ms(self, quiet: int) -> None:
        """Wait so long before the first look."""
        self._timer.setInterval(quiet)
        self._timer.start()

    def _begin(self) -> None:
        session, tasks = self._window.session, self._window.surroundings.tasks
        if session is None or session is self._done:
            return
        if tasks.running():
            self._timer.start()
            return
        self._done = session
        tasks.run(KIND, beside(session, _prepare))


def _prepare(session: Session, _: Progress) -> None:
    from reviewer.services.audits import remembering

    remembering.prepare(session)
    _give_back()


def _give_back() -> None:
    """Return to the system what reading left over; glibc keeps 40 MB of it for later threads."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
