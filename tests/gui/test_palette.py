"""The palette runs commands and opens evaluations from the keyboard alone."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.gui import background
from reviewer.gui.commands import WindowCommands
from reviewer.gui.rubric.editor import RubricEditor
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.window import MainWindow


def titles(window: MainWindow) -> list[str]:
    found = window.palette_box.list
    return [found.item(row).text() for row in range(found.count())]


def test_control_k_opens_it_and_escape_gives_the_focus_back(window: MainWindow) -> None:
    before = QApplication.focusWidget()
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert window.palette_box.isVisible()
    assert QApplication.focusWidget() is window.palette_box.field
    QTest.keyClick(window.palette_box.field, Qt.Key.Key_Escape)
    assert not window.palette_box.isVisible()
    assert QApplication.focusWidget() is before


def test_typing_narrows_and_return_runs(window: MainWindow, commands: WindowCommands) -> None:
    commands.open_palette()
    everything = len(titles(window))
    QTest.keyClicks(window.palette_box.field, "light dark")
    assert titles(window)[0] == "Switch between light and dark"
    assert len(titles(window)) < everything
    QTest.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert window.surroundings.theme.colours.dark


def test_what_another_page_does_is_found_and_done_there(
    window: MainWindow, commands: WindowCommands, project: Path
) -> None:
    assert window.open_project(project)
    commands.open_palette()
    QTest.keyClicks(window.palette_box.field, "edit rubric")
    assert titles(window) == ["Edit rubric…"]
    QTest.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert isinstance(window.page, RunsPage)
    editor = window.page.findChild(RubricEditor)
    assert editor is not None
    assert editor.isVisible()
    commands.open_palette()
    assert titles(window).count("Edit rubric…") == 1


def test_the_arrows_choose(window: MainWindow, commands: WindowCommands) -> None:
    commands.open_palette()
    box = window.palette_box
    QTest.keyClick(box.field, Qt.Key.Key_Down)
    QTest.keyClick(box.field, Qt.Key.Key_Down)
    QTest.keyClick(box.field, Qt.Key.Key_Up)
    assert box.list.currentRow() == 1
    for _ in range(5):
        QTest.keyClick(box.field, Qt.Key.Key_PageUp)
    assert box.list.currentRow() == 0


def test_the_single_levels_are_left_out(
    window: MainWindow, commands: WindowCommands, project: Path
) -> None:
    window.open_project(project)
    commands.open_palette()
    assert "Skip" in titles(window)
    assert "Set level 1" not in titles(window)


def test_an_evaluation_is_found_by_its_words_and_opened(
    qtbot: QtBot, window: MainWindow, commands: WindowCommands, project: Path
) -> None:
    window.open_project(project)
    commands.open_palette()
    QTest.keyClicks(window.palette_box.field, "question 11")
    qtbot.waitUntil(lambda: "Question 11: is the pool heated?" in titles(window), timeout=5000)
    row = titles(window).index("Question 11: is the pool heated?")
    window.palette_box.list.setCurrentRow(row)
    QTest.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    view = getattr(window.page, "view", None)
    assert view is not None
    assert view.evaluation.id == "c-0011"


def test_what_is_nowhere_is_said(window: MainWindow, commands: WindowCommands) -> None:
    commands.open_palette()
    QTest.keyClicks(window.palette_box.field, "zzzz qqqq")
    assert titles(window) == []
    assert window.palette_box._foot.text() == "Nothing found"


@pytest.mark.parametrize(
    ("typed", "asked"),
    [("check-in?", "check in"), ('say "no" or (x', 'say "no" "or" x')],
)
def test_signs_of_the_filter_language_are_searched_literally(typed: str, asked: str) -> None:
    assert background._as_filter(typed) == asked.replace('"no"', "no")
