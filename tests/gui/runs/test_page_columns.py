"""The Runs page keeps its three parts in reach, however narrow the window or large the letters."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.gui.runs.jobs_section import JobsSection
from reviewer.gui.runs.page import SECTIONS, RunsPage
from reviewer.gui.window import MainWindow
from reviewer.services.upkeep import projects


@pytest.fixture
def sized(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> Callable[[int, str], RunsPage]:
    def show(scale: int, system: str = "guest-response") -> RunsPage:
        window.surroundings.settings.set("font_scale", scale)
        window.surroundings.settings.set("labeler", "lead")
        window.resize(1280, 800)
        window.open_project(projects.make_demo(tmp_path / "a.review", system, Silent()))
        window.show_page("runs")
        settle()
        page = window.page
        assert isinstance(page, RunsPage)
        return page

    return show


@pytest.mark.parametrize("system", ["guest-response", "faq-bot"])
@pytest.mark.parametrize("letters", [(100, 3), (125, 2), (150, 2), (200, 1)])
def test_no_section_makes_the_page_wider_than_the_window(
    sized: Callable[[int, str], RunsPage],
    qtbot: QtBot,
    settle: Callable[[], None],
    letters: tuple[int, int],
    system: str,
) -> None:
    scale, columns = letters
    page = sized(scale, system)
    for kind in SECTIONS:
        page.bring(kind)
        settle()

        def fits() -> bool:
            least = page.middle.minimumSizeHint().width()
            return page.width() <= page.window().width() and least <= page.middle.width()

        qtbot.waitUntil(fits, timeout=60_000)
        assert page.columns.count == columns, kind.title
    page.ask_what()
    qtbot.waitUntil(
        lambda: page.launch.minimumSizeHint().width() <= page.launch.width(), timeout=60_000
    )


def test_two_columns_let_the_runs_and_the_launch_share_a_place(
    sized: Callable[[int], RunsPage],
) -> None:
    page = sized(150)
    runs, launch = page.columns.tabs.buttons[0], page.columns.tabs.buttons[2]
    assert page.runs.isVisible()
    assert not page.launch.isVisible()
    QTest.mouseClick(launch, Qt.MouseButton.LeftButton)
    assert page.launch.isVisible()
    assert page.middle.isVisible()
    assert not page.runs.isVisible()
    QTest.mouseClick(runs, Qt.MouseButton.LeftButton)
    assert page.runs.isVisible()
    page.ask_what()
    assert page.launch.isVisible()


def test_one_column_shows_what_a_command_asks_for(sized: Callable[[int], RunsPage]) -> None:
    page = sized(200)
    assert page.runs.isVisible()
    page.bring(JobsSection)
    assert page.middle.isVisible()
    assert not page.runs.isVisible()
    page.ask_what()
    assert page.launch.isVisible()
    assert not page.middle.isVisible()


def test_a_narrower_window_keeps_the_part_in_view_that_somebody_works_in(
    sized: Callable[[int], RunsPage], window: MainWindow, qtbot: QtBot
) -> None:
    page = sized(100)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=60_000)
    assert page.columns.tabs not in [x for x in page.panes() if x.isVisible()]
    page.ask_what()
    assert page.launch.form.what.hasFocus()
    window.resize(900, 800)
    qtbot.waitUntil(lambda: page.columns.count == 2, timeout=60_000)
    assert page.launch.isVisible()
    assert not page.runs.isVisible()
    assert page.columns.tabs in [x for x in page.panes() if x.isVisible()]


def test_a_wider_window_shows_everything_again(
    sized: Callable[[int], RunsPage], window: MainWindow, qtbot: QtBot
) -> None:
    page = sized(200)
    page.ask_what()
    window.resize(2600, 800)
    qtbot.waitUntil(lambda: page.columns.count == 3, timeout=60_000)
    assert not page.columns.tabs.isVisible()
    assert page.runs.isVisible()
    assert page.middle.isVisible()
    assert page.launch.isVisible()
