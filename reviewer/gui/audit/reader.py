"""Reads the figures of the Audit page beside the window."""

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.gui.background import beside
from reviewer.gui.kit.tasks import PAINTED
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.audits import auditing
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics import StatsRequest

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
    advanced = Signal(object, object)

    def __init__(self, surroundings: ProjectSurroundings, parent: QObject) -> None:
        """Read nothing yet."""
        super().__init__(parent)
        self._session, self._tasks = surroundings.session, surroundings.tasks
        self._request: StatsRequest | None = None
        self._again = False

    @property
    def busy(self) -> bool:
        """Tell whether figures are on their way."""
        return bool({FIRST, SECOND} & set(self._tasks.running()))

    def read(self, request: StatsRequest) -> None:
        """Compute the figures of a scope."""
        if self.busy and request == self._request:
            self._again = True
            return
        self._request, self._again = request, False
        self._tasks.drop(SECOND)
        self._tasks.run(
            FIRST,
            beside(self._session, lambda own, step: auditing.audit_of(own, request, step)),
            then=self._take,
            failed=self._fail,
        ).progressed.connect(self.advanced)

    def stop(self) -> None:
        """Cancel what is on its way."""
        self._again = False
        for kind in (FIRST, SECOND):
            self._tasks.cancel(kind)

    def _take(self, audit: Audit) -> None:
        self.found.emit(audit)
        self._tasks.run(
            SECOND,
            beside(self._session, lambda own, step: auditing.refine(own, audit, step)),
            after=PAINTED,
            then=self._take_refined,
        ).failed.connect(self._go_on)

    def _take_refined(self, audit: Audit) -> None:
        self.refined.emit(audit)
        self._go_on()

    def _fail(self, sentence: str) -> None:
        self.failed.emit(sentence)
        self._go_on()

    def _go_on(self) -> None:
        """Compute once more where something changed meanwhile."""
        if self._again:
            self._again = False
            # the task that has just ended counts as running still
            QTimer.singleShot(0, self, self._read_newest)

    def _read_newest(self) -> None:
        """Read the scope that is wanted by now: it may be another one already."""
        if self._request is not None:
            self.read(self._request)
