"""The project's file is moved under the window: every press is kept, and a notice says where."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.window import MainWindow
from reviewer.store.project import Project
from tests.building import build_project

pytestmark = pytest.mark.skipif(os.name == "nt", reason="an open file cannot be moved there")


def press(window: MainWindow, times: int) -> None:
    """Answer a metric and go on, as often as wanted."""
    assert window.page is not None
    for _ in range(times):
        QTest.keyClick(window.page, Qt.Key.Key_4)
        QTest.keyClick(window.page, Qt.Key.Key_J)


def answered(path: Path) -> int:
    with closing(Project.open(path)) as project:
        return int(project.conn.execute("SELECT count(*) FROM labels").fetchone()[0])


@pytest.fixture
def labelling(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> MainWindow:
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(build_project(tmp_path / "a.review", evaluations=40))
    settle()
    press(window, 6)
    return window


@pytest.mark.parametrize("what", ["renamed", "deleted"])
def test_every_press_is_kept_and_a_notice_says_where(
    labelling: MainWindow, qtbot: QtBot, tmp_path: Path, what: str
) -> None:
    window, before = labelling, answered(tmp_path / "a.review")
    assert before >= 6
    goal = tmp_path / ("b.review" if what == "renamed" else "a (kept).review")
    if what == "renamed":
        (tmp_path / "a.review").rename(goal)
    else:
        (tmp_path / "a.review").unlink()
    press(window, 6)
    qtbot.waitUntil(lambda: window.windowTitle().startswith(goal.stem))
    assert any(f"was {what}" in notice.text for notice in window.notices.notices)
    window.close()
    assert answered(goal) == before + 6
    assert [x.name for x in tmp_path.glob("*.review*")] == [goal.name]
