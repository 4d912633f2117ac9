"""What the Audit page needs is read once a project, in a quiet moment."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui import warm_up
from reviewer.gui.warm_up import PREPARING, Preparation
from reviewer.gui.window import MainWindow


def test_a_project_is_read_once(
    window: MainWindow, demo: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "QUIET_MS", 10)
    Preparation(window)
    assert window.open_project(demo)
    session = window.session
    assert session is not None
    qtbot.waitUntil(lambda: "audit" in session.kept, timeout=20_000)
    kept = session.kept["audit"]
    qtbot.waitUntil(lambda: not window.surroundings.tasks.running(), timeout=20_000)
    window.show_page("runs")
    qtbot.wait(60)
    assert PREPARING not in window.surroundings.tasks.running()
    assert session.kept["audit"] is kept


def test_nothing_is_read_without_a_project(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "QUIET_MS", 1)
    Preparation(window)
    qtbot.wait(30)
    assert not window.surroundings.tasks.running()
