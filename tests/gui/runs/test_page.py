"""The Runs page in the real window, on the demo project."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.runs.page import RunsPage
from reviewer.gui.window import MainWindow
from reviewer.services.project import backups, rubrics
from reviewer.services.queues import making
from reviewer.services.queues.plans import QueuePlan

NEWEST = "2026-11-18 agent v7"


@pytest.fixture
def page(window: MainWindow, demo: Path, settle: Callable[[], None]) -> RunsPage:
    assert window.open_project(demo)
    window.show_page("runs")
    settle()
    shown = window.page
    assert isinstance(shown, RunsPage)
    return shown


def test_every_run_is_listed_the_newest_first_and_chosen(page: RunsPage) -> None:
    rows = page.runs.list.rows
    assert rows.keys == (NEWEST, "2026-11-04 agent v6", "A/B opening lines")
    assert [rows.cell(0, column).words for column in range(4)] == [NEWEST, "73", "52", "94.2 %"]
    assert rows.cell(2, 3).words == "—"
    assert "no pass rule" in rows.cell(2, 3).tip
    assert page.runs.list.chosen() == NEWEST


def test_the_details_follow_the_chosen_run(page: RunsPage, settle: Callable[[], None]) -> None:
    page.runs.list.setFocus()
    QTest.keyClick(page.runs.list, Qt.Key.Key_Down)
    settle()
    assert page.run.details.title.text() == "2026-11-04 agent v6"
    rows = page.run.details.categories.rows
    assert sum(int(rows.cell(row, 1).words) for row in range(rows.rowCount())) == 73
    assert page.run.rubric.name.text().startswith("guest-response · version")


def test_scorers_are_listed_with_versions_and_failures(page: RunsPage) -> None:
    rows = page.run.details.sets.rows
    names = [rows.cell(row, 0).words for row in range(rows.rowCount())]
    assert set(names) == {"deepseek-chat@v3", "deepseek-chat@v4"}
    assert "8" in [rows.cell(row, 2).words for row in range(rows.rowCount())]


def test_a_backup_is_made_and_listed(
    qtbot: QtBot, window: MainWindow, page: RunsPage, settle: Callable[[], None], demo: Path
) -> None:
    assert page.run.backups.files() == []
    QTest.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    settle()
    qtbot.waitUntil(lambda: len(page.run.backups.files()) == 1)
    assert backups.newest_whole(demo) == page.run.backups.files()[0][0]
    assert "just now" in page.run.backups.last.text()


def test_an_import_is_taken_back_after_a_second_press(
    qtbot: QtBot, page: RunsPage, settle: Callable[[], None]
) -> None:
    line = page.run.imports.lines[0]
    QTest.mouseClick(line.undo, Qt.MouseButton.LeftButton)
    assert line.keep.isVisible()
    assert page.runs.list.rows.rowCount() == 3
    QTest.mouseClick(line.really, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.runs.list.rows.keys == ("A/B opening lines",), timeout=10_000)
    settle()
    assert page.runs.list.chosen() == "A/B opening lines"
    assert page.run.details.title.text() == "A/B opening lines"


def test_the_question_names_places_in_queues_that_would_go(
    window: MainWindow, page: RunsPage
) -> None:
    assert window.session is not None
    making.create(window.session, QueuePlan(name="Week 1"))
    line = page.run.imports.lines[0]
    QTest.mouseClick(line.undo, Qt.MouseButton.LeftButton)
    words = line.warning.text()
    assert words.endswith("anew does not bring them back.")
    assert "in the queue Week 1 would go, too" in words


def test_keeping_an_import_changes_nothing(page: RunsPage) -> None:
    line = page.run.imports.lines[0]
    QTest.mouseClick(line.undo, Qt.MouseButton.LeftButton)
    QTest.mouseClick(line.keep, Qt.MouseButton.LeftButton)
    assert not line.really.isVisible()
    assert line.undo.isEnabled()


def test_the_rubric_is_edited_from_here(
    qtbot: QtBot, window: MainWindow, page: RunsPage, settle: Callable[[], None]
) -> None:
    editor = page.edit_rubric()
    assert editor is not None
    assert page.edit_rubric() is editor
    editor.form.fields["pass_at"].setText("")
    QTest.keyClicks(editor.form.fields["pass_at"], "4")
    QTest.mouseClick(editor.save, Qt.MouseButton.LeftButton)
    settle()
    qtbot.waitUntil(lambda: page.run.rubric.name.text() == "guest-response · version 2")
    assert page.run.rubric.metrics.rows.cell(0, 3).words == "4"
    session = window.session
    assert session is not None
    assert len(rubrics.versions(session.project, "guest-response")) == 2
    editor.close()


def test_import_asks_the_window(window: MainWindow, page: RunsPage) -> None:
    asked: list[str] = []
    page.command_requested.connect(asked.append)
    page.command_requested.disconnect(window.run_command)
    QTest.mouseClick(page.runs.add, Qt.MouseButton.LeftButton)
    assert asked == ["window.import"]
