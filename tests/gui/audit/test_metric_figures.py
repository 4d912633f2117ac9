"""Agreement by metric: any statistic with n, interval and word; many metrics stay readable."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.gui.audit import metric_figures
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.window import MainWindow
from tests.building import build_project, record

LEVELS = tuple(Level(value=x) for x in range(1, 6))
MANY = Rubric(
    name="wide",
    metrics=tuple(Metric(name=f"metric{n:02}", levels=LEVELS) for n in range(34)),
)


@pytest.fixture
def page(window: MainWindow, demo: Path, settle: Callable[[], None]) -> AuditPage:
    return opened(window, demo, settle)


def opened(window: MainWindow, path: Path, settle: Callable[[], None]) -> AuditPage:
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    shown = window.page
    assert isinstance(shown, AuditPage)
    return shown


def last_cell(page: AuditPage, metric: str) -> str:
    rows = page.agreement.table.rows
    return rows.cell(rows.keys.index(metric), 7).words


def test_every_statistic_can_be_chosen(page: AuditPage) -> None:
    seen = {}
    for name, _ in metric_figures.CHOICES:
        page.agreement.statistic.pick(name)
        seen[name] = last_cell(page, "accuracy")
    assert seen["kappa_quadratic"] == seen[metric_figures.SUITED]
    assert seen["percent"].endswith(" %")
    assert len(set(seen.values())) > 10


def test_every_column_is_a_figure_with_sentence_formula_and_responses(page: AuditPage) -> None:
    assert page.audit is not None
    for column in range(1, 8):
        found = metric_figures.of_column(page.audit, "accuracy", column, "alpha_ordinal")
        assert found is not None
        assert "Accuracy" in found.title
        assert "n = " in found.sentence or column == metric_figures.N
        assert found.steps is not None
        assert found.steps()[0].title
        assert found.keys is not None
        assert len(found.keys())
    named = metric_figures.of_column(page.audit, "accuracy", 7, "percent")
    assert named is not None
    assert "% (95 % " in named.sentence


def test_the_overall_is_a_figure_too(page: AuditPage) -> None:
    audit = page.audit
    assert audit is not None
    gaps, table = audit.document.satisfaction, page.agreement.table.rows
    # without a band the adjusted mean opens what a band is to be made of
    opened = {metric_figures.AUTO: gaps.n_auto}
    for column in range(1, 6):
        found = metric_figures.of_column(audit, "", column, "")
        assert found is not None
        assert table.cell(table.keys.index(""), column).words in found.sentence
        assert "the overall" in found.sentence
        assert found.steps is not None
        assert any(step.formula for step in found.steps())
        assert found.keys is not None
        assert len(found.keys()) == opened.get(column, gaps.deviations.n_labelled)
    assert metric_figures.of_column(audit, "", metric_figures.CORRECTED, "") is None


def test_a_row_is_copied_by_keys(page: AuditPage, qtbot: QtBot) -> None:
    page.agreement.statistic.pick("kappa")
    table = page.agreement.table
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    table.setCurrentIndex(table.rows.index(1, 7))
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    assert text.startswith("Accuracy, by deepseek-chat@v3 against people: Cohen's kappa 0.")
    assert "at least" not in text
    assert "poor" not in text


def test_a_cell_of_the_table_is_a_figure(page: AuditPage) -> None:
    assert page.audit is not None
    block = page.audit.document.metrics["accuracy"]
    n, pairs = block.confusion.table[4][4], page.audit.pairs["accuracy"]
    found = metric_figures.cell(page.audit, block, (4, 4))
    assert found is not None
    # several labels of a response have parts of it, and each counts by the chance of its drawing
    assert f"in {n:.1f} of" in found.sentence
    assert found.keys is not None
    assert list(found.keys()) == pairs.keys[pairs.in_cell(4, 4)].tolist()
    assert len(found.keys()) > 10


def test_many_metrics_are_found_and_sorted(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    path = build_project(tmp_path / "wide.review", evaluations=wide_records(), rubric=MANY)
    page = opened(window, path, settle)
    table, card = page.agreement.table, page.agreement
    assert card.filter.isVisibleTo(page)
    assert table.rows.rowCount() >= 34
    card.statistic.pick("percent")
    card.order.pick("worst")
    assert str(table.rows.keys[0]) == "metric33"
    card.filter.setText("metric1")
    assert [str(key) for key in table.rows.keys] == [f"metric{n}" for n in range(19, 9, -1)]
    card.order.pick("name")
    assert str(table.rows.keys[0]) == "metric10"


def wide_records() -> list[dict[str, object]]:
    """Metric n is wrong on the first n of 40 evaluations."""
    return [
        record(
            number,
            scores=[
                {"metric": metric.name, "value": number % 5 + 1, "scorer": "judge"}
                for metric in MANY.metrics
            ],
            labels=[
                {
                    "metric": metric.name,
                    "labeler": "ann",
                    "value": (number + (number <= place)) % 5 + 1,
                    "blind": True,
                }
                for place, metric in enumerate(MANY.metrics)
            ],
        )
        for number in range(1, 41)
    ]
