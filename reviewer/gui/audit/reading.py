"""Computes the page's figures beside the window: at once without resampling, then with it."""

from PySide6.QtCore import QObject, Signal

from reviewer.gui.kit.tasks import PAINTED, Tasks
from reviewer.gui.own_session import beside
from reviewer.services.audits import auditing, remembering
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session

FIRST, SECOND = "audit", "audit intervals"


class AuditReader(QObject):
    """Runs one computation at a time; a newer one silences the older.

    Signals:
        found: The figures of a scope, an `Audit`.
        refined: The same with resampled intervals and what lags behind.
        failed: Why there are no figures, as a sentence.
    """

    found = Signal(object)
    refined = Signal(object)
    failed = Signal(str)

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        """Make it without a project."""
        super().__init__(parent)
        self._tasks = tasks
        self._session: Session | None = None

    @property
    def busy(self) -> bool:
        """Tell whether figures are on their way."""
        return bool({FIRST, SECOND} & set(self._tasks.running()))

    def read(self, session: Session, request: StatsRequest) -> None:
        """Compute the figures of a scope."""
        self._session = session
        self._tasks.cancel(SECOND)
        task = self._tasks.run(
            FIRST,
            beside(session, lambda own, step: remembering.audit_of(own, request, step)),
        )
        task.finished.connect(self._take)
        task.failed.connect(self.failed)

    def stop(self) -> None:
        """Cancel what is on its way."""
        for kind in (FIRST, SECOND):
            self._tasks.cancel(kind)

    def forget(self) -> None:
        """Let go of the project."""
        self.stop()
        self._session = None

    def _take(self, audit: object) -> None:
        session = self._session
        if session is None or not isinstance(audit, Audit):
            return
        self.found.emit(audit)
        task = self._tasks.run(
            SECOND,
            beside(session, lambda own, step: auditing.refine(own, audit, step)),
            after=PAINTED,
        )
        task.finished.connect(self._take_refined)

    def _take_refined(self, audit: object) -> None:
        if self._session is not None:
            self.refined.emit(audit)
