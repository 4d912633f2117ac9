"""Dialogs about the open project, which go when it is closed."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from typing_extensions import override

from reviewer.gui.kit.focus_order import follow_layout


class ProjectDialog(QDialog):
    """A dialog that holds a project's session, or shows what was found in the project.

    Attributes:
        is_left: Whether its project is closed; what is still told to it counts no more.
    """

    is_left = False

    def __init__(self, parent: QWidget | None, title: str, *, once: bool = True) -> None:
        """Make the dialog; one that is shown `once` is gone when it is closed."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, once)

    @override
    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go through the dialog as it is read."""
        follow_layout(self)
        return super().focusNextPrevChild(forward)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Begin where the dialog is read first."""
        follow_layout(self)
        super().showEvent(event)

    def let_go(self) -> None:
        """Close without a question; every question that stands over it is answered with no."""
        self.is_left = True
        for timer in self.findChildren(QTimer):
            timer.stop()
        questions = [x for x in self.findChildren(QDialog) if _is_open_question(x)]
        for question in questions:
            question.reject()
        if questions:
            # whoever asked goes on with the answer, and needs the dialog for that
            self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        self.done(QDialog.DialogCode.Rejected)


def let_go_of_dialogs(window: QWidget) -> None:
    """Close every dialog of a window that is about its project."""
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, ProjectDialog) and _is_of(widget, window):
            widget.let_go()


def _is_open_question(dialog: QDialog) -> bool:
    return dialog.isVisible() and not isinstance(dialog, ProjectDialog)


def _is_of(dialog: QWidget, window: QWidget) -> bool:
    above: QWidget | None = dialog
    while above is not None and above is not window:
        above = above.parentWidget()
    return above is window
