"""Pages that read the project anew when it changed: soon while they are in view, else later."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget
from typing_extensions import override

PATIENCE: Final = 4


def soon(owner: QObject, act: Callable[[], object], ms: int = 0) -> QTimer:
    """Make a timer that acts once, so many milliseconds after it was last started."""
    timer = QTimer(owner, singleShot=True, interval=ms)
    timer.timeout.connect(act)
    return timer


class Refresher(QObject):
    """Calls a page's `refresh` once after many wishes; a hidden page is refreshed when shown."""

    def __init__(self, page: QWidget, refresh: Callable[[], object], settle_ms: int) -> None:
        """Watch over a page; wishes within `settle_ms` of each other are one.

        Where they never end, a refresh comes after `PATIENCE` times as long all the same.
        """
        super().__init__(page)
        self._page = page
        self._refresh = refresh
        self._due = False
        self._timer = soon(self, self.now)
        self._settle_ms = settle_ms
        self._first = QElapsedTimer()
        page.installEventFilter(self)

    def wish(self) -> None:
        """Ask for a refresh."""
        self._due = True
        if self._page.isVisible():
            if not self._timer.isActive():
                self._first.start()
            left = PATIENCE * self._settle_ms - self._first.elapsed()
            self._timer.start(max(min(self._settle_ms, int(left)), 0))

    def now(self) -> None:
        """Refresh at once."""
        self._timer.stop()
        self._due = False
        self._refresh()

    def forget(self) -> None:
        """Let go of what was asked for: the project is closed."""
        self._timer.stop()
        self._due = False

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Refresh a page that comes into view and is behind."""
        if event.type() == QEvent.Type.Show and self._due:
            QTimer.singleShot(0, self._catch_up)
        return False

    def _catch_up(self) -> None:
        if self._due:
            self.now()
