"""No page ever shows a widget of its own as a window while it is filled."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from reviewer.gui.pages import PAGES
from reviewer.gui.window import MainWindow


class Windows(QObject):
    """Collects the kinds of windows that are shown."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[str] = []

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and _is_stray(watched):
            self.kinds.append(f"{type(watched).__name__} {watched.objectName()}")
        return False


def _is_stray(shown: QObject) -> bool:
    return isinstance(shown, QWidget) and shown.isWindow() and not isinstance(shown, QMainWindow)


@pytest.mark.parametrize("page", [spec.id for spec in PAGES])
def test_a_page_shows_no_window_of_its_own(
    qtbot: QtBot, window: MainWindow, demo: Path, settle: Callable[[], None], page: str
) -> None:
    shown = Windows()
    app = QApplication.instance()
    assert app is not None
    app.installEventFilter(shown)
    assert window.open_project(demo)
    window.show_page(page)
    settle()
    qtbot.wait(50)
    app.removeEventFilter(shown)
    assert shown.kinds == []
    assert window.isActiveWindow()
