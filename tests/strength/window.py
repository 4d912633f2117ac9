"""The real window in which keys are pressed without end."""

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from reviewer.gui import app
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from tests.strength.pressing import LABELER, Tell, Teller

UNDO = (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def press_keys(path: Path, dice: Random, tell: Tell) -> None:
    """Show the window on a project and press keys until it is killed."""
    made = app.make_application()
    settings = Settings(path.parent / "config")
    settings.set("labeler", LABELER)
    window = app.compose(settings, backups=False)
    window.show()
    window.activateWindow()
    QTimer.singleShot(0, lambda: _press(window, path, dice, tell))
    made.exec()


def _press(window: MainWindow, path: Path, dice: Random, tell: Tell) -> None:
    window.open_project(path)
    while not window.isActiveWindow():
        QApplication.processEvents()
    page, session = window.page, window.session
    if not isinstance(page, ReviewPage) or session is None:
        raise TypeError("the project was not opened")
    teller = Teller(session, tell)
    for act, keys in _acts(page, dice):
        teller.before(act)
        for key, held in keys:
            QTest.keyClick(window.focusWidget() or window, key, held)
        # where others held the file the card says that it is not yet saved, and so it may be lost
        while page.acts.saving.waiting:
            QApplication.processEvents()
        teller.after(act)
        QApplication.processEvents()
    sys.exit("there was nothing left to label")


def _acts(
    page: ReviewPage, dice: Random
) -> Iterator[tuple[tuple[int, str, int] | None, tuple[tuple[Qt.Key, Qt.KeyboardModifier], ...]]]:
    """Give what is pressed next: mostly a level, and the next evaluation after about three."""
    none = Qt.KeyboardModifier.NoModifier
    while page.view is not None and page.scores.focus is not None:
        kind = dice.random()
        if kind < 0.6:
            value, metric = dice.randint(1, 5), page.scores.focus
            act = (page.view.evaluation.key, metric, value)
            level = (Qt.Key(ord(str(value))), none)
            # where all are answered the first press asks and the second one changes
            asks = len(page.view.own) == len(page.view.rubric.metrics)
            yield act, (level, level) if asks else (level,)
        elif kind < 0.9:
            yield None, ((Qt.Key.Key_Space, none),)
        else:
            yield None, (dice.choice(((Qt.Key.Key_F, none), UNDO, (Qt.Key.Key_S, none))),)
