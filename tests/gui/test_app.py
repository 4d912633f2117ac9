"""The composition root: it runs until the window is closed, and leaves nothing behind."""

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.gui import app
from reviewer.gui.window import MainWindow
from reviewer.services.settings import Settings


def close_when(seen: list[str]) -> QTimer:
    """Close the program's window once it shows something, noting what."""

    def look() -> None:
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, MainWindow) and widget.isVisible():
                page = widget.page
                seen.append(widget.windowTitle())
                seen.append(str(getattr(getattr(page, "view", None), "evaluation", None)))
                widget.close()

    timer = QTimer(interval=300)
    timer.timeout.connect(look)
    timer.start()
    return timer


@pytest.mark.usefixtures("qtbot")
def test_it_opens_the_project_and_ends_with_zero(project: Path) -> None:
    seen: list[str] = []
    timer = close_when(seen)
    hook = sys.excepthook
    assert app.run(project, open_id="c-0005") == 0
    timer.stop()
    assert seen[0] == "guest — Reviewer"
    assert "c-0005" in seen[1]
    assert sys.excepthook is hook


@pytest.mark.usefixtures("qtbot")
def test_without_a_project_it_starts_on_the_start_page() -> None:
    seen: list[str] = []
    timer = close_when(seen)
    assert app.run(None, open_id=None) == 0
    timer.stop()
    assert seen[0] == "Reviewer"


def test_problems_of_the_settings_are_said(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"theme": "pink"}')
    window = app.compose(Settings(tmp_path), backups=False)
    qtbot.addWidget(window)
    assert "pink" in window.notices.notices[-1].text
    window.close()
