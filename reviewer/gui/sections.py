"""Sections of a page: each reads beside the window while in view, chosen in a row of titles."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from reviewer.domain.errors import Progress
from reviewer.gui.background import beside
from reviewer.gui.figures.figure_menu import FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import ScrolledColumn
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.project.session import Session

Found = TypeVar("Found")
Reading = Callable[[Session, Progress], Found]
"""What is worked out beside the window: it gets a session of its own and touches no widget."""

UPDATING = "updating…"


class Section(QWidget, Generic[Found]):
    """One section; it reads only while it is in view, and the newest reading silences the older.

    A section says what to read in `work` and shows the outcome in `show_found`; the rest is done
    here. What was shown `about` the same stays while something newer is on its way.

    Attributes:
        choices: The fields whose values stay when the section is made anew.

    Signals:
        responses_requested: Responses are to be listed, by their evaluations' keys (a sequence
            or an array of numbers) and a heading in words.
        noted: Something worth a passing line in the notice bar.
    """

    page: ClassVar[str] = ""
    title: ClassVar[str] = ""
    working: ClassVar[str] = ""
    choices: Sequence[QWidget] = ()
    responses_requested = Signal(object, str)
    noted = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section empty; subclasses put their cards into `body`."""
        super().__init__()
        self.surroundings = surroundings
        self.theme = surroundings.theme
        self.session = surroundings.session
        self._due = self._again = False
        self._shown: object = None
        self.state = pieces.named(
            pieces.text("", "muted", wrap=True), f"State of {self.title}", hidden=True
        )
        self.figures = FigureMenu(self.theme, self)
        pieces.connect(
            (self.figures.responses_requested, self.responses_requested),
            (self.figures.noted, self.noted),
        )
        self.body = layouts.column(gap=pieces.GAP)
        layouts.column(self.state, self.body, 1, on=self, margins=0, gap=pieces.GAP)

    @property
    def task(self) -> str:
        """Give the kind of the section's own task."""
        return f"{self.page} section {self.title}"

    @property
    def about(self) -> object:
        """Give what the section is about, such as a metric; the same words keep what is shown."""
        raise NotImplementedError

    def work(self) -> Reading[Found] | None:
        """Give what is to be read beside the window; None where nothing is."""
        raise NotImplementedError

    def show_found(self, found: Found) -> None:
        """Show what the reading gave."""
        raise NotImplementedError

    def renew(self) -> None:
        """Read anew, out of view as soon as it is in view."""
        self._due = True
        if self.isVisible():
            self.recompute()

    def recompute(self) -> None:
        """Read anew: something changed, or a choice of the section's own."""
        self._due = self._again = False
        wanted = self.work()
        if wanted is None:
            self.say("")
            return
        self.say(UPDATING if self._shown == self.about else self.working)
        self.surroundings.tasks.run(
            self.task, beside(self.session, wanted), then=self._take, failed=self.say
        )

    def let_go(self) -> None:
        """Stop reading for good: the project is about to close."""
        self.surroundings.tasks.drop(self.task)
        self.surroundings.choices.keep(self.choices)

    def say(self, sentence: str) -> None:
        """Show a sentence above the section, or nothing."""
        pieces.say(self.state, sentence)

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
            self.surroundings.tasks.drop(self.task)
            self._due = True

    @property
    def is_reading(self) -> bool:
        """Tell whether something is being read."""
        return self.task in self.surroundings.tasks.running()

    def _take(self, found: Found) -> None:
        self._shown = self.about
        self.say("")
        self.show_found(found)
        if self._again and self.isVisible():
            self.recompute()


Kind = TypeVar("Kind", bound=Section[Any])
One = TypeVar("One", bound=Section[Any])


class Sections(QWidget, Generic[Kind]):
    """A row of sections and the chosen one beneath it, each made when it is chosen first."""

    def __init__(
        self,
        surroundings: ProjectSurroundings,
        kinds: Sequence[type[Kind]],
        name: str,
        *between: QWidget,
        connect: Callable[[Kind], object],
    ) -> None:
        """Make the row, what stands between, and the first section.

        Args:
            surroundings: What sections need.
            kinds: The sections in the order of the row.
            name: What screen readers call the place of the section in view.
            between: What stands between the row and the section.
            connect: Gets each section that is made.
        """
        super().__init__()
        self._surroundings, self._kinds, self._connect = surroundings, tuple(kinds), connect
        self._made: dict[int, Kind] = {}
        self._give: Callable[[Kind], object] | None = None
        self._chosen = 0
        self.row = SectionRow([kind.title for kind in kinds])
        holder = QWidget()
        self._holder: QVBoxLayout = layouts.column(on=holder, margins=0, gap=pieces.GAP)
        scrolled = ScrolledColumn(holder, name)
        layouts.column(self.row, *between, (scrolled, 1), on=self, margins=0, gap=pieces.GAP)
        self.row.chosen.connect(self._choose)
        self._choose(0)
        surroundings.choices.bring(self.row.buttons)

    @property
    def current(self) -> Kind:
        """Give the section in view."""
        return self._made[self._chosen]

    def bring(self, kind: type[One]) -> One:
        """Bring a section into view by its kind, and give it."""
        self.bring_title(kind.title)
        return self.of_kind(kind)

    def bring_title(self, title: str) -> None:
        """Bring a section into view by its title; nothing happens where there is none."""
        for place, kind in enumerate(self._kinds):
            if kind.title == title:
                self.row.choose(place)

    def of_kind(self, kind: type[One]) -> One:
        """Give a section by its kind, made where it is still to do.

        Raises:
            TypeError: The table of sections holds something else in its place.
        """
        made = self.section([x.title for x in self._kinds].index(kind.title))
        if not isinstance(made, kind):
            raise TypeError(f"{made.title} is no {kind.__name__}.")
        return made

    def section(self, place: int) -> Kind:
        """Give a section, made where it is still to do."""
        if place not in self._made:
            self._made[place] = made = self._kinds[place](self._surroundings)
            self._surroundings.choices.bring(made.choices)
            self._connect(made)
            made.hide()
            self._holder.addWidget(made)
        return self._made[place]

    def show_fitting(self, fitting: Sequence[bool], give: Callable[[Kind], object]) -> None:
        """Give every section something to show; the others show it when they come into view."""
        self._give = give
        self.row.offer(fitting)
        self.current.show()
        for made in self._made.values():
            give(made)

    @property
    def is_given(self) -> bool:
        """Tell whether sections have something to show."""
        return self._give is not None

    def show_none(self) -> None:
        """Show no section."""
        self._give = None
        self.current.hide()

    def let_go(self) -> None:
        """Stop reading for good, and keep what was chosen."""
        self._surroundings.choices.keep(self.row.buttons)
        for made in self._made.values():
            made.let_go()

    def _choose(self, place: int) -> None:
        if self._chosen in self._made:
            self.current.hide()
        self._chosen = place
        shown = self.section(place)
        if self._give is not None:
            self._give(shown)
            shown.show()
