"""The button that starts a job: it is kept beside the window, then handed to its process."""

from collections.abc import Callable

from PySide6.QtCore import Signal

from reviewer.gui.jobs.job_lines import to_work
from reviewer.gui.jobs.jobs_at_work import JobAtWork
from reviewer.gui.kit import pieces
from reviewer.gui.own_session import seeing
from reviewer.gui.page import Surroundings
from reviewer.services.evaluating import launching
from reviewer.services.evaluating.launching import Wish
from reviewer.services.project.session import Session

KEEP = "keep a job"


class StartButton(pieces.Button):
    """Can be pressed once what is chosen can be launched, and not again before that is done.

    Signals:
        failed: Why there is no job, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, surroundings: Surroundings, pressed: Callable[[], object]) -> None:
        """Make the button for no project yet; who has the wish calls `launch`."""
        super().__init__("Start", pressed, kind="primary")
        self._surroundings = surroundings
        self._session: Session | None = None
        self._asked_of: Session | None = None
        self._is_ready = False

    @property
    def is_busy(self) -> bool:
        """Tell whether a job is just being kept."""
        return KEEP in self._surroundings.tasks.running()

    def open(self, session: Session | None) -> None:
        """Launch on a project, or on none."""
        self._session = session

    def set_ready(self, *, ready: bool) -> None:
        """Say whether what is chosen can be launched."""
        self._is_ready = ready
        self.setEnabled(ready and not self.is_busy)

    def launch(self, wish: Wish) -> None:
        """Keep a job that does what is wished, and start it."""
        session = self._session
        if session is None or self.is_busy:
            return
        work = seeing(session, lambda own, _: to_work(own, launching.launch(own, wish).key))
        task = self._surroundings.tasks.run(KEEP, work)
        self._asked_of = session
        task.finished.connect(self._take)
        task.failed.connect(self._fail)
        task.ended.connect(self._end)
        self.setEnabled(False)

    def _take(self, job: object) -> None:
        # in another project the number is another job's
        if isinstance(job, JobAtWork) and self._session is self._asked_of:
            self._surroundings.jobs.start(job)

    def _fail(self, sentence: str) -> None:
        if self._session is self._asked_of:
            self.failed.emit(sentence)

    def _end(self) -> None:
        self.set_ready(ready=self._is_ready)
