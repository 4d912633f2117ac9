"""What screen readers call a page's tabs and a metric's levels: Qt says check box of all of them.

A widget says by its property `told` what it is, or by the `kind` that the style sheet knows. Only
where somebody listens is anything of this made.
"""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAccessible, QAccessibleActionInterface, QAccessibleEvent
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QWidget
from typing_extensions import override

_ROLES = {
    "tabs": QAccessible.Role.PageTabList,
    "tab": QAccessible.Role.PageTab,
    "level": QAccessible.Role.RadioButton,
}
_NAMES = {
    "QLineEditIconButton": "Clear",
    "QScrollBar": "Scroll bar",
    "QSplitterHandle": "Edge between panes",
    "QTableCornerButton": "Select all",
}
"""The parts that Qt makes by itself, by its names for them, and gives no name to be said."""


def install() -> None:
    """Let screen readers be told by kind; once for the whole program."""
    QAccessible.installFactory(_tell)


def _tell(name: str, told: QObject) -> "_Told | None":
    """Tell of what Qt would not call right; it is asked with the name of each class of it."""
    if not isinstance(told, QWidget):
        return None
    if name in _NAMES and not told.accessibleName():
        # a name tells of itself, and nothing can be told of what is being asked for yet
        QTimer.singleShot(0, told, lambda: told.setAccessibleName(_NAMES[name]))
        return None
    role = _ROLES.get(str(told.property("told") or told.property("kind")))
    return None if role is None else _Told(told, role)


class _Told(QAccessibleWidget):
    """A widget as screen readers know it: its role, whether it is chosen, and its press."""

    def __init__(self, widget: QWidget, role: QAccessible.Role) -> None:
        super().__init__(widget, role)
        self._button = widget if isinstance(widget, QAbstractButton) else None
        if self._button is not None and role is QAccessible.Role.PageTab:
            button = self._button
            # Qt tells of a check mark, which is nothing that a tab has
            button.toggled.connect(
                lambda _: QAccessible.updateAccessibility(
                    QAccessibleEvent(button, QAccessible.Event.Selection)
                )
            )

    @override
    def state(self) -> QAccessible.State:
        """Say whether it is chosen."""
        told = super().state()
        if self._button is None:
            return told
        if self.role() is QAccessible.Role.PageTab:
            told.selectable, told.selected = True, self._button.isChecked()
        elif self._button.isCheckable():
            told.checkable, told.checked = True, self._button.isChecked()
        return told

    @override
    def actionNames(self) -> list[str]:
        """Offer what a click does."""
        press = [] if self._button is None else [QAccessibleActionInterface.pressAction()]
        return [*press, *super().actionNames()]

    @override
    def doAction(self, action: str) -> None:
        """Do what a click does, or what every widget does."""
        if self._button is not None and action == QAccessibleActionInterface.pressAction():
            self._button.click()
        else:
            super().doAction(action)
