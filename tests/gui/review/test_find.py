"""Finding in the conversation goes on where it was when the text is drawn anew or unfolded."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.pieces import Button
from reviewer.gui.kit.theme import DARK, LIGHT, Colours, contrast
from reviewer.gui.review.conversation import Comparison
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.review.turns import Fold
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


CALL = {"id": "k1", "name": "look_up", "arguments": {"what": "deposit"}}
TALK = [
    {"role": "user", "content": "Is there a deposit?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "k1", "content": "deposit: 200 euros"},
    {"role": "assistant", "content": "Yes."},
]


@pytest.fixture
def talk(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> ReviewPage:
    one = record(1, messages=TALK, response="Yes.")
    assert window.open_project(build_project(tmp_path / "talk.review", evaluations=[one]))
    settle()
    assert isinstance(window.page, ReviewPage)
    return window.page


def colours(widget: QWidget) -> Counter[str]:
    picture = widget.grab().toImage()
    return Counter(
        picture.pixelColor(x, y).name().upper()
        for x in range(picture.width())
        for y in range(picture.height())
    )


def test_what_stands_in_a_line_of_a_tool_is_found_there(
    talk: ReviewPage, window: MainWindow
) -> None:
    find(talk, window, "deposit")
    assert talk.case.header.found.text() == "1 of 3"
    fold = talk.case.conversation.findChildren(Fold)[0]
    roles = window.surroundings.theme.colours
    assert colours(fold)[roles.find] > 100
    # of the one that is looked at the colour is another
    assert go_on(talk) == "2 of 3"
    assert colours(fold)[roles.accent] > 100
    assert colours(talk.case.conversation.texts[0])[roles.find] > 100
    # unfolded the places themselves are marked
    fold.toggle()
    assert talk.case.header.found.text() == "2 of 3"
    assert colours(fold)[roles.find] > 100
    fold.toggle()
    QTest.keyClick(talk.case.header.search, Qt.Key.Key_Escape)
    seen = colours(fold)
    assert seen[roles.find] == seen[roles.accent] == 0


@pytest.mark.parametrize("roles", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_found_stands_out(roles: Colours) -> None:
    for ground in (roles.card, roles.bubble, roles.window):
        assert contrast(roles.find, ground) >= 1.4
        assert contrast(roles.accent, ground) >= 2.5
    assert contrast(roles.find, roles.accent) >= 1.4
    assert contrast(roles.text, roles.find) >= 4.5
    assert contrast(roles.on_accent, roles.accent) >= 4.5


def test_candidates_side_by_side_are_searched(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    pair = [{"id": "a", "response": "The pool is open."}, {"id": "b", "response": "No pool, no."}]
    one = record(1, input="Where is the pool?", response=None, candidates=pair)
    assert window.open_project(build_project(tmp_path / "pair.review", evaluations=[one]))
    settle()
    page = window.page
    assert isinstance(page, ReviewPage)
    find(page, window, "pool")
    assert page.case.header.found.text() == "1 of 3"
    assert go_on(page) == "2 of 3"
    first, second = page.case.conversation.findChildren(Comparison)[0].texts
    assert [len(text.extraSelections()) for text in (first, second)] == [1, 1]
    assert go_on(page) == "3 of 3"
    window.surroundings.settings.set("theme", "dark")
    assert page.case.header.found.text() == "3 of 3"
