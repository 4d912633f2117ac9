"""Unsure of an answer: by key about the one given last, by a click about the card's own."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from tests.building import RUBRIC, build_project

Key = Qt.Key


def opened(window: MainWindow, settings: Settings, path: Path) -> ReviewPage:
    settings.set("labeler", "ann")
    assert window.open_project(path)
    assert isinstance(window.page, ReviewPage)
    return window.page


def doubts(page: ReviewPage) -> set[str | None]:
    assert page.view is not None
    return {x.metric for x in page.view.marks if x.kind == "unsure"}


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.review", rubric=replace(RUBRIC, ask_unsure=True))


def test_the_key_is_about_the_answer_given_last(
    window: MainWindow, settings: Settings, asking: Path
) -> None:
    page = opened(window, settings, asking)
    first, second = list(page.scores.cards)[:2]
    assert not page.scores.cards[first].unsure.isVisible()
    QTest.keyClick(window, Key.Key_4)
    assert page.scores.focus == second
    QTest.keyClick(window, Key.Key_U)
    assert doubts(page) == {first}
    assert page.scores.focus == second
    assert page.scores.cards[first].unsure.isChecked()
    QTest.keyClick(window, Key.Key_U)
    assert doubts(page) == set()
    QTest.keyClick(window, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert doubts(page) == {first}


def test_a_click_is_about_its_own_card(
    window: MainWindow, settings: Settings, asking: Path
) -> None:
    page = opened(window, settings, asking)
    first, second = list(page.scores.cards)[:2]
    QTest.keyClicks(window, "43")
    QTest.mouseClick(page.scores.cards[first].unsure, Qt.MouseButton.LeftButton)
    assert doubts(page) == {first}
    QTest.mouseClick(page.scores.cards[second].unsure, Qt.MouseButton.LeftButton)
    QTest.mouseClick(page.scores.cards[first].unsure, Qt.MouseButton.LeftButton)
    assert doubts(page) == {second}
    assert not page.scores.cards[first].unsure.isChecked()


def test_a_rubric_that_does_not_ask_shows_nothing(
    window: MainWindow, settings: Settings, tmp_path: Path
) -> None:
    page = opened(window, settings, build_project(tmp_path / "p.review"))
    said: list[str] = []
    page.failed.connect(said.append)
    QTest.keyClicks(window, "4u")
    assert said == ["The rubric guest does not ask how sure answers are."]
    assert not any(card.unsure.isVisible() for card in page.scores.cards.values())
