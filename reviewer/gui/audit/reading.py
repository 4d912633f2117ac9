"""Computes the page's figures beside the window: at once without resampling, then with it."""

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.gui.background import beside
from reviewer.gui.kit.tasks import PAINTED, Tasks
from reviewer.services.audits import auditing, remembering
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session

FIRST, SECOND = "audit", "audit intervals"


class AuditReader(QObject):
    """Runs one computation at a time.

    Another scope silences the older one. The same scope after a change waits for it: while labels
    keep coming in, figures and intervals would never be there.

    Signals:
        found: The figures of a scope, an `Audit`.
        refined: The same with resampled intervals and what lags behind.
        failed: Why there are no figures, as a sentence.
        advanced: How far the figures of a scope are: metrics done, and of how many.
    """

    found = Signal(object)
    refined = Signal(object)
    failed = Signal(str)
    advanced = Signal(int, int)

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        """Make it without a project."""
        super().__init__(parent)
        self._tasks = tasks
        self._session: Session | None = None
        self._request: StatsRequest | None = None
        self._again = False

    @property
    def busy(self) -> bool:
        """Tell whether figures are on their way."""
        return bool({FIRST, SECOND} & set(self._tasks.running()))

    def read(self, session: Session, request: StatsRequest) -> None:
        """Compute the figures of a scope."""
        if self.busy and request == self._request:
            self._again = True
            return
        self._session, self._request, self._again = session, request, False
        self._tasks.drop(SECOND)
        task = self._tasks.run(
            FIRST,
            beside(session, lambda own, step: remembering.audit_of(own, request, step)),
            then=self._take,
            failed=self._fail,
        )
        task.progressed.connect(lambda done, total, _: self.advanced.emit(done, total))

    def stop(self) -> None:
        """Cancel what is on its way."""
        self._again = False
        for kind in (FIRST, SECOND):
            self._tasks.cancel(kind)

    def forget(self) -> None:
        """Let go of the project."""
        self.stop()
        self._session = self._request = None

    def _take(self, audit: Audit) -> None:
        session = self._session
        if session is None:
            return
        self.found.emit(audit)
        self._tasks.run(
            SECOND,
            beside(session, lambda own, step: auditing.refine(own, audit, step)),
            after=PAINTED,
            then=self._take_refined,
            failed=lambda _: self._go_on(),
        )

    def _take_refined(self, audit: object) -> None:
        if self._session is not None:
            self.refined.emit(audit)
            self._go_on()

    def _fail(self, sentence: str) -> None:
        self.failed.emit(sentence)
        self._go_on()

    def _go_on(self) -> None:
        """Compute once more where something changed meanwhile."""
        session, request = self._session, self._request
        if self._again and session is not None and request is not None:
            self._again = False
            # the task that has just ended counts as running still
            QTimer.singleShot(0, self, lambda: self.read(session, request))
