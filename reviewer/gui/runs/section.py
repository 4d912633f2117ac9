"""A section of the Runs page: something about run A, or A and B, read while in view."""

from collections.abc import Iterable

from PySide6.QtCore import Signal
from typing_extensions import override

from reviewer.gui.background import Found
from reviewer.gui.exposing import Exposing
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.sections import Reading, Section
from reviewer.services.project.session import Session


class RunsSection(Section[Found]):
    """A section on run A, and run B beside it; it says what to read in `reading`.

    The page calls `show_runs` anew when run A or B changes, when evaluations, scores or labels
    changed, and when a job ended.

    Signals:
        failed: An expected error, as a sentence for the notice bar.
        command_requested: A command of the window is to be run, by its id.
        runs_changed: The section wrote something that the list of runs shows.
        section_requested: Another section is to be shown, by its title.
    """

    page = "runs"
    working = "Reading…"
    failed = Signal(str)
    command_requested = Signal(str)
    runs_changed = Signal()
    section_requested = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section empty; subclasses put their cards into `body`."""
        super().__init__(surroundings)
        self.run = self.other = ""
        self._exposing = Exposing(self.session, self)
        self._exposing.failed.connect(self.failed)

    @classmethod
    def fits(cls, session: Session, run: str) -> bool:
        """Tell whether the section has anything to say; `run` is empty where there is none."""
        return bool(session and run)

    @property
    @override
    def about(self) -> tuple[str, str]:
        """Give run A and run B."""
        return self.run, self.other

    def reading(self, run: str) -> Reading[Found] | None:
        """Give what is to be read beside the window about run A; None where nothing is."""
        raise NotImplementedError

    @override
    def work(self) -> Reading[Found] | None:
        """Give what is to be read about run A."""
        return self.reading(self.run)

    def show_runs(self, run: str, other: str = "") -> None:
        """Take run A and run B; read at once where in view."""
        if (run, other) != (self.run, self.other):
            # a reading that still goes on is about something else
            self.surroundings.tasks.drop(self.task)
        self.run, self.other = run, other
        self.renew()

    def expose(self, evaluations: Iterable[int]) -> None:
        """Note whose auto scores are listed."""
        self._exposing.note(evaluations)
