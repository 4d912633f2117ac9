"""Two runs side by side in the real window: figures, flips, drill-down, what stays hidden."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from reviewer.domain.judging import Endpoint, Judge
from reviewer.gui.runs.compare_section import CompareSection
from reviewer.gui.runs.compare_table import (
    BOTH,
    BROKEN,
    DIFFERENCE,
    FIXED,
    OVERALL,
    PASS,
    A,
    B,
)
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.window import MainWindow
from reviewer.services.comparing.comparison import Side
from reviewer.store import judging
from reviewer.store.project import Project
from tests.building import build_project
from tests.two_versions import versions_project

OLD, NEW = "agent v6", "agent v7"
BEFORE, AFTER = [1, 2, 4, 5, 2, 4], [4, 2, 4, 2, 5, 5]


def answer(run: str, case: int, value: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{run} {case}", "case": f"c-{case}", "run": run, "input": f"Question {case}?",
        "response": f"Yes, says {run}." if case else "Nine.", "latency_ms": 100.0 + 10 * case,
        "cost_usd": 0.001, "cache": "warm" if case % 2 else "cold", "template_matched": True,
        "scores": [
            {"metric": name, "value": value if name == "accuracy" else 4, "scorer": "judge",
             "scorer_version": "v1", "model": "m-1", "reasoning": f"Because {value}."}
            for name in ("relevance", "accuracy", "safety")
        ],
    } | more  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [answer(OLD, n, x) for n, x in enumerate(BEFORE)]
    rows += [answer(NEW, n, x) for n, x in enumerate(AFTER)]
    return build_project(tmp_path / "two.review", evaluations=rows, runs=(OLD, NEW))


@pytest.fixture
def bring(window: MainWindow, settle: Callable[[], None]) -> Callable[..., CompareSection]:
    def go(path: Path, *, blind: bool = False) -> CompareSection:
        assert window.open_project(path)
        assert window.session is not None
        window.session.blind = blind
        window.show_page("runs")
        settle()
        assert isinstance(window.page, RunsPage)
        section = window.page.sections.bring(CompareSection)
        settle()
        return section

    return go


def words(section: CompareSection, row: str) -> list[str]:
    place = section.table.grid.rows.place_of(row)
    assert place is not None
    rows = section.table.grid.rows
    return [rows.cell(place, column).words for column in range(rows.columnCount())]


def listed(section: CompareSection) -> list[str]:
    rows = section.flips.list.rows
    return [rows.cell(row, 0).words for row in range(rows.rowCount())]


def test_the_newest_run_is_held_against_the_one_before(
    path: Path, bring: Callable[..., CompareSection]
) -> None:
    section = bring(path)
    assert section.table.cases.text() == "same 6 cases"
    accuracy = words(section, "accuracy")
    assert accuracy[B] == "3.00"
    assert accuracy[A] == "3.67"
    assert accuracy[DIFFERENCE].startswith("+0.67 [")
    assert (accuracy[FIXED], accuracy[BROKEN], accuracy[BOTH]) == ("2", "1", "1")
    assert words(section, PASS)[1:3] == ["50.0 %", "66.7 %"]
    place = section.table.grid.rows.place_of("accuracy")
    # said once above the table; the row has a sign that says it on hover
    part = "+3.00 of it is the judge (1 unchanged answer)"
    assert section.table.judges.text() == (
        "On 1 unchanged answer the judge alone moves Accuracy by +3.00."
    )
    row = section.table.grid.rows.cell(place or 0, 0)
    assert (row.words, part in row.tip) == ("Accuracy ≠", True)
    assert words(section, "safety")[0] == "Safety"


def test_a_count_opens_its_evaluations_and_a_row_all_that_changed(
    path: Path, bring: Callable[..., CompareSection], window: MainWindow
) -> None:
    section = bring(path)
    asked: list[tuple[list[str], str]] = []
    session = window.session
    assert session is not None

    def note(keys: Any, heading: str) -> None:
        asked.append(([session.place(int(key))[1] for key in keys], heading))

    section.responses_requested.disconnect()
    section.responses_requested.connect(note)
    grid = section.table.grid
    row = grid.rows.place_of("accuracy") or 0
    box = grid.visualRect(grid.rows.index(row, FIXED))
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert asked.pop() == ([f"{NEW} 0", f"{NEW} 4"], f"fixed by Accuracy, {NEW} against {OLD}")
    grid.row_opened.emit("accuracy")
    assert sorted(asked.pop()[0]) == [f"{NEW} {n}" for n in (0, 3, 4, 5)]
    grid.row_opened.emit(PASS)
    assert asked.pop()[0] == [f"{NEW} 0", f"{NEW} 4", f"{NEW} 3"]


def test_flips_stand_with_both_answers_scores_and_reasonings(
    path: Path, bring: Callable[..., CompareSection], settle: Callable[[], None]
) -> None:
    section = bring(path)
    section.table.grid.choose("accuracy")
    settle()
    flips = section.flips
    assert flips.title.text() == "What changed — Accuracy"
    assert listed(section) == [f"{NEW} 0", f"{NEW} 4"]
    flips.list.choose(flips.list.rows.keys[1])
    shown = [x.text() for x in flips.case.findChildren(QLabel)]
    assert "B  Accuracy 2" in shown
    assert "A  Accuracy 5" in shown
    assert "“Because 5.”" in shown
    assert f"Yes, says {OLD}." in shown
    assert f"Yes, says {NEW}." in shown
    flips.how.setCurrentIndex(1)
    (diff,) = [x for x in flips.case.findChildren(QLabel) if "<s" in x.text()]
    assert "v6" in diff.text()
    flips.kinds.setCurrentIndex(flips.kinds.findData("broken"))
    assert listed(section) == [f"{NEW} 3"]


@pytest.mark.usefixtures("unled")
def test_what_is_hidden_from_a_labeler_is_neither_listed_nor_opened(
    path: Path, bring: Callable[..., CompareSection]
) -> None:
    section = bring(path, blind=True)
    section.table.grid.choose("accuracy")
    assert listed(section) == []
    assert section.flips.note.text() == "2 are hidden from you until you have answered them."
    assert not section.flips.open.isEnabled()
    assert section.table.keys("accuracy", "fixed") == []
    assert words(section, "accuracy")[FIXED] == "2"


def test_latency_cost_cache_and_templates_are_shown(
    path: Path, bring: Callable[..., CompareSection]
) -> None:
    section = bring(path)
    rows = section.operations.table.rows
    names = {str(key): rows.cell(n, 2).words for n, key in enumerate(rows.keys)}
    assert names["p50, ms"] == "125"
    assert names["p95, ms"] == f"{np.percentile([100 + 10 * n for n in range(6)], 95):.0f}"
    assert names["cost a request"] == "$0.001"
    assert names["template match"] == "100.0 %"
    assert "warm cache, p95, ms" in names
    assert "direct substitution" not in names
    assert section.operations.chart is not None
    assert section.operations.isAncestorOf(section.operations.table)
    assert section.operations.caption.text().startswith("A: p50 125 · p95 ")


def test_a_figure_is_copied_as_a_sentence_and_explained(
    path: Path, bring: Callable[..., CompareSection]
) -> None:
    section = bring(path)
    figure = section.table.figure("accuracy", DIFFERENCE)
    assert figure is not None
    section.figures.copy(figure)
    said = QGuiApplication.clipboard().text()
    assert said.startswith(
        "Mean Accuracy of agent v7 is 3.67 against 3.00 of agent v6: +0.67 (99 % "
    )
    # five figures are told together, none of which moved for sure
    assert section.table.note.text().startswith("95 % over 5 figures: each at 99 %; ")
    assert "paired t test p 0.501" in said
    assert "6 shared cases" in said
    assert "of it is the judge (1 unchanged answer)" in said
    assert figure.steps is not None
    assert [x.title for x in figure.steps()] == [
        "Difference A − B", "Interval at 99 %", "Test", "Wilcoxon's signed ranks",
        "The judge's part", "McNemar's test",
    ]  # fmt: skip
    overall = section.table.figure(OVERALL, DIFFERENCE)
    assert overall is not None
    assert "overall score of agent v7" in overall.sentence
    assert words(section, OVERALL)[DIFFERENCE].startswith("+")
    verdicts = section.table.figure(PASS, A)
    assert verdicts is not None
    assert "McNemar's mid-p p 0.625" in verdicts.sentence
    assert "2 fixed, 1 broken, 1 wrong on both sides" in verdicts.sentence
    cost = section.operations.figure("cost a request", A)
    assert cost is not None
    assert "n = 6 and n = 6" in cost.sentence


def test_a_judge_that_was_edited_is_said_below_the_table(
    path: Path, bring: Callable[..., CompareSection]
) -> None:
    with Project.open(path) as project:
        judging.keep(project, Endpoint(name="near"))
        judging.keep(project, Judge(name="judge", endpoint="near", model="m-2"))
    section = bring(path)
    assert section.table.stale.text() == (
        "⚠ A and B: 36 scores of Relevance, Accuracy and Safety were made by m-1; the judge judge "
        "now asks m-2."
    )


def test_another_judge_is_said_once_and_calls_nothing_better(
    tmp_path: Path, bring: Callable[..., CompareSection]
) -> None:
    rows = [answer(OLD, n, 1 + n % 2) for n in range(12)]
    rows += [answer(NEW, n, 4 + n % 2) for n in range(12)]
    for row in rows[12:]:
        for score in row["scores"][1:]:
            score.update(scorer="second", model="m-2")
    section = bring(build_project(tmp_path / "two.review", evaluations=rows, runs=(OLD, NEW)))
    assert section.table.judges.text() == (
        "B and A were not scored alike, so that these are neither better nor worse: Accuracy and "
        "Safety (another judge: judge@v1 → second@v1). On 1 unchanged answer the judge alone "
        "moves Accuracy by +3.00."
    )
    grid = section.table.grid.rows
    roles = {
        row: grid.cell(grid.place_of(row) or 0, DIFFERENCE).role
        for row in ("accuracy", OVERALL, PASS)
    }
    assert set(roles.values()) == {""}
    assert words(section, "accuracy")[DIFFERENCE].startswith("+3")
    assert [words(section, row)[0] for row in ("relevance", "accuracy", OVERALL, PASS)] == [
        "Relevance", "Accuracy ≠", "Overall ≠", "Pass rate ≠",
    ]  # fmt: skip
    figure = section.table.figure("accuracy", DIFFERENCE)
    assert figure is not None
    assert "another judge: judge@v1 → second@v1" in figure.sentence


def test_one_run_with_two_judges_is_held_against_itself(
    tmp_path: Path, bring: Callable[..., CompareSection], settle: Callable[[], None]
) -> None:
    rows = [answer(OLD, n, x) for n, x in enumerate(BEFORE)]
    for row, value in zip(rows, AFTER, strict=True):
        row["scores"].append({"metric": "accuracy", "value": value, "scorer": "second"})
    section = bring(build_project(tmp_path / "one.review", evaluations=rows, runs=(OLD,)))
    assert section.table.cases.text() == "the same 6 responses"
    assert "every difference is the judge's" in section.table.judges.text()
    assert {section.sides.wanted.b.scorer, section.sides.wanted.a.scorer} != {None}
    section.sides.a_scores.setCurrentIndex(section.sides.a_scores.findData("second"))
    settle()
    assert words(section, "accuracy")[A] == "3.67"


def test_a_run_alone_has_nothing_to_be_held_against(
    project: Path, bring: Callable[..., CompareSection]
) -> None:
    section = bring(project)
    assert section.state.text().startswith("There is nothing to hold agent v7 against")
    assert not section.table.isVisible()


def test_further_sides_stand_in_columns_of_their_own(
    tmp_path: Path, bring: Callable[..., CompareSection], settle: Callable[[], None]
) -> None:
    runs = ("agent v5", OLD, NEW)
    rows = [answer(run, n, min(5, n + at)) for at, run in enumerate(runs, 1) for n in range(4)]
    section = bring(build_project(tmp_path / "three.review", evaluations=rows, runs=runs))
    assert section.more.isHidden()
    titles = [action.text() for action in section.sides.menu(section).actions()]
    assert titles[0] == "agent v5"
    section.sides._toggle(Side("agent v5"))
    settle()
    grid = section.more.grid
    assert grid is not None
    assert [column.title for column in grid.rows.columns] == ["metric", "A", OLD, "agent v5"]
    place = grid.rows.place_of("accuracy") or 0
    assert [grid.rows.cell(place, n).words for n in (1, 2, 3)] == ["4.25", "3.50", "2.50"]
    assert grid.rows.cell(place, 3).below.startswith("+1.75 [")
    figure = section.more.figure("accuracy", 3)
    assert figure is not None
    assert "agent v5" in figure.sentence


def test_sides_are_of_record_until_another_version_is_chosen(
    tmp_path: Path, bring: Callable[..., CompareSection], settle: Callable[[], None]
) -> None:
    section = bring(versions_project(tmp_path / "versions.review"))
    combo = section.sides.a_scores
    assert [combo.itemText(n) for n in range(combo.count())] == ["of record", "judge@1", "judge@2"]
    assert section.judged.text() == "A by judge@1 on 12 of 12. B by judge@1 on 12 of 12."
    combo.setCurrentIndex(combo.findData("judge@2"))
    settle()
    assert section.judged.text() == "A by judge@2 on 6 of 12. B by judge@1 on 12 of 12."


def test_what_costs_and_takes_more_is_worse(
    tmp_path: Path, bring: Callable[..., CompareSection]
) -> None:
    rows = [
        answer(run, n, 4, latency_ms=took + 10 * n, cost_usd=cost + n / 10_000)
        for run, took, cost in ((OLD, 100.0, 0.002), (NEW, 400.0 + 3, 0.001))
        for n in range(12)
    ]
    for n, row in enumerate(rows):
        row["latency_ms"] += n % 5
        row["cost_usd"] += n % 7 / 100_000
    section = bring(build_project(tmp_path / "slow.review", evaluations=rows, runs=(OLD, NEW)))
    grid = section.operations.table.rows
    cells = {str(key): grid.cell(n, 3) for n, key in enumerate(grid.keys)}
    assert cells["mean, ms"].words.startswith("+30")
    assert cells["mean, ms"].role == "alert"
    assert cells["cost a request"].words.startswith("−0.0010 [")
    assert cells["cost a request"].role == "adjusted"
    assert (cells["p50, ms"].words, cells["p50, ms"].role) == ("", "")
    assert section.operations.axis.isVisibleTo(section)
    assert section.operations.chart is not None
    told = section.operations.chart.accessibleDescription()
    assert told.startswith("from, ms, to, ms, share of B, share of A\n")


def test_runs_that_say_nothing_of_time_and_cost_have_neither_chart_nor_table(
    tmp_path: Path, bring: Callable[..., CompareSection]
) -> None:
    told = ("latency_ms", "cost_usd", "cache", "template_matched")
    rows = [
        {key: x for key, x in answer(run, n, 4).items() if key not in told}
        for run in (OLD, NEW)
        for n in range(3)
    ]
    section = bring(build_project(tmp_path / "bare.review", evaluations=rows, runs=(OLD, NEW)))
    card = section.operations
    assert card.caption.text() == (
        "No response of these runs says how long it took or what it cost."
    )
    assert not card.axis.isVisibleTo(section)
    assert not card.table.isVisibleTo(section)


def test_cases_of_one_side_alone_are_told_and_the_pass_rate_is_in_points(
    tmp_path: Path, bring: Callable[..., CompareSection]
) -> None:
    rows = [answer(OLD, n, 2) for n in range(15)]
    rows += [answer(NEW, n, 5 if n > 4 else 2) for n in range(2, 18)]
    section = bring(build_project(tmp_path / "more.review", evaluations=rows, runs=(OLD, NEW)))
    assert section.table.cases.text() == "same 13 cases · 2 only in B · 3 only in A"
    grid = section.table.grid.rows
    cell = grid.cell(grid.place_of(PASS) or 0, DIFFERENCE)
    assert cell.words.startswith("+76.9 [")
    assert (cell.role, cell.tip) == ("adjusted", "In points.")
    note = section.table.note.text()
    assert "of what is called better or worse at most 5 % is expected to be neither" in note
