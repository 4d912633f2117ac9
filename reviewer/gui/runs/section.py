"""A section of the Runs page: something about run A, or A and B, read while in view."""

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
from reviewer.services.project.session import Session

Reading = Callable[[Session, Progress], object]
"""What is worked out beside the window: it gets a session of its own and touches no widget."""

WORKING = "Reading…"
UPDATING = "updating…"


class RunsSection(QWidget):
    """One section; it reads only while it is in view, and the newest reading silences the older.

    A section says what to read in `reading` and shows the outcome in `show_found`; the rest is
    done here. What was shown of the same runs stays while something newer is on its way. The page
    calls `show_runs` anew when run A or B changes, when evaluations, scores or labels changed, and
    when a job ended.

    Signals:
        evaluations_requested: Evaluations are to be listed on Review, by their keys (a sequence
            or an array of numbers) and a heading in words.
        noted: Something worth a passing line in the notice bar.
        failed: An expected error, as a sentence for the notice bar.
        command_requested: A command of the window is to be run, by its id.
        runs_changed: The section wrote something that the list of runs shows.
        section_requested: Another section is to be shown, by its title.
    """

    title: ClassVar[str] = ""
    evaluations_requested = Signal(object, str)
    noted = Signal(str)
    failed = Signal(str)
    command_requested = Signal(str)
    runs_changed = Signal()
    section_requested = Signal(str)

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the section empty; subclasses put their cards into `body`."""
        super().__init__()
        self.surroundings = surroundings
        self.theme = surroundings.theme
        self._session: Session | None = None
        self._run = self._other = ""
        self._due = False
        self._shown: tuple[str, str] | None = None
        self.state = pieces.named(
            pieces.text("", "muted", wrap=True), f"State of {self.title}", hidden=True
        )
        self.figures = FigureMenu(self.theme, self)
        self.figures.responses_requested.connect(self.evaluations_requested)
        self.figures.noted.connect(self.noted)
        self.body = layouts.column(gap=pieces.GAP)
        layouts.column(self.state, self.body, 1, on=self, margins=0, gap=pieces.GAP)

    @classmethod
    def fits(cls, session: Session, run: str) -> bool:
        """Tell whether the section has anything to say; `run` is empty where there is none."""
        return bool(session and run)

    @property
    def session(self) -> Session | None:
        """Give the window's own session, for commits; reading happens beside it."""
        return self._session

    @property
    def run(self) -> str:
        """Give the name of run A, empty where the project has none."""
        return self._run

    @property
    def other(self) -> str:
        """Give the name of run B, which run A is compared with; empty where there is none."""
        return self._other

    def show_runs(self, session: Session, run: str, other: str = "") -> None:
        """Take run A and run B; read at once where in view."""
        if (session, run, other) != (self._session, self._run, self._other):
            # a reading that still goes on is about something else
            self.surroundings.tasks.drop(self.task)
        self._session, self._run, self._other = session, run, other
        self.renew()

    def renew(self) -> None:
        """Read anew, out of view as soon as it is in view."""
        self._due = True
        if self.isVisible():
            self.recompute()

    def forget(self) -> None:
        """Let go of the project; subclasses clear what they show."""
        self._session = None
        self._run = self._other = ""
        self._shown, self._due = None, False
        self.surroundings.tasks.drop(self.task)
        self.say("")

    @property
    def task(self) -> str:
        """Give the kind of the section's own task."""
        return f"runs section {self.title}"

    def reading(self, run: str) -> Reading | None:
        """Give what is to be read beside the window about run A; None where nothing is."""
        raise NotImplementedError

    def show_found(self, found: object) -> None:
        """Show what the reading gave."""
        raise NotImplementedError

    def recompute(self) -> None:
        """Read anew: something changed, or a choice of the section's own."""
        session = self._session
        if session is None:
            return
        self._due = False
        wanted = self.reading(self._run)
        if wanted is None:
            self.say("")
            return
        self.say(UPDATING if self._shown == (self._run, self._other) else WORKING)
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
        if self.task in self.surroundings.tasks.running():
            self.surroundings.tasks.drop(self.task)
            self._due = True

    def _take(self, found: object) -> None:
        if self._session is None:
            return
        self._shown = (self._run, self._other)
        self.say("")
        self.show_found(found)
