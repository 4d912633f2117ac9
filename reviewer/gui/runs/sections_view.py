"""The middle of the Runs page: a row of sections, and the chosen one beneath it."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.scrolling import ScrolledColumn
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.section import RunsSection
from reviewer.services.project.session import Session

_Kind = TypeVar("_Kind", bound=RunsSection)


class SectionsView(QWidget):
    """Makes a section when it is chosen for the first time."""

    def __init__(
        self,
        surroundings: Surroundings,
        kinds: Sequence[type[RunsSection]],
        connect: Callable[[RunsSection], None],
    ) -> None:
        """Make the row, and the first section; `connect` gets each section that is made."""
        super().__init__()
        self._surroundings = surroundings
        self._kinds = tuple(kinds)
        self._connect = connect
        self._made: dict[int, RunsSection] = {}
        self._given: tuple[Session, str, str] | None = None
        self._chosen = 0
        self.row = SectionRow([kind.title for kind in kinds])
        holder = QWidget()
        self._holder = QVBoxLayout(holder)
        self._holder.setContentsMargins(0, 0, 0, 0)
        self._holder.setSpacing(pieces.GAP)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(pieces.GAP)
        column.addWidget(self.row)
        column.addWidget(ScrolledColumn(holder, "Section"), 1)
        self.row.chosen.connect(self._choose)
        self._choose(0)

    @property
    def current(self) -> RunsSection:
        """Give the section in view."""
        return self._made[self._chosen]

    def bring(self, kind: type[_Kind]) -> _Kind:
        """Bring a section into view by its kind, and give it."""
        self.row.choose(self._kinds.index(kind))
        return self.of_kind(kind)

    def bring_title(self, title: str) -> None:
        """Bring a section into view by its title; nothing happens where there is none."""
        for place, kind in enumerate(self._kinds):
            if kind.title == title:
                self.row.choose(place)

    def of_kind(self, kind: type[_Kind]) -> _Kind:
        """Give a section by its kind, made where it is still to do.

        Raises:
            TypeError: The table of sections holds something else in its place.
        """
        made = self.section(self._kinds.index(kind))
        if not isinstance(made, kind):
            raise TypeError(f"{made.title} is no {kind.__name__}.")
        return made

    def section(self, place: int) -> RunsSection:
        """Give a section, made where it is still to do."""
        if place not in self._made:
            made = self._kinds[place](self._surroundings)
            self._connect(made)
            made.hide()
            self._holder.addWidget(made)
            self._made[place] = made
        return self._made[place]

    def show_runs(self, session: Session, run: str, other: str) -> None:
        """Show runs in the section in view; the others take them when they come into view."""
        self._given = (session, run, other)
        self.row.offer([kind.fits(session, run) for kind in self._kinds])
        self.current.show()
        for made in self._made.values():
            made.show_runs(session, run, other)

    def forget(self) -> None:
        """Let go of the project."""
        self._given = None
        for made in self._made.values():
            made.forget()

    def _choose(self, place: int) -> None:
        if self._chosen in self._made:
            self.current.hide()
        self._chosen = place
        shown = self.section(place)
        if self._given is not None:
            shown.show_runs(*self._given)
        shown.show()
