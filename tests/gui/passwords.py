"""Press what opens the question for a password: it never opens by itself."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.asking import Asking
from reviewer.gui.kit.pieces import Button
from reviewer.gui.password_dialog import ENTER, PasswordDialog

WAIT_MS = 60_000


def unlocking(widget: QWidget) -> list[Button]:
    """The buttons in sight that open the question."""
    found = widget.findChildren(Button)
    return [x for x in found if x.text() == ENTER and x.isVisible()]


def unlocked(widget: QWidget, asking: Asking, qtbot: QtBot) -> PasswordDialog:
    """Wait until a password is wanted, and press what asks for it."""
    qtbot.waitUntil(lambda: bool(unlocking(widget)), timeout=WAIT_MS)
    assert asking.dialog is None
    unlocking(widget)[0].click()
    assert asking.dialog is not None
    return asking.dialog
