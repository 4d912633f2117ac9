"""The live figures beside the cards belong to the run in view, and to nothing else."""

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

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
    window: MainWindow, demo: Path, settle: Callable[[], None]
) -> None:
    assert window.open_project(demo)
    page = look_at(window, settle, "c-0001")
    live = page.scores.live
    assert any("Overall, run" in words for words in shown(page))
    assert live.kappa.text().startswith("quadratic κ ")
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
