"""The trend per run in the real window."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.gui.runs import trend_rows
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.trend_section import TrendSection
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import entering
from tests.building import build_project, record


@pytest.fixture
def project(tmp_path: Path) -> Path:
    rows = []
    for run, fall, factor in (("v1", 0, 1.0), ("v2", 0, 1.0), ("v3", 1, 1.5)):
        for k in range(42):
            value = 5 - (k % 3 == 0) - (fall * 2 if k % 2 else 0)
            scores = [
                {"metric": x, "value": value, "scorer": "judge"}
                for x in ("relevance", "accuracy", "safety")
            ]
            rows.append(
                record(
                    k, id=f"{run}-{k}", case=f"case {k}", run=run, scores=scores,
                    latency_ms=factor * (100 + k), cost_usd=0.001,
                )
            )  # fmt: skip
    return build_project(tmp_path / "p.review", evaluations=rows, runs=("v1", "v2", "v3"))


@pytest.fixture
def trend(window: MainWindow, project: Path, settle: Callable[[], None]) -> TrendSection:
    assert window.open_project(project)
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    shown = page.sections.bring(TrendSection)
    settle()
    return shown


def test_a_row_a_run_with_words_only_where_they_are_sure(trend: TrendSection) -> None:
    rows = trend.table.rows
    assert rows.keys == ("v3", "v2", "v1")
    newest = [rows.cell(0, column) for column in range(5)]
    assert newest[2].words == "▼ 3.67"
    assert newest[2].below.startswith("worse −1 [−1.32, −.68]")
    assert newest[2].role == "alert"
    assert newest[3].words == "▼ 208 ms"
    assert newest[3].below == "worse +50 %"
    assert (newest[4].words, newest[4].below) == ("$0.0010", "0 %")
    middle = rows.cell(1, 2)
    assert (middle.words, middle.below, middle.role) == ("4.67", "0", "")
    assert rows.cell(2, 2).below == ""


def worse(trend: TrendSection) -> dict[str, tuple[str, ...]]:
    rows = trend.regressions.rows
    return {
        rows.cell(row, 0).words: tuple(rows.cell(row, column).words for column in (1, 2, 3))
        for row in range(rows.rowCount())
    }


def test_what_became_worse_stands_first(trend: TrendSection) -> None:
    found = worse(trend)
    assert next(iter(found)) == "▼ Pass rate"
    assert found["▼ Overall"] == ("4.67 → 3.67", "−1.00 [−1.32, −0.68]", "v3")
    assert found["▼ p95 latency"] == ("139 ms → 208 ms", "+69 ms [+67, +70]", "v3")
    assert not trend.nothing.isVisible()
    figure = trend._regression(("v3", "p95 latency"), 1)
    assert figure is not None
    assert figure.sentence.startswith("v3: p95 latency 139 ms → 208 ms (+50 %) since v2")


def test_the_limit_of_latency_can_be_set(trend: TrendSection) -> None:
    trend.limit.setValue(60)
    assert "▼ p95 latency" not in worse(trend)
    assert "▼ Overall" in worse(trend)
    assert trend.table.rows.cell(0, 3).words == "208 ms"


def test_the_figure_can_be_chosen(trend: TrendSection, settle: Callable[[], None]) -> None:
    chart = trend.chart
    assert chart is not None
    assert [spot.key for spot in chart.spots] == ["v1", "v2", "v3"]
    titles = [trend.figure.itemText(k) for k in range(trend.figure.count())]
    assert titles[0] == "Pass rate"
    assert titles[-2:] == ["p95 latency, ms", "Average cost, $"]
    trend.figure.setCurrentIndex(trend.figure.findData("accuracy"))
    settle()
    assert trend._found is not None
    assert trend._found.stability.measure == "accuracy"
    assert "accuracy" in trend.card.title.text().lower()
    trend.figure.setCurrentIndex(trend.figure.findData(trend_rows.P95))
    settle()
    assert chart.spots[2].y == pytest.approx(1.5 * 138.95)
    assert trend._found.stability.measure == "overall"


def test_unstable_cases_open_their_evaluations(
    window: MainWindow, trend: TrendSection, settle: Callable[[], None]
) -> None:
    rows = trend.cases.rows
    assert window.session is not None
    window.session.blind = False
    trend.recompute()
    settle()
    assert rows.rowCount() == 21
    assert trend.stability.text() == (
        "Overall: mean spread 0.58 over 42 cases in two runs or more; 7 passed in one run and "
        "failed in another."
    )
    asked: list[Any] = []
    trend.responses_requested.connect(lambda keys, heading: asked.append((keys, heading)))
    trend.cases.choose(rows.keys[0])
    trend.cases.setFocus()
    QTest.keyClick(trend.cases, Qt.Key.Key_Return)
    settle()
    keys, heading = asked[0]
    assert len(keys) == 3
    assert heading == f"{rows.keys[0]} over runs"


@pytest.mark.usefixtures("unled")
def test_unanswered_cases_are_counted_and_not_listed(
    window: MainWindow, trend: TrendSection, settle: Callable[[], None]
) -> None:
    session = window.session
    assert session is not None
    assert session.blind
    rows = trend.cases.rows
    assert rows.rowCount() == 0
    assert not trend.cases.isVisible()
    assert trend.stability.text().endswith(
        "42 are hidden from you until you have answered them in every run."
    )
    # one case in its three runs
    for run in range(3):
        for metric in ("relevance", "accuracy", "safety"):
            entering.commit(session, 42 * run + 2, metric, 3)
    settle()
    trend.recompute()
    settle()
    assert rows.keys == ("case 1",)
    assert "41 are hidden" in trend.stability.text()


def test_figures_stand_alone(trend: TrendSection) -> None:
    for column in (1, 2, 3, 4):
        figure = trend._figure_of("v3", column)
        assert figure is not None
        assert "v3" in figure.sentence
        assert "since v2" in figure.sentence
        assert figure.keys is not None
        assert len(figure.keys()) == 42
        assert figure.steps is not None
        assert figure.steps()
    assert trend._figure_of("v3", 0) is None
    assert trend._figure_of("v1", 2) is None


def test_a_rubric_without_a_pass_rule(
    window: MainWindow, demo: Path, settle: Callable[[], None]
) -> None:
    assert window.open_project(demo)
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    shown = page.sections.bring(TrendSection)
    shown.show_runs("A/B opening lines")
    settle()
    assert "pass_rule" in shown.caption.text()
    assert shown.table.rows.cell(0, 1).words == "—"
    assert "There is one run" in shown.nothing.text()
    assert not shown.unstable.isVisible()
