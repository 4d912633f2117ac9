"""The tables of the harness and of the FAQ framework on the Runs page, and what they open."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.gui.kit.grid import GridView
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.run_section import RunSection
from reviewer.gui.window import MainWindow
from reviewer.services.upkeep import projects


@pytest.fixture
def bring(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, settle: Callable[[], None]
) -> Callable[[str, str], RunSection]:
    def go(system: str, labeler: str = "lead") -> RunSection:
        path = projects.make_demo(tmp_path / f"{system}.review", system, Silent())
        window.surroundings.settings.set("labeler", labeler)
        assert window.open_project(path)
        window.show_page("runs")
        settle()
        page = window.page
        assert isinstance(page, RunsPage)
        section = page.bring(RunSection)
        card = section.grades if system == "harness" else section.bots
        qtbot.waitUntil(lambda: card.table is not None and card.isVisible())
        settle()
        return section

    return go


def words(table: GridView | None) -> list[list[str]]:
    assert table is not None
    rows = table.rows
    return [
        [rows.cell(row, column).words for column in range(rows.columnCount())]
        for row in range(rows.rowCount())
    ]


def asked_of(section: RunSection) -> list[tuple[Any, str]]:
    asked: list[tuple[Any, str]] = []
    section.responses_requested.connect(lambda keys, heading: asked.append((keys, heading)))
    return asked


def test_the_harness_has_its_grades_by_category(bring: Callable[..., RunSection]) -> None:
    section = bring("harness")
    assert section.bots.isHidden()
    table = section.grades.table
    assert table is not None
    assert [x.title for x in table.rows.columns] == [
        "category", "score", "grade", "A", "B", "C", "D", "F", "n",
    ]  # fmt: skip
    # every letter says what it is
    assert table.rows.columns[3].tip == (
        "A, from 0.90: excellent response. A click opens the questions."
    )
    found = words(table)
    assert found[0][0] == "all questions"
    for column in range(3, 9):
        assert int(found[0][column]) == sum(int(row[column]) for row in found[1:])
    figure = section.grades._figure("all questions", 1)
    assert figure is not None
    assert figure.sentence.startswith("All questions: 0.")


def test_a_count_opens_its_questions_and_the_row_all(bring: Callable[..., RunSection]) -> None:
    section = bring("harness")
    asked, table = asked_of(section), section.grades.table
    assert table is not None
    found = words(table)
    table.clicked.emit(table.rows.index(0, 7))
    table.clicked.emit(table.rows.index(1, 0))
    empty = next(place for place, x in enumerate(found[1][3:8]) if x == "0")
    table.clicked.emit(table.rows.index(1, 3 + empty))
    (fails, about_fails), (row, about_row) = asked
    assert len(fails) == int(found[0][7])
    assert about_fails == f"questions graded F in {section.run}"
    assert (len(row), about_row) == (
        int(found[1][8]),
        f"questions of {found[1][0]} in {section.run}",
    )


@pytest.mark.usefixtures("unled")
def test_who_labels_blind_opens_none_of_them(
    bring: Callable[..., RunSection], window: MainWindow
) -> None:
    section = bring("harness", "a new labeler")
    assert window.session is not None
    assert window.session.blind
    noted: list[str] = []
    section.noted.connect(noted.append)
    asked, table = asked_of(section), section.grades.table
    assert table is not None
    table.clicked.emit(table.rows.index(0, 3))
    assert asked == []
    assert noted == ["None of them may be seen before you have answered it."]


def test_bots_stand_beside_each_other_with_a_sign_for_the_best(
    bring: Callable[..., RunSection],
) -> None:
    section = bring("faq-bot")
    assert section.grades.isHidden()
    table = section.bots.table
    assert table is not None
    assert [x.title for x in table.rows.columns] == ["metric", "strict match", "full context"]
    found = {row[0]: row[1:] for row in words(table)}
    assert len(found) == 9
    assert found["Relevance"] == ["3.58", "★ 4.85"]
    assert found["Safety"] == ["☆ 5.00", "4.96"]
    assert found["Latency"] == ["2.25", "1,366"]
    assert table.rows.cell(8, 2).below == "n 25"
    asked = asked_of(section)
    table.clicked.emit(table.rows.index(8, 2))
    ((keys, about),) = asked
    assert (len(keys), about) == (25, f"Robustness of full context in {section.run}")
    figure = section.bots._figure("latency", 2)
    assert figure is not None
    assert figure.sentence == "Mean Latency of full context is 1,366 ms (n 26)."


def test_another_run_of_another_framework_hides_both(
    bring: Callable[..., RunSection], window: MainWindow, demo: Path, settle: Callable[[], None]
) -> None:
    bring("harness")
    assert window.open_project(demo)
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    section = page.bring(RunSection)
    settle()
    assert section.grades.isHidden()
    assert section.bots.isHidden()
