"""The menus above the window: every command that the palette knows, with its keys.

What is shown holds no keys of its own: a page's commands must not work on other pages, and some
keys change with the focus. The commands themselves have them.
"""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget
from typing_extensions import override

from reviewer.gui.actions import EVERY, Command, Menu
from reviewer.gui.kit.text import literal

PAINTED_MS = 50
"""When the first page is painted, and the menus are filled."""


class Line(Struct, frozen=True):
    """A line of a menu: the commands of one title, of which the page in view has one."""

    shown: QAction
    commands: tuple[Command, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """Give the ids of its commands."""
        return tuple(x.id for x in self.commands)


class _Menu(QMenu):
    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Space choose as Return does; the page has it only while no menu is open."""
        if event.key() == Qt.Key.Key_Space:
            event = QKeyEvent(event.type(), Qt.Key.Key_Return, event.modifiers())
        super().keyPressEvent(event)


class MenuBar(QMenuBar):
    """The menus; what cannot be done now is grey."""

    def __init__(
        self,
        find_actions: Callable[[], Sequence[tuple[Command, QAction]]],
        may: Callable[[Command], bool],
        parent: QWidget,
    ) -> None:
        """Make the menus, filled a moment later.

        Args:
            find_actions: Gives what works now.
            may: Tells what whoever labels here may do at all; the rest is left out.
            parent: The window.
        """
        super().__init__(parent)
        self._may = may
        self.setAccessibleName("Menus")
        self._find_actions = find_actions
        self._lines: dict[Menu, list[Line]] = {}
        for menu in Menu:
            made = _Menu(menu.value, self)
            self.addMenu(made)
            made.aboutToShow.connect(partial(self._refresh, menu, made))
            # a menu that holds nothing yet is left out where the system shows the menus
            QTimer.singleShot(PAINTED_MS, made, partial(self._lines_of, menu, made))

    def open_first(self) -> None:
        """Open the first menu, for the keyboard."""
        self.setActiveAction(self.actions()[0])

    def _refresh(self, menu: Menu, made: QMenu) -> None:
        working = {c.id for c, action in self._find_actions() if action.isEnabled()}
        for line in self._lines_of(menu, made):
            line.shown.setEnabled(not working.isdisjoint(line.ids))
            line.shown.setVisible(any(self._may(x) for x in line.commands))

    def _lines_of(self, menu: Menu, made: QMenu) -> list[Line]:
        """Give the lines of a menu, made when they are asked for first."""
        if menu not in self._lines:
            mine = [c for c in EVERY if c.listed and c.menu is menu]
            parts = [[c for c in mine if c.part == n] for n in sorted({c.part for c in mine})]
            self._lines[menu] = []
            for part in parts:
                if not made.isEmpty():
                    made.addSeparator()
                for title in dict.fromkeys(c.title for c in part):
                    same = [c for c in part if c.title == title]
                    self._lines[menu].append(self._line(made, same))
        return self._lines[menu]

    def _line(self, made: QMenu, same: Sequence[Command]) -> Line:
        keys = next((c.keys_text for c in same if c.keys), "")
        title = literal(same[0].title)
        shown = made.addAction(f"{title}\t{keys}" if keys else title)
        line = Line(shown, tuple(same))
        shown.triggered.connect(lambda *_: self._run(line.ids))
        return line

    def _run(self, names: Sequence[str]) -> None:
        for command, action in self._find_actions():
            if command.id in names and action.isEnabled():
                action.trigger()
                return
