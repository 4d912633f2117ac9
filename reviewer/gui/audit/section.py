"""A section of the Audit page: figures of its own on the page's scope, read while in view."""

from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.progress import Progress
from reviewer.gui.background import beside
from reviewer.gui.figures.figure_menu import FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.page import Surroundings
from reviewer.services.audits.auditing import Audit
from reviewer.services.project.session import Session

Reading = Callable[[Session, Progress], object]
"""What is worked out beside the window: it gets a session of its own and touches no widget."""

WORKING = "Working out the figures…"
UPDATING = "updating…"


class Section(QWidget):
    """One section; it reads only while it is in view, and the newest reading silences the older.

    A section says what to work out in `reading` and shows the outcome in `show_found`; the rest
    is done here. What was shown of the same metric stays while newer figures are on their way.

    Signals:
        responses_requested: Responses are to be listed, by their evaluations' keys (a sequence
            or an array of numbers) and a heading in words.
        filter_requested: The page's scope is to be narrowed by words of the filter language.
        metric_requested: Another metric is to be shown, by its name.
        noted: Something worth a passing line in the notice bar.
    """

    title: ClassVar[str] = ""
    responses_requested = Signal(object, str)
    filter_requested = Signal(str)
    metric_requested = Signal(str)
    noted = Signal(str)

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the section empty; subclasses put their cards into `body`."""
        super().__init__()
        self.surroundings = surroundings
        self.theme = surroundings.theme
        self._session: Session | None = None
        self._audit: Audit | None = None
        self._metric = ""
        self._due = self._again = False
        self._shown: str | None = None
        self.state = pieces.named(
            pieces.text("", "muted", wrap=True), f"State of {self.title}", hidden=True
        )
        self.figures = FigureMenu(self.theme, self)
        self.figures.responses_requested.connect(self.responses_requested)
        self.figures.noted.connect(self.noted)
        self.body = layouts.column(gap=pieces.GAP)
        layouts.column(self.state, self.body, 1, on=self, margins=0, gap=pieces.GAP)

    @classmethod
    def fits(cls, audit: Audit) -> bool:
        """Tell whether the section has anything to say about this rubric."""
        return audit is not None

    @property
    def session(self) -> Session | None:
        """Give the window's own session, for commits; reading happens beside it."""
        return self._session

    @property
    def audit(self) -> Audit | None:
        """Give the figures of the scope in view."""
        return self._audit

    @property
    def chosen_metric(self) -> str:
        """Give the metric in view."""
        return self._metric

    def show_metric(self, session: Session, audit: Audit, metric: str) -> None:
        """Take other figures, another scope or another metric; read at once where in view."""
        before = None if self._audit is None else (self._audit.request, self._metric)
        self._session, self._audit, self._metric = session, audit, metric
        if before == (audit.request, metric) and self.is_reading:
            # dropping it for every label that comes in would never show anything
            self._again = True
            return
        self._due = True
        if self.isVisible():
            self.recompute()

    def refine(self, audit: Audit) -> None:
        """Take the same figures with resampled intervals; nothing is read anew."""
        self._audit = audit

    def forget(self) -> None:
        """Let go of the project."""
        self._session = self._audit = None
        self._metric, self._shown = "", None
        self._due = self._again = False
        self.surroundings.tasks.cancel(self.task)
        self.say("")

    @property
    def task(self) -> str:
        """Give the kind of the section's own task."""
        return f"audit section {self.title}"

    def reading(self, audit: Audit, metric: str) -> Reading | None:
        """Give what is to be worked out beside the window; None where nothing is."""
        raise NotImplementedError

    def show_found(self, found: object) -> None:
        """Show what the reading gave."""
        raise NotImplementedError

    def recompute(self) -> None:
        """Read anew: the figures changed, or a choice of the section's own."""
        session, audit = self._session, self._audit
        if session is None or audit is None:
            return
        self._due = self._again = False
        wanted = self.reading(audit, self._metric)
        if wanted is None:
            return
        self.say(UPDATING if self._shown == self._metric else WORKING)
        task = self.surroundings.tasks.run(self.task, beside(session, wanted))
        task.finished.connect(self._take)
        task.failed.connect(self.say)

    def say(self, sentence: str) -> None:
        """Show a sentence above the section, or nothing."""
        self.state.setText(sentence)
        self.state.setVisible(bool(sentence))

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Read what was missed while out of view."""
        super().showEvent(event)
        if self._due:
            self.recompute()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Stop reading out of view: somebody may be labelling."""
        super().hideEvent(event)
        if self.is_reading:
            self.surroundings.tasks.cancel(self.task)
            self._due = True

    @property
    def is_reading(self) -> bool:
        """Tell whether figures are being worked out."""
        return self.task in self.surroundings.tasks.running()

    def _take(self, found: object) -> None:
        if self._session is None:
            return
        self._shown = self._metric
        self.say("")
        self.show_found(found)
        if self._again and self.isVisible():
            self.recompute()
