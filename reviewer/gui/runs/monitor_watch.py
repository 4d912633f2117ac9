"""Looks of a monitor beside the window: once, or again and again while a folder is watched."""

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.domain.monitoring import Monitor
from reviewer.domain.progress import Progress
from reviewer.gui.own_session import beside
from reviewer.gui.tasks import Tasks
from reviewer.services.monitoring import looking
from reviewer.services.monitoring.looking import Looked, Watch
from reviewer.services.session import Session

LOOK = "monitor look"


class MonitorWatch(QObject):
    """Looks every few seconds, one look at a time.

    Signals:
        looked: A look is done, with what it came to (`Looked`).
        failed: A look could not be done; it is tried again while watching.
        changed: Watching or looking began or ended.
    """

    looked = Signal(object)
    failed = Signal(str)
    changed = Signal()

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        """Make it; nothing is watched."""
        super().__init__(parent)
        self._tasks = tasks
        self._session: Session | None = None
        self._rubric = ""
        self._watch = Watch()
        self._timer = QTimer(self)
        self._timer.setInterval(int(1000 * looking.EVERY_SECONDS))
        self._timer.timeout.connect(self._look)

    @property
    def watching(self) -> str:
        """Give the rubric whose monitor watches, empty where none does."""
        return self._rubric if self._timer.isActive() else ""

    @property
    def looks(self) -> bool:
        """Tell whether a look is under way."""
        return LOOK in self._tasks.running()

    def begin(self, session: Session, monitor: Monitor) -> None:
        """Look now and every few seconds from now on."""
        self._take(session, monitor)
        self._timer.start()
        self._look()

    def once(self, session: Session, monitor: Monitor) -> None:
        """Look now; files count as whole that were the same a moment before."""
        if self.watching == monitor.rubric:
            self._look()
            return
        self._take(session, monitor)
        self._look(settled=True)

    def end(self) -> None:
        """Watch no longer; a look under way is stopped, and what it did is kept."""
        self._timer.stop()
        self._tasks.cancel(LOOK)
        self._session = None
        self.changed.emit()

    def _take(self, session: Session, monitor: Monitor) -> None:
        self._timer.stop()
        self._session, self._rubric = session, monitor.rubric
        self._watch = Watch.of(monitor)

    def _look(self, *, settled: bool = False) -> None:
        session, watch, rubric = self._session, self._watch, self._rubric
        if session is None or self.looks:
            return

        def work(own: Session, progress: Progress) -> Looked:
            if settled:
                looking.settle(own, watch)
            return watch.look(own, rubric, progress)

        task = self._tasks.run(LOOK, beside(session, work))
        task.finished.connect(self._done)
        task.failed.connect(self.failed)
        task.ended.connect(self.changed)
        self.changed.emit()

    def _done(self, found: object) -> None:
        if self._session is not None:
            self.looked.emit(found)
