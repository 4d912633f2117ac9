"""Reasons for skips, flags and highlights are written below the cards; no dialog is in the way."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from reviewer.domain.evaluation import Mark
from reviewer.gui.review.conversation import ConversationView
from reviewer.gui.review.mark_acts import NOT_DONE, NOTHING_SELECTED
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.project import reading

SHIFT = Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(window: MainWindow, project: Path, settle: Callable[[], None]) -> ReviewPage:
    window.surroundings.settings.set("labeler", "ann")
    window.show()
    window.activateWindow()
    assert window.open_project(project)
    settle()
    assert isinstance(window.page, ReviewPage)
    return window.page


def press(
    window: MainWindow,
    key: Qt.Key,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, key, modifier)


def own_marks(page: ReviewPage, key: int) -> list[Mark]:
    """What the file holds of the labeler's marks on a response."""
    session = page.window().session  # type: ignore[attr-defined]
    return [x for x in reading.view(session, key).marks if x.labeler == "ann"]


def notes(page: ReviewPage) -> list[str]:
    return [x.text() for x in page.case.conversation.findChildren(QLabel)]


def shown_key(page: ReviewPage) -> int:
    assert page.view is not None
    return page.view.evaluation.key


@pytest.mark.parametrize(("kind", "key"), [("skip", Qt.Key.Key_S), ("flag", Qt.Key.Key_F)])
def test_a_reason_is_asked_for_in_the_comments_line(
    page: ReviewPage, window: MainWindow, kind: str, key: Qt.Key
) -> None:
    first, field = shown_key(page), page.scores.comment
    press(window, key, SHIFT)
    assert field.hasFocus()
    assert field.accessibleName() == f"Why {kind} it"
    assert own_marks(page, first) == [], "nothing is marked before it is said why"
    QTest.keyClicks(field, "in German 4")
    press(window, Qt.Key.Key_Return)
    (mark,) = own_marks(page, first)
    assert (mark.kind, mark.note) == (kind, "in German 4")
    # a skip goes on, as without a reason
    assert (shown_key(page) == first) == (kind == "flag")
    assert not field.hasFocus()
    assert field.text() == ""
    press(window, Qt.Key.Key_Z, CONTROL)
    assert own_marks(page, first) == []


def test_escape_marks_nothing_and_keys_label_again(page: ReviewPage, window: MainWindow) -> None:
    key = shown_key(page)
    press(window, Qt.Key.Key_F, SHIFT)
    QTest.keyClicks(page.scores.comment, "no")
    press(window, Qt.Key.Key_Escape)
    assert own_marks(page, key) == []
    assert page.scores.comment.accessibleName() == "Comment on Relevance"
    press(window, Qt.Key.Key_4)
    assert page.view is not None
    assert page.view.own["relevance"].value == 4
    assert page.view.own["relevance"].comment is None


def clicked(page: ReviewPage) -> list[QWidget]:
    texts, level = page.case.conversation.texts, page.scores.cards["relevance"].first_button
    return [texts[0].viewport(), page.scores.flag, page.scores.next, page.scores.undo, level]


@pytest.mark.parametrize("at", range(5))
def test_a_click_elsewhere_marks_nothing_and_does_what_it_is_on(
    page: ReviewPage, window: MainWindow, at: int
) -> None:
    key = shown_key(page)
    noted: list[str] = []
    page.noted.connect(noted.append)
    for kind in (Qt.Key.Key_S, Qt.Key.Key_F):
        press(window, kind, SHIFT)
        QTest.keyClicks(page.scores.comment, "odd")
        widget = clicked(page)[at]
        place = widget.mapTo(window, widget.rect().center())
        handle = window.windowHandle()
        assert handle is not None
        QTest.mouseClick(handle, Qt.MouseButton.LeftButton, pos=place)
        QTest.qWait(20)
        if page.scores.comment.hasFocus():
            press(window, Qt.Key.Key_Escape)
        else:
            assert NOT_DONE in noted
        assert [x for x in own_marks(page, key) if x.note] == []
        if shown_key(page) != key:
            assert widget is page.scores.next
            return
    session = page.window().session  # type: ignore[attr-defined]
    labelled = {
        row[0] for row in session.project.conn.execute("SELECT DISTINCT evaluation FROM labels")
    }
    assert labelled <= {key}


def test_a_reason_is_shown_and_changed(page: ReviewPage, window: MainWindow) -> None:
    key = shown_key(page)
    for words in ("odd", "r"):
        press(window, Qt.Key.Key_F, SHIFT)
        QTest.keyClicks(page.scores.comment, words)
        press(window, Qt.Key.Key_Return)
    assert [x.note for x in own_marks(page, key)] == ["oddr"]
    assert any("oddr" in x and "ann" in x for x in notes(page))
    press(window, Qt.Key.Key_F)
    assert own_marks(page, key) == []


def test_what_is_typed_as_a_comment_is_kept_before_a_reason(
    page: ReviewPage, window: MainWindow
) -> None:
    press(window, Qt.Key.Key_C)
    QTest.keyClicks(page.scores.comment, "good")
    page.acts.act("flag_why")
    QTest.keyClicks(page.scores.comment, "bad")
    press(window, Qt.Key.Key_Return)
    assert page.view is not None
    assert page.view.own["relevance"].comment == "good"
    assert [x.note for x in own_marks(page, shown_key(page))] == ["bad"]
    assert page.scores.comment.text() == "good"


def select(conversation: ConversationView) -> None:
    body = conversation.texts[-1]
    cursor = body.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(4, cursor.MoveMode.KeepAnchor)
    body.setTextCursor(cursor)


def test_a_highlight_tells_of_a_metric_that_the_arrows_choose(
    page: ReviewPage, window: MainWindow
) -> None:
    key, field = shown_key(page), page.scores.comment
    select(page.case.conversation)
    press(window, Qt.Key.Key_H, SHIFT)
    assert field.accessibleName() == "Highlight for Relevance"
    QTest.keyClicks(field, "made up")
    press(window, Qt.Key.Key_Down)
    assert field.accessibleName() == "Highlight for Accuracy"
    press(window, Qt.Key.Key_Return)
    (mark,) = own_marks(page, key)
    assert (mark.metric, mark.note) == ("accuracy", "made up")
    assert any("for accuracy" in x for x in notes(page))


def test_the_newest_highlight_gets_its_words_later(page: ReviewPage, window: MainWindow) -> None:
    key, field = shown_key(page), page.scores.comment
    noted: list[str] = []
    page.noted.connect(noted.append)
    press(window, Qt.Key.Key_H, SHIFT)
    assert field.hasFocus(), "what is typed now is no key"
    press(window, Qt.Key.Key_S)
    press(window, Qt.Key.Key_Return)
    press(window, Qt.Key.Key_H)
    assert [x for x in noted if x] == [NOTHING_SELECTED] * 2
    assert own_marks(page, key) == []
    select(page.case.conversation)
    press(window, Qt.Key.Key_H)
    assert [(x.metric, x.note) for x in own_marks(page, key)] == [("relevance", None)]
    press(window, Qt.Key.Key_H, SHIFT)
    QTest.keyClicks(field, "late")
    press(window, Qt.Key.Key_Up)
    assert field.accessibleName() == "Highlight for the response"
    press(window, Qt.Key.Key_Return)
    assert [(x.metric, x.note) for x in own_marks(page, key)] == [(None, "late")]


@pytest.mark.usefixtures("page")
def test_what_was_said_of_an_act_ends_with_the_next(window: MainWindow) -> None:
    for after in (Qt.Key.Key_F, Qt.Key.Key_4):
        press(window, Qt.Key.Key_F)
        press(window, Qt.Key.Key_Z, CONTROL)
        assert window.notices.notices[-1].text.startswith("Undone: Flag")
        press(window, after)
        assert not window.notices.notices
        press(window, Qt.Key.Key_Z, CONTROL)
