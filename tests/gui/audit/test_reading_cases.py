"""The case beneath the list has room, is read by keys, and keeps the room it was given."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QSplitter
from pytestqt.qtbot import QtBot

from reviewer.gui.actions import bound
from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.keys_sheet import KeysSheet
from reviewer.gui.kit import pieces
from reviewer.gui.window import MainWindow


@pytest.fixture
def page(page: AuditPage, window: MainWindow, settle: Callable[[], None]) -> Iterator[AuditPage]:
    window.resize(1024, 700)
    page.scope.choose_metric("accuracy")
    settle()
    page.side.focus_list()
    yield page
    settle()


@pytest.fixture
def side(page: AuditPage) -> CasesSide:
    return page.side


def long_case(side: CasesSide, qtbot: QtBot) -> int:
    """Stand on a case that is longer than its card; give how far it scrolls."""
    bar = side.case.scrolled.verticalScrollBar()
    for _ in range(40):
        if bar.maximum() > bar.pageStep() // 2:
            return bar.maximum()
        side.cases.step(1)
        qtbot.wait(20)
    raise AssertionError("every case is short")


def test_judge_and_people_are_in_sight_in_a_small_window(side: CasesSide) -> None:
    case = side.case
    assert case.scrolled.viewport().height() > case.decide.height()
    assert case.height() > 300
    assert side.cases.table.height() > 80


def test_space_reads_on_from_the_list(side: CasesSide, qtbot: QtBot) -> None:
    long_case(side, qtbot)
    bar = side.case.scrolled.verticalScrollBar()
    QTest.keyClick(side.cases.table, Qt.Key.Key_Space)
    assert bar.value() > 0
    QTest.keyClick(side.cases.table, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert bar.value() == 0


def test_the_case_takes_the_focus_and_is_read_by_keys(side: CasesSide, qtbot: QtBot) -> None:
    most = long_case(side, qtbot)
    area = side.case.scrolled
    bar = area.verticalScrollBar()
    assert area.focusPolicy() & Qt.FocusPolicy.TabFocus
    area.setFocus()
    for key, there in (
        (Qt.Key.Key_End, most), (Qt.Key.Key_Home, 0), (Qt.Key.Key_PageDown, None),
        (Qt.Key.Key_PageUp, 0), (Qt.Key.Key_Space, None), (Qt.Key.Key_Home, 0),
    ):  # fmt: skip
        QTest.keyClick(area, key)
        assert bar.value() == there if there is not None else bar.value() > 0


def test_space_still_presses_a_button_of_the_case(side: CasesSide) -> None:
    side.case.names.setFocus()
    QTest.keyClick(side.case.names, Qt.Key.Key_Space)
    assert side.case.names.isChecked()


def test_the_line_between_list_and_case_stays_where_it_was_drawn(
    page: AuditPage, side: CasesSide, settle: Callable[[], None]
) -> None:
    split = side.findChild(QSplitter)
    assert split is not None
    before = split.sizes()
    split.moveSplitter(before[0] + 40, 1)
    drawn = split.sizes()
    assert drawn != before
    page.scope.choose_metric("safety")
    settle()
    assert split.sizes() == drawn


def test_notices_have_one_line(side: CasesSide) -> None:
    for notice in (side.cases.notice, side.cases.held_out):
        assert isinstance(notice, pieces.ElidedText)
        assert not notice.wordWrap()


def test_the_note_shows_where_it_is_wanted(side: CasesSide, qtbot: QtBot) -> None:
    note = side.case.decide.note
    assert not note.isVisible()
    side.case.decide.write.click()
    qtbot.waitUntil(note.hasFocus)
    QTest.keyClick(note, Qt.Key.Key_Escape)
    assert not note.isVisible()


def test_the_sheet_of_keys_names_what_scrolls(
    window: MainWindow, page: AuditPage, qtbot: QtBot
) -> None:
    sheet = KeysSheet(page.theme, None, [command for command, _ in bound([page])], window)
    qtbot.addWidget(sheet)
    said = [x.text() for x in sheet.findChildren(QLabel)]
    assert "Read on in the response" in said
