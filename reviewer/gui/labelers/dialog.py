"""Everybody's profile: name, colour, role; what was labelled stays with the person."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QScrollArea,
    QWidget,
)

from reviewer.domain.change import Change, PeopleChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Labeler
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.labelers.dots import dot
from reviewer.gui.page import ProjectDialog
from reviewer.services.project.session import Session, is_blind, may_lead, set_blind
from reviewer.services.queues import profiles

ROLES = ("labeler", "lead")
HELP = (
    "Leads see the audit, decide where people differ and make queues. A new name keeps everything "
    "that the person labelled."
)


BLIND = (
    "Auto scores, reasoning and other people's labels stay hidden from everybody until a response "
    "is answered. Leads decide; a queue may be drawn otherwise. Leads see everything on Audit and "
    "Runs, and what they label afterwards is recorded as seen."
)


class LabelersDialog(ProjectDialog):
    """One line a person; every change holds at once.

    Signals:
        renamed: Somebody has another name: the old one and the new one.
    """

    renamed = Signal(str, str)

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        """Show a project's people."""
        super().__init__(parent, "Labelers")
        self._theme = theme
        self._session = session
        self._acting = False
        self.rows = pieces.dressed(QWidget(), kind="scrolled")
        self._grid = layouts.grid(
            on=self.rows, margins=0, across=theme.px(8), down=theme.px(6), stretch={0: 1}
        )
        area = pieces.named(QScrollArea(widgetResizable=True), "Profiles")
        area.setWidget(self.rows)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.problem = pieces.text("", "alert", wrap=True, hidden=True)
        self.new_name = pieces.named(
            QLineEdit(placeholderText="New labeler: name, then Return"), "Name of a new labeler"
        )
        self.new_name.returnPressed.connect(self._add)
        self.add_button = pieces.Button("Add", self._add)
        self.blind = QCheckBox("Label blind")
        self.blind.clicked.connect(lambda on: self._try(partial(set_blind, session, blind=on)))
        self._arrange(area)
        leave = session.subscribe(self._follow)
        self.destroyed.connect(lambda *_: leave())
        self.refresh()

    def refresh(self) -> None:
        """Show the people as they are now."""
        pieces.clear(self._grid)
        self.blind.setChecked(is_blind(self._session.project))
        self.blind.setEnabled(may_lead(self._session))
        people = profiles.every(self._session)
        for row, person in enumerate(people):
            self._add_row(row, person)
        self._grid.setRowStretch(len(people), 1)

    def _follow(self, change: Change) -> None:
        """Show what another window changed, unless a name is just being written."""
        writing = any(x.isModified() for x in self.rows.findChildren(QLineEdit))
        if isinstance(change, PeopleChanged) and not writing and not self._acting:
            QTimer.singleShot(0, self, self.refresh)

    def _arrange(self, area: QScrollArea) -> None:
        px = self._theme.px
        card = pieces.Card("Labelers")
        layouts.fill(
            card.body,
            pieces.text(HELP, "muted", wrap=True),
            (area, 1),
            self.problem,
            layouts.row((self.new_name, 1), self.add_button),
            pieces.line(),
            self.blind,
            pieces.text(BLIND, "small", wrap=True),
        )
        layouts.column(
            (card, 1),
            layouts.row(
                pieces.text("Changes apply immediately.", "small"),
                1,
                pieces.Button("Close", self.close, kind="primary"),
            ),
            on=self,
            margins=px(14),
            gap=px(12),
        )
        self.setMinimumSize(px(540), px(360))

    def _add_row(self, row: int, person: Labeler) -> None:
        shown = one_line(person.name, 60)
        name = pieces.named(QLineEdit(shown), f"Name of {shown}")
        name.editingFinished.connect(lambda: self._rename(person, name))
        colour = pieces.named(ChoiceBox(), f"Colour of {shown}")
        for one in profiles.COLOURS:
            colour.addItem(dot(self._theme, one), one, one)
        colour.setCurrentIndex(colour.findData(person.colour))
        role = pieces.named(ChoiceBox(), f"Role of {shown}")
        for one in ROLES:
            role.addItem(one, one)
        role.setCurrentIndex(role.findData(person.role))
        colour.activated.connect(
            lambda _: self._try(
                partial(profiles.change, self._session, person.name, colour=colour.currentData())
            )
        )
        role.activated.connect(
            lambda _: self._try(
                partial(profiles.change, self._session, person.name, role=role.currentData())
            )
        )
        for column, widget in enumerate((name, colour, role)):
            self._grid.addWidget(widget, row, column)

    def _rename(self, person: Labeler, field: QLineEdit) -> None:
        asked = field.text().strip()
        if asked in (person.name, one_line(person.name, 60)):
            return
        made: list[str] = []

        def change() -> None:
            made.append(profiles.change(self._session, person.name, new_name=asked).name)

        if self._try(change):
            self.renamed.emit(person.name, made[0])

    def _add(self) -> None:
        name = self.new_name.text()
        if self._try(lambda: profiles.add(self._session, name)):
            self.new_name.clear()
            self.new_name.setFocus()

    def _try(self, act: Callable[[], object]) -> bool:
        """Make a change, or say why it cannot be; the lines show what holds either way."""
        problem, self._acting = "", True
        try:
            act()
        except ReviewerError as error:
            problem = str(error)
        finally:
            self._acting = False
        pieces.say(self.problem, problem)
        self.refresh()
        return not problem
