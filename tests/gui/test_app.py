"""The composition root: it runs until the window is closed, and leaves nothing behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.gui import app
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings


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


@pytest.mark.parametrize("fits", [True, False])
def test_the_window_is_never_larger_than_its_screen(
    qtbot: QtBot, tmp_path: Path, fits: bool
) -> None:
    window = app.compose(Settings(tmp_path), backups=False)
    qtbot.addWidget(window)
    room = window.screen().availableGeometry()
    # as high as the screen leaves no room for the frame
    window.resize(window.minimumWidth(), room.height() - (100 if fits else 0))
    app.begin(window)
    assert window.isMaximized() is not fits
    assert room.contains(window.frameGeometry())
    window.close()


def test_problems_of_the_settings_are_said(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"theme": "pink"}')
    window = app.compose(Settings(tmp_path), backups=False)
    qtbot.addWidget(window)
    assert "pink" in window.notices.notices[-1].text
    window.close()


def test_a_platform_that_cannot_be_loaded_is_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from reviewer.gui import app; app.run(None)"],
        env={**os.environ, "QT_QPA_PLATFORM": "no-such-platform", "DISPLAY": ":0"},
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        check=False,
    )
    assert done.returncode == 2
    # without a log file Qt's own words come first
    assert done.stderr.splitlines()[-1] == app.NOT_STARTED
