"""The window, on every page and every evaluation of a project; arguments: project, how many."""

import os
import sys
import time
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from reviewer.gui import app
from reviewer.services.computer.settings import Settings

PAGES = ("audit", "runs", "reports")
SETTLED = 0.5
"""Seconds in which a page shows what it has to."""


def main(path: Path, count: int) -> None:
    """Look at everything, by keys where there are keys."""
    app.make_application()
    window = app.compose(Settings(path.parent / "config"), backups=False)
    window.show()
    window.activateWindow()
    window.open_project(path)
    while not window.isActiveWindow():
        QApplication.processEvents()
    for key in ("R", "R", "V"):
        QTest.keyClick(window.focusWidget() or window, Qt.Key(ord(key)))
    for _ in range(count):
        QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_J)
        QApplication.processEvents()
    for page in PAGES:
        window.show_page(page)
        until = time.monotonic() + SETTLED
        while time.monotonic() < until:
            QApplication.processEvents()
        window.grab()
    window.close()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
