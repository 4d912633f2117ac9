"""Ticked keywords stand with the label that they made, and with nobody else's."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.domain.rubric import Metric, Rubric
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import entering, undo
from reviewer.services.project.session import Session
from tests.building import build_project

KEYWORDS = ["rent", "442300", "tax"]
RUBRIC = Rubric(
    name="harness",
    metrics=(
        Metric(name="quality", scale="range", min=0, max=1, scorer="response_quality"),
        Metric(name="clean", scale="binary"),
    ),
)


def build(path: Path) -> Path:
    rows = [{"id": f"k{n}", "response": "x", "expected_keywords": KEYWORDS} for n in (1, 2)]
    return build_project(path, evaluations=rows, rubric=RUBRIC)


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> ReviewPage:
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(build(tmp_path / "ticks.review"))
    settle()
    assert isinstance(window.page, ReviewPage)
    return window.page


def session_of(window: MainWindow) -> Session:
    assert window.session is not None
    return window.session


def press(window: MainWindow, keys: str) -> None:
    for key in keys:
        QTest.keyClick(window.focusWidget() or window, Qt.Key(ord(key)))


def ticked(page: ReviewPage) -> set[str]:
    row = page.scores.cards["quality"].ticks
    assert row is not None
    shown = {x.accessibleName().removeprefix("keyword ") for x in row.buttons if x.isChecked()}
    assert shown == row.ticked
    return shown


def own(page: ReviewPage) -> object:
    assert page.view is not None
    entry = page.view.own.get("quality")
    return entry.value if entry is not None and entry.counts else None


def test_another_labeler_sees_no_ticks_and_starts_from_none(
    page: ReviewPage, window: MainWindow
) -> None:
    press(window, "12")
    assert ticked(page) == {"rent", "442300"}
    window.surroundings.settings.set("labeler", "bob")
    assert own(page) is None
    assert ticked(page) == set()
    press(window, "3")
    assert own(page) == pytest.approx(1 / 3)
    window.surroundings.settings.set("labeler", "ann")
    assert own(page) == pytest.approx(2 / 3)


def test_another_project_shows_no_ticks(
    page: ReviewPage, window: MainWindow, tmp_path: Path
) -> None:
    press(window, "12")
    assert window.open_project(build(tmp_path / "other.review"))
    assert ticked(page) == set()
    press(window, "3")
    assert own(page) == pytest.approx(1 / 3)


def test_ticks_are_there_again_when_one_comes_back(page: ReviewPage, window: MainWindow) -> None:
    press(window, "13")
    page.open_evaluation(2)
    assert ticked(page) == set()
    page.open_evaluation(1)
    assert ticked(page) == {"rent", "tax"}


def test_ticks_follow_undo_and_redo(page: ReviewPage, window: MainWindow) -> None:
    session = session_of(window)
    press(window, "12")
    undo.undo(session)
    assert (own(page), ticked(page)) == (pytest.approx(1 / 3), {"rent"})
    undo.undo(session)
    assert (own(page), ticked(page)) == (None, set())
    undo.redo(session)
    undo.redo(session)
    assert (own(page), ticked(page)) == (pytest.approx(2 / 3), {"rent", "442300"})
    undo.undo(session)
    page.open_evaluation(2)
    page.open_evaluation(1)
    assert ticked(page) == {"rent"}


def test_a_withdrawn_label_takes_its_ticks_along(page: ReviewPage, window: MainWindow) -> None:
    press(window, "12")
    entering.withdraw(session_of(window), 1, "quality")
    assert ticked(page) == set()
    press(window, "3")
    assert own(page) == pytest.approx(1 / 3)


def test_a_tick_that_cannot_be_saved_does_not_look_saved_and_is_later(
    page: ReviewPage, window: MainWindow
) -> None:
    press(window, "1")
    session_of(window).project.conn.execute("PRAGMA query_only = 1")
    press(window, "2")
    assert window.notices.notices
    card = page.scores.cards["quality"]
    assert "not yet saved" in card.summary.text()
    assert (own(page), ticked(page)) == (pytest.approx(1 / 3), {"rent", "442300"})
    session_of(window).project.conn.execute("PRAGMA query_only = 0")
    press(window, "3")
    assert (own(page), ticked(page)) == (pytest.approx(3 / 3), {"rent", "442300", "tax"})
    assert "not yet saved" not in card.summary.text()


def test_the_first_tick_after_a_restart_stands_though_the_share_is_the_same(
    page: ReviewPage, window: MainWindow, tmp_path: Path
) -> None:
    press(window, "1")
    window.close_project()
    assert window.open_project(tmp_path / "ticks.review")
    page.scores.set_focus_on("quality")
    press(window, "2")
    assert (own(page), ticked(page)) == (pytest.approx(1 / 3), {"442300"})
