"""Who labels, always in sight at the top: the dot and the role, the menu, the first choice."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from reviewer.domain.change import Change, PeopleChanged
from reviewer.domain.run import Labeler
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.labelers.dots import dot
from reviewer.gui.window import MainWindow
from reviewer.services.project.session import Session, is_blind
from reviewer.services.queues import profiles

SEVERAL = 2


class Presence(QObject):
    """Shows the active labeler, and asks who it is where nobody was chosen on this computer.

    Attributes:
        chooser: The bar that asks, None where nobody needs to be asked.
    """

    def __init__(self, window: MainWindow) -> None:
        """Follow the window's projects."""
        super().__init__(window)
        self._window = window
        self.chooser: QWidget | None = None
        self._sight: tuple[object, ...] = ()
        pieces.connect(
            (window.session_opened, self._open),
            (window.session_closing, self._put_away),
            (window.top.labelers_wanted, self._fill_menu),
        )
        leave = window.surroundings.settings.subscribe(self._on_setting)
        window.destroyed.connect(lambda *_: leave())
        window.surroundings.theme.changed.connect(self.show_labeler)

    def show_labeler(self) -> None:
        """Show name, colour and role of the active labeler."""
        session = self._window.session
        if session is None:
            self._window.top.show_labeler(self._window.surroundings.settings.labeler)
            return
        if not session.is_named:
            self._window.top.show_labeler(session.labeler.name)
            return
        person = profiles.active(session)
        self._window.top.show_labeler(person.name, person.role, self._dot(person))

    def _dot(self, person: Labeler) -> QIcon:
        return dot(self._window.surroundings.theme, person.colour)

    def _open(self, session: Session) -> None:
        session.subscribe(self._on_change)
        self._sight = _sight(session)
        self.show_labeler()
        settings = self._window.surroundings.settings
        known = {person.name for person in session.labelers()}
        if session.package_labeler() is not None:
            return
        if len(known) >= SEVERAL and not settings.is_set("labeler"):
            session.ask_name()
            self._ask([x for x in profiles.every(session) if x.name in known])
            self.show_labeler()

    def _ask(self, people: list[Labeler]) -> None:
        theme = self._window.surroundings.theme

        chooser = LabelerChooser(theme, people)
        chooser.chosen.connect(self._window.top.labeler_requested)
        holder = self._window.stack.parentWidget()
        layout = holder.layout() if holder is not None else None
        if isinstance(layout, QVBoxLayout):
            layout.insertWidget(layout.indexOf(self._window.stack), chooser)
        self.chooser = chooser

    def _put_away(self) -> None:
        if self.chooser is not None:
            pieces.discard(self.chooser)
        self.chooser = None

    def _on_setting(self, name: str) -> None:
        if name == "labeler":
            if self.chooser is not None:
                # what was refused for want of a name is refused no more
                self._window.notices.let_pass()
            self._put_away()
            self.show_labeler()

    def _on_change(self, change: Change) -> None:
        session = self._window.session
        if session is not None and isinstance(change, PeopleChanged):
            self.show_labeler()
            before, self._sight = self._sight, _sight(session)
            if before != self._sight:
                for page in self._window.made_pages():
                    page.settle()
                self._window.reopen_pages()

    def _fill_menu(self) -> None:
        session = self._window.session
        kept = self._window.surroundings.settings.labeler
        current = session.labeler.name if session is not None else kept
        people = profiles.every(session) if session is not None else ()
        named = [(person.name, str(person.role), self._dot(person)) for person in people]
        is_named = session is None or session.is_named
        if is_named and current not in {name for name, _, _ in named}:
            named.append((current, "", QIcon()))
        self._window.top.fill_labelers(sorted(named, key=lambda x: x[0].casefold()), current)


def _sight(session: Session) -> tuple[object, ...]:
    """Give what decides about what is hidden from the labeler, apart from queues."""
    return session.labeler.name, session.labeler.role, is_blind(session.project)


SHOWN = 6


class LabelerChooser(pieces.Panel):
    """One button a person, and a field for somebody new; it is gone once somebody was chosen.

    Signals:
        chosen: Who labels here from now on, by name.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, people: Sequence[Labeler]) -> None:
        """Ask among a project's people."""
        super().__init__("bottom")
        self.setAccessibleName("Who are you?")
        row = layouts.FlowLayout(self, spacing=theme.px(8))
        row.setContentsMargins(*[theme.px(10)] * 4)
        row.addWidget(pieces.text("Who are you? Labels are stored under a name.", "strong"))
        self.buttons: list[pieces.Button] = []
        for person in people[:SHOWN]:
            button = pieces.Button(
                f"{one_line(person.name, 30)} · {person.role}",
                partial(self._choose, person.name),
                dense=True,
                name=f"I am {person.name}, {person.role}",
            )
            button.setIcon(dot(theme, person.colour))
            row.addWidget(button)
            self.buttons.append(button)
        self.field = pieces.named(
            QLineEdit(placeholderText="Somebody else: name, then Return"), "My name"
        )
        self.field.setFixedWidth(theme.px(230))
        self.field.returnPressed.connect(lambda: self._choose(self.field.text().strip()))
        row.addWidget(self.field)

    def _choose(self, name: str) -> None:
        if name:
            self.chosen.emit(name)
