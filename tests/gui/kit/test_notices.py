"""Errors and warnings stay until they are dismissed, a note until the next one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from reviewer.gui.bars import PROMISE
from reviewer.gui.kit.notices import Kind, Notice, NoticeBar
from reviewer.gui.kit.pieces import Button, WrappedText
from reviewer.gui.review.acts import REVEALING
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow


@pytest.fixture
def bar(qtbot: QtBot) -> NoticeBar:
    made = NoticeBar()
    qtbot.addWidget(made)
    return made


def texts(bar: NoticeBar) -> list[str]:
    return [notice.text for notice in bar.notices]


def test_the_bar_is_hidden_until_there_is_something_to_say(bar: NoticeBar) -> None:
    assert bar.isHidden()
    bar.warn("slow disk")
    assert not bar.isHidden()
    bar.dismiss()
    assert bar.isHidden()


def test_the_one_before_comes_back(bar: NoticeBar) -> None:
    bar.warn("first")
    bar.error("second")
    assert texts(bar) == ["first", "second"]
    bar.dismiss()
    assert texts(bar) == ["first"]
    assert bar.notices[-1].kind is Kind.WARNING


def test_what_is_wrong_has_a_sign(bar: NoticeBar) -> None:
    for say, signed in ((bar.error, True), (bar.warn, True), (bar.note, False)):
        say("words")
        assert bar._sign.isHidden() is not signed
        bar.dismiss()


def test_the_same_error_again_is_one_error(bar: NoticeBar) -> None:
    bar.error("disk full")
    bar.warn("slow")
    bar.error("disk full")
    assert texts(bar) == ["slow", "disk full"]


def test_a_note_gives_way(bar: NoticeBar) -> None:
    bar.note("copied")
    bar.error("disk full")
    assert texts(bar) == ["disk full"]
    bar.note("copied")
    bar.note("moved")
    assert texts(bar) == ["disk full", "moved"]


def test_what_was_said_in_passing_can_be_let_go(bar: NoticeBar) -> None:
    bar.error("disk full")
    bar.note("copied")
    bar.let_pass()
    assert texts(bar) == ["disk full"]


def test_what_a_key_was_answered_with_is_over_with_the_next_act(bar: NoticeBar) -> None:
    bar.answer("Press again.")
    bar.answer("")
    assert texts(bar) == []
    bar.note("12 evaluations imported")
    bar.answer("")
    assert texts(bar) == ["12 evaluations imported"]


def test_an_error_too_long_for_the_line_floats_until_it_is_dismissed(window: MainWindow) -> None:
    bar, floating = window.notices, window.notices._whole
    bar.error("The disk is full.")
    assert floating.isHidden()
    bar.dismiss()
    places = [x.geometry() for x in (window.top, window.stack, window.status)]
    words = "The file could not be read, as its first line is no JSON object. " * 20
    bar.error(words)
    assert floating.isVisible()
    assert [x.text() for x in floating.findChildren(WrappedText)] == [words]
    assert window.rect().contains(floating.geometry())
    assert floating.geometry().bottom() < window.status.mapTo(window, QPoint(0, 0)).y()
    assert [x.geometry() for x in (window.top, window.stack, window.status)] == places
    bar.dismiss()
    assert floating.isHidden()
    bar.note(words)
    assert floating.isHidden()
    bar._read.click()
    assert floating.isVisible()
    bar._read.click()
    assert floating.isHidden()


@pytest.mark.parametrize("size", [(1280, 800), (1024, 700), (760, 520)])
def test_what_floats_covers_no_control_of_review(
    window: MainWindow, demo: Path, settle: Callable[[], None], size: tuple[int, int]
) -> None:
    window.surroundings.settings.set("focus", "never")
    window.resize(*size)
    assert window.open_project(demo)
    settle()
    window.notices.error("What went wrong is long to tell. " * 30)
    QApplication.processEvents()
    floating = window.notices._whole
    assert floating.isVisible()
    over = QRect(floating.mapTo(window, QPoint(0, 0)), floating.size())
    page = window.page
    assert isinstance(page, ReviewPage)
    for button in window.findChildren(QAbstractButton):
        there = QRect(button.mapTo(window, QPoint(0, 0)), button.size())
        beside = not page.case.isAncestorOf(button) and not floating.isAncestorOf(button)
        if button.isVisible() and beside:
            assert not over.intersects(there), button.accessibleName()


def test_a_question_of_a_key_is_read_whole_before_it_is_answered(window: MainWindow) -> None:
    window.resize(1280, 800)
    window.show()
    window.notices.answer(REVEALING)
    assert shown_above(window) == []
    assert window.notices._read.isHidden(), "it has the room of the promise"
    window.resize(900, 700)
    assert shown_above(window) == [REVEALING]
    window.notices.note("Backed up to a folder with a name " + "that is long " * 20)
    assert shown_above(window) == [], "what waits for nothing covers nothing"
    window.notices.clear()
    window.resize(1280, 800)
    assert any(x.isVisible() and PROMISE in x.text() for x in window.status.findChildren(QLabel))


def shown_above(window: MainWindow) -> list[str]:
    floating = window.notices._whole
    return [floating._text.text()] if floating.isVisible() else []


def test_only_errors_offer_the_diagnosis(qtbot: QtBot, bar: NoticeBar) -> None:
    bar.warn("slow")
    assert bar._copy.isHidden()
    bar.error("broken")
    assert not bar._copy.isHidden()
    with qtbot.waitSignal(bar.diagnosis_requested):
        bar._copy.click()


def test_markup_in_a_notice_is_shown_as_it_is(bar: NoticeBar) -> None:
    bar.error("the value <b>5</b> is off the scale")
    assert bar._text.text() == "the value <b>5</b> is off the scale"
    assert bar._text.textFormat().name == "PlainText"


def test_a_notice_may_lead_to_more(bar: NoticeBar) -> None:
    bar.warn("plain")
    asked: list[int] = []
    bar.show_notice(Notice(Kind.WARNING, "long story", "The whole story", lambda: asked.append(1)))
    button = next(x for x in bar.findChildren(Button) if x.text() == "The whole story")
    assert not button.isHidden()
    button.click()
    assert asked == [1]
    bar.dismiss()
    assert button.isHidden()


def test_an_offer_waits_for_a_press_and_is_gone_with_it_or_with_the_project(
    bar: NoticeBar,
) -> None:
    asked: list[int] = []
    bar.offer("a password is wanted", "Enter it…", lambda: asked.append(1))
    bar.warn("slow")
    bar.let_pass()
    bar.dismiss()
    assert asked == []
    next(x for x in bar.findChildren(Button) if x.text() == "Enter it…").click()
    assert asked == [1]
    assert not bar.notices
    bar.offer("a password is wanted", "Enter it…", lambda: asked.append(1))
    bar.warn("slow")
    bar.let_pass(Kind.OFFER)
    assert [x.text for x in bar.notices] == ["slow"]
