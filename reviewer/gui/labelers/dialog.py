"""Everybody of a project: profile, how far they are, who is here; how the project is shared."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QMessageBox, QWidget

from reviewer.domain.change import Change, PeopleChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Labeler
from reviewer.domain.wording import fixed
from reviewer.gui.asking import Asking
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.pieces import ScrolledPage
from reviewer.gui.kit.tasks import Refresher
from reviewer.gui.kit.text import one_line
from reviewer.gui.labelers.dots import dot
from reviewer.gui.page import ProjectDialog, ProjectSurroundings
from reviewer.gui.sharing import look_card
from reviewer.gui.sharing.look_card import LookCard, Looks
from reviewer.gui.sharing.sharing_card import SharingCard
from reviewer.services.project.session import Session, is_blind, may_lead, set_blind
from reviewer.services.queues import profiles, team
from reviewer.services.queues.team import Member
from reviewer.services.sharing import link as links
from reviewer.services.sharing import states, taking_part

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
THEIRS = "In a shared project the hub says who leads: invite them again with the other role."
FIGURES = "Agreement and gaps, as they come"
READ, SEATS, OUT = "team-read", "hub-people", "hub-out"
SETTLE_MS = 300


class LabelersDialog(ProjectDialog):
    """One line a person; every change holds at once.

    Signals:
        renamed: Somebody has another name: the old one and the new one.
        evaluation_requested: A response is to be shown on Review, by its key.
        page_requested: A page of the window is to be shown, by its id.
    """

    renamed = Signal(str, str)
    evaluation_requested = Signal(int)
    page_requested = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings, parent: QWidget) -> None:
        """Show a project's people."""
        super().__init__(parent, "Team")
        self._surroundings = surroundings
        self._theme, self._session = surroundings.theme, surroundings.session
        self._acting = False
        self._abouts: dict[str, QLabel] = {}
        self._members: dict[str, Member] = {}
        self._seats: Mapping[str, Any] = {}
        self.rows = pieces.dressed(QWidget(), kind="scrolled")
        self._grid = layouts.grid(
            on=self.rows, margins=0, across=self._theme.px(8), down=self._theme.px(6),
            stretch={0: 2, 3: 3},
        )  # fmt: skip
        self.problem = pieces.text("", "alert", wrap=True, hidden=True)
        self.new_name = pieces.named(
            QLineEdit(placeholderText="New labeler: name, then Return"), "Name of a new labeler"
        )
        self.new_name.returnPressed.connect(self._add)
        self.add_button = pieces.Button("Add", self._add)
        self.blind = QCheckBox("Label blind")
        self.blind.clicked.connect(
            lambda on: self._try(partial(set_blind, self._session, blind=on))
        )
        self.sharing = SharingCard(surroundings)
        self.looks = LookCard(self._theme)
        self.audit = pieces.Button(
            FIGURES, lambda: self.page_requested.emit("audit"), kind="link", name=FIGURES
        )
        self._asking = Asking(surroundings.tasks, self, OUT, self._session)
        self._soon = Refresher(self, self._read, SETTLE_MS)
        self._arrange()
        leave = self._session.subscribe(self._follow)
        self.destroyed.connect(lambda *_: leave())
        pieces.connect(
            (surroundings.hub.changed, self._show_state),
            (self.looks.evaluation_requested, self.evaluation_requested),
            (self.sharing.failed, self._say),
            (self._asking.locked, self._say),
        )
        self.refresh()
        self._look_at_hub()

    @property
    def _is_shared(self) -> bool:
        return links.is_shared(self._session.project)

    def refresh(self) -> None:
        """Show the people as they are now."""
        if self.is_left:
            return
        pieces.clear(self._grid)
        self._abouts = {}
        self.blind.setChecked(is_blind(self._session.project))
        self.blind.setEnabled(may_lead(self._session))
        people = profiles.every(self._session)
        for row, person in enumerate(people):
            self._add_row(self._grid, row, person)
        self._show_state()
        self._soon.wish()

    def _show_state(self) -> None:
        if self.is_left:
            return
        self.sharing.refresh()
        shared, leads = self._is_shared, may_lead(self._session)
        pieces.show(self.looks, self.audit, shown=shared and leads)
        for name, label in self._abouts.items():
            pieces.say(label, self._about(name))

    def _follow(self, change: Change) -> None:
        """Show what another window or computer changed, unless a name is just being written."""
        writing = any(x.isModified() for x in self.rows.findChildren(QLineEdit))
        if isinstance(change, PeopleChanged) and not writing and not self._acting:
            QTimer.singleShot(0, self, self.refresh)
        else:
            self._soon.wish()

    def _read(self) -> None:
        """Read how far everybody is, which is for leads."""
        if self.is_left or not may_lead(self._session):
            return
        shared = self._is_shared

        def find(own: Session, _: object) -> tuple[list[Member], Looks]:
            return team.members(own), look_card.find(own) if shared else Looks()

        self._surroundings.tasks.run(
            READ, beside(self._session, find), then=self._show_read, failed=self._say
        )

    def _show_read(self, found: tuple[Sequence[Member], Looks]) -> None:
        if not self.is_left:
            self._members = {one.name: one for one in found[0]}
            self.looks.show_found(found[1])
            self._show_state()

    def _look_at_hub(self) -> None:
        """Ask the hub for roles of the database and who was taken out, where a line is there."""
        if not (self._is_shared and may_lead(self._session)):
            return
        self._at_hub(taking_part.seats, self._take_seats, lambda _: None)

    def _take_seats(self, found: Mapping[str, Any]) -> None:
        if not self.is_left:
            self._seats = found
            self.refresh()

    def _at_hub(
        self,
        act: Callable[[Session, Any], object],
        then: Callable[[Any], object],
        failed: Callable[[str], object],
    ) -> None:
        try:
            place = taking_part.place_in(self._session.project)
        except ReviewerError as error:
            failed(str(error))
            return
        self._asking.ask(
            place,
            lambda own, hub, _: act(own, hub),
            then=then,
            failed=failed,
        )

    def _take_out(self, name: str) -> None:
        shown = one_line(name, 60)
        question = f"Take {shown} out? They get and send nothing more; their answers stay."
        if QMessageBox.question(self, "Take out", question) != QMessageBox.StandardButton.Yes:
            return
        self._say("")
        account = self._seats[name].account

        def act(own: Session, hub: Any) -> object:  # noqa: ANN401 - the hub's own
            taking_part.remove(hub, account)
            return taking_part.seats(own, hub)

        self._at_hub(act, self._take_seats, self._say)

    def _arrange(self) -> None:
        px = self._theme.px
        card = pieces.Card("Labelers")
        layouts.fill(card.head, self.audit)
        layouts.fill(
            card.body,
            pieces.text(HELP, "muted", wrap=True),
            self.rows,
            self.problem,
            layouts.row(self._asking.button(), 1),
            layouts.row((self.new_name, 1), self.add_button),
            pieces.line(),
            self.blind,
            pieces.text(BLIND, "small", wrap=True),
        )
        inside = pieces.dressed(QWidget(), kind="scrolled")
        layouts.column(card, self.looks, self.sharing, 1, on=inside, margins=0, gap=pieces.GAP)
        area = pieces.named(ScrolledPage(inside), "Team")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layouts.column(
            (area, 1),
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
        fit(self, px(820), px(640))

    def _add_row(self, grid: QGridLayout, row: int, person: Labeler) -> None:
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
        if self._is_shared:
            role.setEnabled(False)
            role.setToolTip(THEIRS)
        change = partial(profiles.change, self._session, person.name)
        colour.activated.connect(lambda _: self._try(partial(change, colour=colour.currentData())))
        role.activated.connect(lambda _: self._try(partial(change, role=role.currentData())))
        about = pieces.text("", "small", wrap=True, name=f"How far {shown} is", hidden=True)
        self._abouts[person.name] = about
        for column, widget in enumerate((name, colour, role, about)):
            grid.addWidget(widget, row, column)
        seat = self._seats.get(person.name)
        mine = person.name == self._session.labeler.name
        if seat is not None and seat.account and not (seat.removed or mine):
            out = pieces.Button(
                "Take out…", partial(self._take_out, person.name), dense=True,
                name=f"Take {shown} out",
            )  # fmt: skip
            grid.addWidget(out, row, 4)

    def _about(self, name: str) -> str:
        """Say what may be known of somebody: of others to labelers only whether they are here."""
        state = self._surroundings.hub.state
        here = state is not None and name in state.here
        parts = ["here now"] if here else []
        seat, one = self._seats.get(name), self._members.get(name)
        if seat is not None and seat.removed:
            parts.append("taken out")
        if one is not None and may_lead(self._session):
            if one.total:
                parts.append(f"{one.done:,} of {one.total:,} answered")
            if one.last_us is not None:
                at = datetime.fromtimestamp(one.last_us / 1e6, UTC)
                parts.append(f"last {states.moment(at.isoformat())}")
            if one.seconds_each is not None:
                parts.append(f"{fixed(one.seconds_each, 0)} s each")
        if seat is not None and seat.account:
            parts.append(f"account {seat.account}")
        return one_line(" · ".join(parts), 200)

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
        self._say(problem)
        self.refresh()
        return not problem

    def _say(self, problem: str) -> None:
        pieces.say(self.problem, problem)
