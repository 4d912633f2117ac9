"""Who labels, always in sight at the top: the dot and the role, the menu, the first choice."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFrame, QLineEdit
from typing_extensions import override

from reviewer.domain.change import Change, PeopleChanged
from reviewer.domain.run import Labeler
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.labelers.dots import dot
from reviewer.gui.window import MainWindow
from reviewer.services.project.session import Session, is_blind
from reviewer.services.queues import profiles

SEVERAL = 2


class Presence(QObject):
    """Shows the active labeler, and asks who it is where nobody was chosen on this computer.

    Attributes:
        chooser: What asks, None where nobody needs to be asked.
    """

    def __init__(self, window: MainWindow) -> None:
        """Follow the window's projects."""
        super().__init__(window)
        self._window = window
        self.chooser: LabelerChooser | None = None
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
        self.chooser = LabelerChooser(self._window, people)
        self.chooser.chosen.connect(self._window.top.labeler_requested)

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


SHOWN, WIDE = 6, 420
"""People that are offered, and pixels at most that the question takes."""


class LabelerChooser(QFrame):
    """One button a person, and a field for somebody new; it is gone once somebody was chosen.

    It floats at the foot of what one reads, so that nothing moves when it comes and goes.

    Signals:
        chosen: Who labels here from now on, by name.
    """

    chosen = Signal(str)

    def __init__(self, window: MainWindow, people: Sequence[Labeler]) -> None:
        """Ask among a project's people."""
        super().__init__(window)
        self._window = window
        self._theme = theme = window.surroundings.theme
        self.setProperty("kind", "floating")
        self.setAccessibleName("Who are you?")
        self._row = row = layouts.FlowLayout(self, spacing=theme.px(5))
        row.setContentsMargins(*[theme.px(10)] * 4)
        row.addWidget(
            pieces.text("Who are you? Labels are stored under a name.", "strong", wrap=True)
        )
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
        self.field.setMinimumWidth(theme.px(200))
        self.field.returnPressed.connect(lambda: self._choose(self.field.text().strip()))
        row.addWidget(self.field)
        window.page_shown.connect(self._stand_over)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the middle of the foot."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _stand_over(self) -> None:
        """Stand over what is read on the page that came into view."""
        self._window.notices.over().installEventFilter(self)
        self._place()
        self.show()

    def _place(self) -> None:
        over, gap = self._window.notices.over(), self._theme.px(8)
        room = QRect(over.mapTo(self._window, QPoint(0, 0)), over.size())
        width = min(self._theme.px(WIDE), room.width() - 2 * gap)
        width = max(width, self._row.minimumSize().width())
        height = self._row.heightForWidth(width)
        left, top = room.center().x() - width // 2, room.bottom() - height - gap
        self.setGeometry(left, top, width, height)
        self.raise_()

    def _choose(self, name: str) -> None:
        if name:
            self.chosen.emit(name)
