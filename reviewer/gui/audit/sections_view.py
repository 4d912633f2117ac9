"""The middle of the Audit page: a row of sections, and the chosen one beneath it."""

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from reviewer.gui.audit.section import Section
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.scrolling import ScrolledColumn
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import Surroundings
from reviewer.services.audits.auditing import Audit
from reviewer.services.project.session import Session

_Kind = TypeVar("_Kind", bound=Section)


class SectionsView(QWidget):
    """Makes a section when it is chosen for the first time, and hands on what they ask for.

    Signals as those of `Section`.
    """

    responses_requested = Signal(object, str)
    filter_requested = Signal(str)
    metric_requested = Signal(str)
    noted = Signal(str)

    def __init__(self, surroundings: Surroundings, kinds: Sequence[type[Section]]) -> None:
        """Make the row, and the first section."""
        super().__init__()
        self._surroundings = surroundings
        self._kinds = tuple(kinds)
        self._made: dict[int, Section] = {}
        self._given: tuple[Session, Audit, str] | None = None
        self._chosen = 0
        self.row = SectionRow([kind.title for kind in kinds])
        self.state = pieces.text("", "muted", wrap=True, name="State of the figures")
        self.nothing = NothingHere(surroundings.theme)
        holder = QWidget()
        self._holder = layouts.column(on=holder, margins=0, gap=pieces.GAP)
        layouts.column(
            self.row,
            self.state,
            self.nothing,
            (ScrolledColumn(holder, "Figures"), 1),
            on=self,
            margins=0,
            gap=pieces.GAP,
        )
        self.row.chosen.connect(self._choose)
        self.row.hide()
        self._choose(0)

    @property
    def current(self) -> Section:
        """Give the section in view."""
        return self._made[self._chosen]

    def bring(self, kind: type[_Kind]) -> _Kind:
        """Bring a section into view by its kind, and give it."""
        self.row.choose(self._kinds.index(kind))
        return self.of_kind(kind)

    def of_kind(self, kind: type[_Kind]) -> _Kind:
        """Give a section by its kind, made where it is still to do.

        Raises:
            TypeError: The table of sections holds something else in its place.
        """
        made = self.section(self._kinds.index(kind))
        if not isinstance(made, kind):
            raise TypeError(f"{made.title} is no {kind.__name__}.")
        return made

    def section(self, place: int) -> Section:
        """Give a section, made where it is still to do."""
        if place not in self._made:
            made = self._kinds[place](self._surroundings)
            made.responses_requested.connect(self.responses_requested)
            made.filter_requested.connect(self.filter_requested)
            made.metric_requested.connect(self.metric_requested)
            made.noted.connect(self.noted)
            made.hide()
            self._holder.addWidget(made)
            self._made[place] = made
        return self._made[place]

    def show_metric(self, session: Session, audit: Audit, metric: str) -> None:
        """Show figures in the section in view; the others take them when they come into view."""
        self._given = (session, audit, metric)
        self.say("")
        self.nothing.hide()
        self.row.show()
        self.row.offer([kind.fits(audit) for kind in self._kinds])
        self.current.show()
        for made in self._made.values():
            made.show_metric(session, audit, metric)

    def refine(self, audit: Audit) -> None:
        """Hand on the same figures with resampled intervals."""
        if self._given is None:
            return
        self._given = (self._given[0], audit, self._given[2])
        for made in self._made.values():
            made.refine(audit)

    def show_nothing(self, sentence: str) -> None:
        """Show a sentence in place of figures."""
        self.nothing.hide()
        self._given = None
        self.say(sentence)
        self.row.hide()
        self.current.hide()

    def show_empty(self, *, narrowed: bool) -> None:
        """Say that the scope holds no response, and what to do about it."""
        self.show_nothing(NOTHING if narrowed else NO_RESPONSES)
        self.nothing.offer(narrowed=narrowed)

    def tell_how_far(self, done: int, total: int) -> None:
        """Say how far the figures are where none are shown yet."""
        if self._given is None:
            self.say(f"Computing the figures… {done:,} of {total:,} metrics")

    def forget(self) -> None:
        """Let go of the project."""
        self.show_nothing("")
        for made in self._made.values():
            made.forget()

    def say(self, sentence: str) -> None:
        """Show a sentence above the sections, or nothing."""
        self.state.setText(sentence)
        self.state.setVisible(bool(sentence))

    def _choose(self, place: int) -> None:
        if self._chosen in self._made:
            self.current.hide()
        self._chosen = place
        shown = self.section(place)
        if self._given is not None:
            shown.show_metric(*self._given)
            shown.show()


NOTHING = "No response is in this scope."
NO_RESPONSES = "The project has no responses yet. Import evaluation results first."


class NothingHere(QWidget):
    """The ways out of an empty scope, as buttons.

    Signals:
        everything_requested: The scope is to let everything in again.
        command_requested: A command of the window is to be run, by its id.
    """

    everything_requested = Signal()
    command_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the buttons, out of sight."""
        super().__init__()
        row = pieces.FlowLayout(self, spacing=theme.px(8))
        self.widen = pieces.Button("Clear filter and choices", self.everything_requested.emit)
        wish = partial(self.command_requested.emit, "window.import")
        self.bring = pieces.Button("Import results…", wish, name="Import results")
        for button in (self.widen, self.bring):
            row.addWidget(button)
        self.hide()

    def offer(self, *, narrowed: bool) -> None:
        """Offer what helps: to widen the scope, or to bring results where nothing narrows it."""
        self.widen.setVisible(narrowed)
        self.bring.setVisible(not narrowed)
        self.show()
