"""What a run passes is said first as labels correct it, and by the judge alone where none do."""

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.run_section import RunSection
from reviewer.gui.window import MainWindow
from tests.building import build_project, record


def section_of(window: MainWindow, path: Path, settle: Callable[[], None]) -> RunSection:
    window.surroundings.settings.set("labeler", "lead")
    assert window.open_project(path)
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    return page.bring(RunSection)


def test_the_corrected_rate_comes_first(
    window: MainWindow, demo: Path, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    details = section_of(window, demo, settle).details
    qtbot.waitUntil(lambda: "corrected" in details.rate.text())
    assert details.rate.text() == "89.9 % pass, corrected by 47 labels (81 – 96 %)."
    assert details.rates.text() == "judge 94.2 % of 69 · people 90.4 % of 52 (79 – 96 %)"


def test_without_labels_it_is_the_judges_and_says_so(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    path = build_project(tmp_path / "p.review", evaluations=[record(n) for n in range(20)])
    details = section_of(window, path, settle).details
    qtbot.waitUntil(lambda: "not corrected" in details.rates.text())
    assert details.rate.text() == "20.0 % pass by the judge's scores."
