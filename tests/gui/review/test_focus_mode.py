"""Focus mode leaves conversation, cards and progress, and is what a labeler begins with."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import entering, pace
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from tests.building import build_project, let_see


@pytest.fixture
def led(tmp_path: Path) -> Path:
    """A project of the lead `lea`, in which `bo` labels."""
    path = build_project(tmp_path / "led.review", evaluations=6)
    with closing(Session.open(path, "lea")) as session:
        entering.commit(session, 6, "accuracy", 3)
        profiles.add(session, "bo")
    return path


Begin = Callable[[str], ReviewPage]


@pytest.fixture
def begin(
    window: MainWindow, led: Path, settle: Callable[[], None]
) -> Callable[[str], ReviewPage]:
    def go(name: str) -> ReviewPage:
        window.close_project()
        window.surroundings.settings.set("labeler", name)
        window.resize(1280, 800)
        assert window.open_project(led)
        settle()
        assert isinstance(window.page, ReviewPage)
        return window.page

    return go


def test_a_labeler_begins_with_review_alone_and_a_lead_does_not(
    window: MainWindow, begin: Begin, qtbot: QtBot
) -> None:
    page = begin("lea")
    assert not page.focus_mode.bar.isVisible()
    assert window.top.isVisible()
    page = begin("bo")
    assert page.focus_mode.bar.isVisible()
    gone = (window.top, window.menuBar(), page.queue.view, page.scores.live, page.case.header.id)
    assert not any(widget.isVisible() for widget in gone)
    assert page.scores.not_applicable.isVisible()
    assert page.focus_mode.bar.id.text() == "c-0001"
    qtbot.waitUntil(lambda: page.focus_mode.bar.progress.text() == "0 of 6")


def test_who_asks_for_more_gets_it_and_keeps_it(
    window: MainWindow, begin: Begin, led: Path
) -> None:
    let_see(led)
    page = begin("bo")
    QTest.keyClick(window, Qt.Key.Key_F11)
    assert window.top.isVisible()
    assert page.queue.view.isVisible()
    assert min(page._split.sizes()) > 100, "the list has its room again"
    page = begin("bo")
    assert not page.focus_mode.bar.isVisible()
    QTest.keyClick(window, Qt.Key.Key_F11)
    assert page.focus_mode.bar.isVisible()
    window.show_page("audit")
    assert window.top.isVisible(), "another page has its bars"
    window.show_page("review")
    assert not window.top.isVisible()
    window.close_project()
    assert window.top.isVisible()


def test_keys_and_buttons_do_what_they_do_elsewhere(
    window: MainWindow, begin: Begin, qtbot: QtBot
) -> None:
    page = begin("bo")
    places = set()
    for keys in 2 * (*(len(page.scores.cards) * "3"), " "):
        QTest.keyClicks(window, keys)
        qtbot.wait(20)
        shown = (page.scores.next, page.scores.skip, page.scores.not_applicable)
        places.add(tuple(x.mapTo(window, QPoint(0, 0)).toTuple() for x in shown))
    assert len(places) == 1, "nothing moves"
    qtbot.waitUntil(lambda: page.focus_mode.bar.progress.text() == "2 of 6")
    assert page.focus_mode.bar.pace.text().startswith("today 2")
    QTest.mouseClick(page.scores.not_applicable, Qt.MouseButton.LeftButton)
    assert page.view is not None
    assert {x.kind for x in page.view.own.values()} == {"not_applicable"}
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.case.header.search.isVisible()


def test_ones_own_goal_stands_beside_what_was_done_today(
    window: MainWindow, begin: Begin, qtbot: QtBot
) -> None:
    page = begin("bo")
    window.surroundings.settings.set("goal", 40)
    qtbot.waitUntil(lambda: page.focus_mode.bar.pace.text().startswith("today 0 of 40"))


def test_a_day_ends_at_midnight_where_the_project_is(led: Path) -> None:
    with closing(Session.open(led, "bo")) as session:
        session.project.set_setting("time_zone", "Asia/Tokyo")
        for key in (1, 2, 2):
            entering.commit(session, key, "accuracy", key)
        now = datetime.now(UTC)
        assert pace.answered_today(session, now) == 2
        assert pace.answered_today(session, now + timedelta(days=1)) == 0
    with closing(Session.open(led, "lea")) as session:
        assert pace.answered_today(session) == 1, "others' work is not one's own"
