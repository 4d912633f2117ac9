"""The keys of list and case: they work while one of the two has the focus.

The palette finds the commands on the page, wherever the focus is; undo and redo work everywhere on
the page.
"""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from reviewer.gui.actions import BULK, COMMANDS, ON_CASE, ON_READING, Command, Scope, bind

Handlers = Mapping[str, Callable[[], object]]
"""What commands do, by the part of their id after the page's."""
_ELSEWHERE = ("undo", "redo", "todo")


def bind_case_keys(page: QWidget, side: QWidget, table: QWidget, handlers: Handlers) -> None:
    """Bind every command of list and case, to the page for the palette, to the side for keys.

    What scrolls the case works from the list alone: Space presses a button that has the focus.
    """
    for command in ON_CASE:
        act = handlers[command.id.removeprefix("audit.")]
        bind(page, command, act).setShortcuts([])
        _bind_within(side, command, act)
    for command in ON_READING:
        act = handlers[command.id.removeprefix("audit.")]
        bind(page, command, act).setShortcuts([])
        scroll = _bind_within(table, command, act)
        scroll.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        scroll.setAutoRepeat(True)
    others = [x for x in BULK if x.scope is Scope.AUDIT]
    for command in (*others, *(COMMANDS[f"audit.{name}"] for name in _ELSEWHERE)):
        bind(page, command, handlers[command.id.removeprefix("audit.")])


def _bind_within(side: QWidget, command: Command, handler: Callable[[], object]) -> QAction:
    action = QAction(command.title, side)
    action.setShortcuts([QKeySequence(key) for key in command.keys])
    action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    action.setAutoRepeat(False)
    action.triggered.connect(lambda *_: handler())
    side.addAction(action)
    return action
