"""The live figures beside the cards belong to the run in view, and to nothing else."""

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from reviewer.gui.explanation import ExplanationDialog
from reviewer.gui.plots.histogram import Histogram
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.project import reading


def shown(page: ReviewPage) -> list[str]:
    cells = page.scores.live._cells
    return [label.text() for (row, _), label in sorted(cells.items()) if row]


def look_at(window: MainWindow, settle: Callable[[], None], name: str) -> ReviewPage:
    page, session = window.page, window.session
    assert isinstance(page, ReviewPage)
    assert session is not None
    key = reading.key_of(session, name)
    assert key is not None
    page.open_evaluation(key)
    settle()
    return page


def test_a_comparison_shows_plain_kappa_and_no_overall(
    window: MainWindow, demo: Path, settle: Callable[[], None], qtbot: QtBot
) -> None:
    assert window.open_project(demo)
    page = look_at(window, settle, "c-0001")
    live = page.scores.live
    assert any("Overall, run" in words for words in shown(page))
    assert live.kappa.text().startswith("quadratic κ ")
    qtbot.waitUntil(lambda: ", " in live.kappa.text(), timeout=10_000)
    assert "agreement" not in live.kappa.text()
    assert "Overall, this response" in shown(page)
    assert live.band.isVisible()
    page = look_at(window, settle, "o-01")
    assert not any("Overall" in words for words in shown(page))
    assert live.kappa.text().startswith("κ ")
    assert "quadratic" not in live.kappa.text()
    assert not live.band.isVisible()
    assert not live.verdict.isVisible()


def test_of_how_many_the_auto_means_are_is_said_where_these_are_others(
    window: MainWindow, demo: Path, settle: Callable[[], None]
) -> None:
    assert window.open_project(demo)
    page = look_at(window, settle, "c-0001")
    assert page.scores.live.reach.text() == "n: last 6 months · auto of 70, Overall 69"
    page = look_at(window, settle, "o-01")
    assert page.scores.live.reach.text() == "auto of 12"


def test_while_figures_are_gathered_none_of_another_run_is_shown(
    qtbot: QtBot, window: MainWindow, demo: Path, settle: Callable[[], None]
) -> None:
    assert window.open_project(demo)
    page = look_at(window, settle, "c-0001")
    assert any(shown(page))
    qtbot.waitUntil(lambda: bool(page.findChildren(Histogram)))
    histogram = page.findChildren(Histogram)[0]
    qtbot.waitUntil(lambda: bool(histogram._gaps))
    page.figures.reload()
    assert not any(shown(page))
    assert not histogram._gaps
    assert page.scores.live.kappa.text() == "Gathering figures…"


def test_who_has_not_answered_yet_sees_no_figure_of_anybody(
    qtbot: QtBot, window: MainWindow, demo: Path, settle: Callable[[], None]
) -> None:
    assert window.open_project(demo)
    page = look_at(window, settle, "c-0001")
    live = page.scores.live
    qtbot.waitUntil(lambda: bool(page.findChildren(Histogram)))
    histogram = page.findChildren(Histogram)[0]
    qtbot.waitUntil(lambda: bool(histogram._gaps))
    page = look_at(window, settle, "c-0003")
    assert page.view is not None
    assert page.view.hidden
    qtbot.waitUntil(live.closed.isVisible)
    assert not any(shown(page))
    assert not histogram._gaps
    told = [x for x in live.findChildren(QLabel) if x is not live.closed]
    said = " ".join(f"{x.text()} {x.toolTip()} {x.accessibleName()}" for x in told)
    assert not re.search(r"\d", said), said
    page.figures.explain()
    assert not page.findChildren(ExplanationDialog)
    for value in (4, 4, 4):
        page.acts.level(value - 1)
    qtbot.waitUntil(lambda: not live.closed.isVisible())
    assert any("This run (n =" in words for words in shown(page))


def test_whatever_is_pressed_keeps_its_place(
    qtbot: QtBot, window: MainWindow, demo: Path, settle: Callable[[], None]
) -> None:
    window.surroundings.settings.set("labeler", "labeler 1")
    assert window.open_project(demo, "c-0003")
    settle()
    page = window.page
    assert isinstance(page, ReviewPage)
    scores = page.scores
    kept = (scores.next, scores.skip, scores.flag, scores.comment)
    places: dict[str, set[tuple[object, ...]]] = {}
    for number in range(50):
        # by turns with a digit too many, a reveal, a comment and an answer taken back
        key = (
            *(Qt.Key.Key_1, Qt.Key.Key_4, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_Space),
            *(Qt.Key.Key_5, Qt.Key.Key_R, Qt.Key.Key_R, Qt.Key.Key_4, Qt.Key.Key_5),
            *(Qt.Key.Key_U, Qt.Key.Key_Space),
        )[number % 12]
        QTest.keyClick(window, key)
        qtbot.wait(20)
        levels = [x for _, x in scores.cards[scores.focus or ""]._levels._buttons]
        for name, widgets in (("foot", kept), (scores.focus or "", levels)):
            spot = tuple(x.mapTo(window, QPoint(0, 0)).toTuple() for x in widgets)
            places.setdefault(name, set()).add(spot)
    assert list(places) == ["foot", "accuracy", "safety", "relevance"]
    assert {name: len(found) for name, found in places.items()} == dict.fromkeys(places, 1)
