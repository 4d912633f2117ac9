"""A window that labels by real keys and says so; arguments: project, settings folder."""

import itertools
import sys
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from reviewer.gui import app
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings


def main(path: Path, folder: Path) -> int:
    """Show the window and press keys without end, writing a line when each is answered."""
    made = app.make_application()
    window = app.compose(Settings(folder), backups=False)
    window.show()
    window.activateWindow()
    QTimer.singleShot(0, lambda: label(window, path))
    code = made.exec()
    made.processEvents()
    return code


def label(window: MainWindow, path: Path) -> None:
    """Press level keys, and Space after the last metric."""
    window.open_project(path)
    while not window.isActiveWindow():
        QApplication.processEvents()
    page = window.page
    if not isinstance(page, ReviewPage):
        raise TypeError("the project was not opened")
    for number in itertools.count():
        value = number * 7 % 5 + 1
        view = page.view
        if view is None or page.scores.focus is None:
            return
        pressed = f"{view.evaluation.key} {page.scores.focus} {value}"
        QTest.keyClick(window.focusWidget() or window, Qt.Key(ord(str(value))))
        # where others held the file the card says that it is not yet saved, and so it may be lost
        while page.acts.saving.waiting:
            QApplication.processEvents()
        sys.stdout.write(f"{pressed}\n")
        sys.stdout.flush()
        if number % 3 == 2:
            QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Space)
        QApplication.processEvents()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
