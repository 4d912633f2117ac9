"""Finding in the conversation goes on where it was when the text is drawn anew or unfolded."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.pieces import Button
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from tests.building import build_project, record

CONTROL = Qt.KeyboardModifier.ControlModifier
LONG = f"The pool is open. {'word ' * 8_000}At the pool again. {'word ' * 100}One more pool."


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> ReviewPage:
    path = build_project(
        tmp_path / "long.review",
        evaluations=[record(1, input="Where is the pool?", response=LONG), record(2)],
    )
    assert window.open_project(path)
    settle()
    assert isinstance(window.page, ReviewPage)
    return window.page


def find(page: ReviewPage, window: MainWindow, words: str) -> None:
    QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(page.case.header.search, words)


def go_on(page: ReviewPage) -> str:
    QTest.keyClick(page.case.header.search, Qt.Key.Key_Return)
    return page.case.header.found.text()


def show_all(page: ReviewPage) -> None:
    buttons = page.case.conversation.findChildren(Button)
    next(x for x in buttons if x.text().startswith("Show all")).click()


def marked(page: ReviewPage) -> int:
    return sum(len(part.extraSelections()) for part in page.case.conversation.texts)


def test_larger_text_keeps_what_was_found(
    page: ReviewPage, window: MainWindow, qtbot: QtBot
) -> None:
    find(page, window, "pool")
    assert go_on(page) == "2 of 2"
    settings = window.surroundings.settings
    before = settings.font_scale
    QTest.keyClick(page.case.header.search, Qt.Key.Key_Plus, CONTROL)
    qtbot.waitUntil(lambda: settings.font_scale > before)
    assert page.case.header.found.text() == "2 of 2"
    assert marked(page) == 2
    assert go_on(page) == "1 of 2"
    assert go_on(page) == "2 of 2"


def test_other_colours_keep_what_was_found(page: ReviewPage, window: MainWindow) -> None:
    find(page, window, "pool")
    window.surroundings.settings.set("theme", "dark")
    assert marked(page) == 2
    assert go_on(page) == "2 of 2"


def test_the_rest_of_a_long_text_is_searched_when_it_is_shown(
    page: ReviewPage, window: MainWindow
) -> None:
    find(page, window, "pool")
    assert go_on(page) == "2 of 2"
    show_all(page)
    assert page.case.header.found.text() == "2 of 4"
    assert marked(page) == 4
    assert [go_on(page) for _ in range(3)] == ["3 of 4", "4 of 4", "1 of 4"]


def test_words_that_stand_in_the_rest_alone_are_found_there(
    page: ReviewPage, window: MainWindow
) -> None:
    find(page, window, "again")
    assert page.case.header.found.text() == "not found"
    show_all(page)
    assert page.case.header.found.text() == "1 of 1"
    assert go_on(page) == "1 of 1"


def test_without_a_search_nothing_is_found(page: ReviewPage) -> None:
    show_all(page)
    assert page.case.header.found.text() == ""
    assert marked(page) == 0


def test_a_search_that_was_closed_stays_closed(page: ReviewPage, window: MainWindow) -> None:
    find(page, window, "pool")
    QTest.keyClick(page.case.header.search, Qt.Key.Key_Escape)
    show_all(page)
    window.surroundings.settings.set("theme", "dark")
    assert page.case.header.found.text() == ""
    assert marked(page) == 0
