"""What the numbers say on the Audit page: lines, tables behind them, categories, reasons."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.insights_card import LOADING, TITLES, TopicView
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.scope_card import EVERY_RUN
from reviewer.gui.window import MainWindow
from tests.building import build_project, record


def opened(window: MainWindow, path: Path, settle: Callable[[], None]) -> AuditPage:
    window.surroundings.settings.set("labeler", "lead")
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    shown = window.page
    assert isinstance(shown, AuditPage)
    if EVERY_RUN in shown.scope.run.values:
        shown.scope.run.pick(EVERY_RUN)
        settle()
    return shown


@pytest.fixture
def page(window: MainWindow, demo: Path, settle: Callable[[], None]) -> AuditPage:
    made = opened(window, demo, settle)
    made.scope.choose_metric("accuracy")
    settle()
    return made


def words(view: TopicView) -> str:
    return view.sentence.text().replace("\u00a0", " ")


def unfolded(page: AuditPage, name: str) -> list[list[str]]:
    view = page.insights.topics[name]
    if not view.is_open:
        QTest.mouseClick(view.head, Qt.MouseButton.LeftButton)
    assert view.table is not None
    rows = view.table.rows
    return [
        [rows.cell(row, column).words for column in range(rows.columnCount())]
        for row in range(rows.rowCount())
    ]


def test_a_row_lists_the_responses_behind_it(page: AuditPage, qtbot: QtBot) -> None:
    shown = page.insights.shown
    assert shown is not None
    assert shown.change.moved
    unfolded(page, "change")
    table = page.insights.topics["change"].table
    assert table is not None
    with qtbot.waitSignal(page.insights.responses_requested) as asked:
        table.row_opened.emit("paired")
    assert asked.args[0] == shown.change.moved
    with qtbot.assertNotEmitted(page.insights.responses_requested):
        table.row_opened.emit("nobody")


def test_every_topic_says_a_sentence(page: AuditPage) -> None:
    assert page.insights.shown is not None
    assert page.insights.shown.metric == "accuracy"
    for name, view in page.insights.topics.items():
        assert view.isVisibleTo(page.insights)
        assert words(view).endswith(".")
        state = "without a table" if name == "golden" else "folded"
        assert view.head.accessibleName() == f"{TITLES[name]}, {state}"
        assert not view.is_open
    assert "contradicts itself on 38 % of repeats" in words(page.insights.topics["consistency"])
    assert "4 unchanged answers" in words(page.insights.topics["change"])


def test_tables_unfold_and_fold(page: AuditPage) -> None:
    assert [row[0] for row in unfolded(page, "change")][1:3] == [
        "the judge alone", "the system alone"
    ]  # fmt: skip
    view = page.insights.topics["change"]
    assert view.head.accessibleName().endswith("unfolded")
    QTest.keyClick(view.head, Qt.Key.Key_Space)
    assert not view.is_open


def test_another_metric_says_something_else(page: AuditPage, settle: Callable[[], None]) -> None:
    before = words(page.insights.topics["slices"])
    unfolded(page, "slices")
    page.scope.choose_metric("safety")
    settle()
    assert page.insights.shown is not None
    assert page.insights.shown.metric == "safety"
    assert words(page.insights.topics["slices"]) != before
    assert page.insights.topics["slices"].is_open
    assert page.insights.topics["consistency"].sentence.property("role") == "muted"
    assert words(page.insights.topics["consistency"]) == "No evaluation was judged twice."


def test_a_category_opens_its_responses_and_lets_go_again(
    qtbot: QtBot, page: AuditPage, settle: Callable[[], None]
) -> None:
    rows = unfolded(page, "slices")
    table = page.insights.topics["slices"].table
    assert table is not None
    name = rows[0][0]
    table.choose(name)
    assert page.scope.scope().categories == ()
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert page.scope.scope().categories == (name,)
    settle()
    qtbot.waitUntil(lambda: [row[0] for row in unfolded(page, "slices")] == [name])
    assert page.audit is not None
    assert page.audit.evaluations < 146
    table.choose(name)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert page.scope.scope().categories == ()
    settle()
    qtbot.waitUntil(lambda: len(unfolded(page, "slices")) == len(rows))


def test_nothing_labelled_gives_reasons_and_no_tables(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    page = opened(window, build_project(tmp_path / "bare.review", evaluations=5), settle)
    for name in ("slices", "consistency", "change"):
        view = page.insights.topics[name]
        assert view.sentence.property("role") == "muted"
        assert not view.head.isEnabled()
        assert view.head.accessibleName().endswith("without a table")


def test_figures_on_their_way_are_told(page: AuditPage, settle: Callable[[], None]) -> None:
    page.compute()
    settle()
    assert page.insights.state.text() == ""
    page.insights.show_loading("accuracy")
    assert page.insights.state.text() == "updating…"
    page.insights.show_loading("safety")
    assert page.insights.state.text() == LOADING
    assert not page.insights.topics["change"].isVisibleTo(page.insights)


def test_hostile_names_are_shown_as_text(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    labels = [
        {"metric": "accuracy", "labeler": who, "value": 2, "blind": True}
        for who in ("<b>ann</b>\u202e", "bob")
    ]
    records = [record(n, category="<i>x\u202e", labels=labels) for n in range(1, 13)]
    page = opened(window, build_project(tmp_path / "hostile.review", evaluations=records), settle)
    page.scope.choose_metric("accuracy")
    settle()
    told = words(page.insights.topics["slices"])
    assert "<i>x" in told
    assert "\u202e" not in told
    assert page.insights.topics["slices"].sentence.textFormat() == Qt.TextFormat.PlainText
