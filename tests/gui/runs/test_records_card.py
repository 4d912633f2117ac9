"""The card "Whose scores count": what a lead changes there changes every page, and undo too."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.records_card import RecordRow, RecordsCard
from reviewer.gui.window import MainWindow
from reviewer.services.figures import run_records
from reviewer.services.figures.run_records import Wish
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from tests.building import build_project, let_see
from tests.two_versions import (
    METRICS,
    OLDER,
    RUN,
    SIZE,
    evaluation,
    repeated_project,
    score,
    versions_project,
)

Open = Callable[[Path], RunsPage]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return versions_project(tmp_path / "two.review")


@pytest.fixture
def bring(window: MainWindow, settle: Callable[[], None]) -> Open:
    window.surroundings.settings.set("labeler", "ann")

    def go(path: Path) -> RunsPage:
        let_see(path)
        assert window.open_project(path)
        window.show_page("runs")
        settle()
        assert isinstance(window.page, RunsPage)
        return window.page

    return go


def pick(card: RecordsCard, metric: str, version: str) -> None:
    """Choose another version in the menu of a metric."""
    menu = card.rows[metric].choice.fill()
    next(x for x in menu.actions() if x.text().startswith(f"{version} — ")).trigger()


def told(row: RecordRow) -> tuple[str, str, str]:
    version = row.choice.accessibleName().partition(": ")[2]
    return (version if row.choice.isVisible() else row.version.text(), row.coverage.text(),
            row.since.text())  # fmt: skip


def press_undo(window: MainWindow, qtbot: QtBot, settle: Callable[[], None]) -> None:
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle()
    qtbot.waitUntil(lambda: window.notices.notices[-1].text.startswith("Undone: "))
    settle()


def rate(page: RunsPage) -> str:
    place = page.runs.list.rows.place_of(RUN)
    assert place is not None
    return page.runs.list.rows.cell(place, 3).words


def test_a_line_a_metric_says_which_version_counts_and_on_how_many(
    path: Path, bring: Open, qtbot: QtBot
) -> None:
    card = bring(path).run.records
    assert list(card.rows) == list(METRICS)
    version, coverage, since = told(card.rows["accuracy"])
    assert (version, coverage) == ("judge@1", "12 of 12")
    assert since.startswith("first scores, ")
    assert since.endswith("· not counted: judge@2 on 6")
    choice = card.rows["accuracy"].choice
    # before the card is laid out nothing is where a click could land; and a window that becomes
    # active meanwhile closes a menu that was just opened
    qtbot.waitUntil(lambda: choice.visibleRegion().contains(choice.rect().center()))
    with qtbot.waitSignal(choice.versions.aboutToShow):
        QTest.mouseClick(choice, Qt.MouseButton.LeftButton)
    titles = [x.text() for x in choice.versions.actions()]
    choice.versions.close()
    assert titles == ["judge@1 — 12 of 12", "judge@2 — 6 of 12"]
    assert not card.rows["accuracy"].repeats.isVisible()


def test_another_version_changes_runs_audit_and_review_and_undo_brings_them_back(
    path: Path, bring: Open, window: MainWindow, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(path)
    card = page.run.records
    assert rate(page) == "100.0 %"
    pick(card, "accuracy", "judge@2")
    settle()
    # six are failed by it, and of the others nothing is known
    qtbot.waitUntil(lambda: rate(page) == "0.0 %")
    settle()
    notice = window.notices.notices[-1].text
    assert notice.startswith("What counts now in agent v7 is judge@2 on 6 of 12 for Accuracy.")
    version, coverage, since = told(card.rows["accuracy"])
    assert (version, coverage) == ("judge@2", "6 of 12")
    assert since.startswith("named by ann, ")
    assert since.endswith("· not counted: judge@1 on 12")
    assert told(card.rows["safety"])[0] == "judge@1"
    assert page.run.details.judge.text() == (
        "Scores of judge@1 on 12 of 12 for Relevance, Safety; judge@2 on 6 of 12 for Accuracy."
    )

    audit, review = audited(window, settle), reviewed(window, settle)
    assert audit.verdict.judge.text() == "Judge: judge@2 on 6 of 12; not counted: judge@1 on 12"
    assert audit.audit is not None
    assert audit.audit.document.metrics["accuracy"].gaps.auto_mean == 2.0
    assert review.view is not None
    assert review.view.auto["accuracy"].value == 2
    assert "judge@2" in review.scores.cards["accuracy"]._told.text()

    window.show_page("runs")
    settle()
    press_undo(window, qtbot, settle)
    qtbot.waitUntil(lambda: rate(page) == "100.0 %")
    settle()
    version, _, since = told(card.rows["accuracy"])
    assert version == "judge@1"
    assert since.startswith("put back by ann, ")
    window.show_page("review")
    settle()
    qtbot.waitUntil(lambda: review.view is not None and review.view.auto["accuracy"].value == 5)
    window.show_page("audit")
    settle()
    qtbot.waitUntil(lambda: audit.verdict.judge.text().startswith("Judge: judge@1 on 12 of 12"))


def audited(window: MainWindow, settle: Callable[[], None]) -> AuditPage:
    """The Audit page on the run and Accuracy."""
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    page.scope.run.pick(RUN)
    page.scope.choose_metric("accuracy")
    settle()
    return page


def reviewed(window: MainWindow, settle: Callable[[], None]) -> ReviewPage:
    """The Review page on the run's first response."""
    window.show_page("review")
    settle()
    page = window.page
    assert isinstance(page, ReviewPage)
    assert window.session is not None
    key = reading.key_of(window.session, f"{RUN}/{RUN} 1")
    assert key is not None
    page.open_evaluation(key)
    settle()
    return page


def test_the_focus_stays_and_a_second_wish_waits(
    path: Path, bring: Open, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(path)
    card = page.run.records
    choice = card.rows["accuracy"].choice
    choice.setFocus()
    pick(card, "accuracy", "judge@2")
    asked: list[object] = []
    card.wished.connect(asked.append)
    pick(card, "accuracy", "judge@2")
    assert asked == []
    assert choice.hasFocus()
    settle()
    qtbot.waitUntil(lambda: told(card.rows["accuracy"])[0] == "judge@2")
    settle()
    assert choice.hasFocus()
    pick(card, "accuracy", "judge@1")
    assert len(asked) == 1
    settle()


def test_redo_names_it_again(
    path: Path, bring: Open, window: MainWindow, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(path)
    pick(page.run.records, "accuracy", "judge@2")
    settle()
    press_undo(window, qtbot, settle)
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_Z, both)
    qtbot.waitUntil(lambda: window.notices.notices[-1].text.startswith("Done again: "))
    qtbot.waitUntil(lambda: told(page.run.records.rows["accuracy"])[0] == "judge@2")


def test_one_press_uses_a_version_for_every_metric_that_it_scored(
    path: Path, bring: Open, window: MainWindow, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(path)
    card = page.run.records
    assert card.spread.isVisible()
    (action,) = card.fill_spread().actions()
    assert action.text() == "judge@2 — 3 metrics"
    action.trigger()
    settle()
    qtbot.waitUntil(lambda: {told(x)[0] for x in card.rows.values()} == {"judge@2"})
    settle()
    press_undo(window, qtbot, settle)
    qtbot.waitUntil(lambda: {told(x)[0] for x in card.rows.values()} == {"judge@1"})


def test_repeats_count_where_they_are_ticked(
    tmp_path: Path, bring: Open, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(repeated_project(tmp_path / "again.review"))
    card = page.run.records
    row = card.rows["accuracy"]
    assert row.repeats.isVisible()
    assert not card.rows["safety"].repeats.isVisible()
    assert not row.repeats.isChecked()
    assert rate(page) == "100.0 %"
    row.repeats.click()
    settle()
    # the mean of 5 and 1 is the pass mark
    qtbot.waitUntil(lambda: page.run.details.judge.text().startswith("Scores of judge@1"))
    assert "judge@1 with its repeats on 12 of 12 for Accuracy" in page.run.details.judge.text()
    assert row.repeats.isChecked()
    row.repeats.click()
    settle()
    qtbot.waitUntil(lambda: "with its repeats" not in page.run.details.judge.text())
    assert not row.repeats.isChecked()


def test_the_history_says_when_and_who(
    path: Path, bring: Open, window: MainWindow, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(path)
    card = page.run.records
    assert not card.history.isVisible()
    pick(card, "accuracy", "judge@2")
    settle()
    press_undo(window, qtbot, settle)
    qtbot.waitUntil(lambda: card.history.rows.rowCount() == 5)
    QTest.mouseClick(card.fold, Qt.MouseButton.LeftButton)
    assert card.history.isVisible()
    rows = card.history.rows
    said = [[rows.cell(n, column).words for column in (1, 2, 3)] for n in range(3)]
    assert said == [
        ["ann", "Accuracy", "back to judge@1"],
        ["ann", "Accuracy", "judge@2"],
        ["first scores", "Safety", "judge@1"],
    ]
    assert card.fold.text() == "History ▾"


def test_a_labeler_reads_it_without_controls(path: Path, bring: Open) -> None:
    with closing(Session.open(path, "lena")) as session:
        profiles.add(session, "lena", role="lead")
    card = bring(path).run.records
    row = card.rows["accuracy"]
    assert told(row)[:2] == ("judge@1", "12 of 12")
    assert not row.choice.isVisible()
    assert not row.repeats.isVisible()
    assert not card.spread.isVisible()
    assert card.fold.isVisible()


def test_two_leads_at_once_are_told_of_each_other(
    path: Path, bring: Open, window: MainWindow, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(path)
    card = page.run.records
    assert card.found is not None
    entry = next(x.entry for x in card.found.metrics if x.metric.name == "accuracy")
    with closing(Session.open(path, "ann")) as session:
        profiles.add(session, "ben", role="lead")
    with closing(Session.open(path, "ben")) as other:
        wish = Wish(run=RUN, version="judge@2", metrics={"accuracy": entry})
        run_records.name(other, wish)
    # this window has not read that yet
    card.rows["accuracy"].wished.emit("judge@1", True)
    settle()
    qtbot.waitUntil(lambda: bool(window.notices.notices))
    assert "ben named another version meanwhile" in window.notices.notices[-1].text
    qtbot.waitUntil(lambda: told(card.rows["accuracy"])[0] == "judge@2")
    assert told(card.rows["accuracy"])[2].startswith("named by ben, ")


def test_what_another_window_names_shows_here(
    path: Path, bring: Open, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(path)
    card = page.run.records
    with closing(Session.open(path, "ann")) as other:
        entry = run_records.of_run(other, RUN).metrics[0].entry
        run_records.name(other, Wish(run=RUN, version="judge@2", metrics={"relevance": entry}))
    qtbot.waitUntil(lambda: told(card.rows["relevance"])[0] == "judge@2", timeout=10_000)
    settle()


def test_where_nothing_counts_the_reason_stands_with_what_there_is(
    tmp_path: Path, bring: Open, window: MainWindow, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    path = versions_project(tmp_path / "none.review", runs=(RUN,))
    with closing(Session.open(path, "ann")) as session, session.project.write() as conn:
        conn.execute("DELETE FROM records WHERE metric = (SELECT id FROM metrics "
                     "WHERE name = 'accuracy')")  # fmt: skip
    card = bring(path).run.records
    row = card.rows["accuracy"]
    assert told(row) == (
        "nothing counts yet",
        "—",
        "no whole set of scores yet · not counted: judge@1 on 12, judge@2 on 6",
    )
    pick(card, "accuracy", "judge@1")
    settle()
    qtbot.waitUntil(lambda: told(row)[0] == "judge@1")
    settle()
    press_undo(window, qtbot, settle)
    qtbot.waitUntil(lambda: told(row)[0] == "nothing counts yet")


def test_the_other_run_has_its_own_record(
    path: Path, bring: Open, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    page = bring(path)
    pick(page.run.records, "accuracy", "judge@2")
    settle()
    page.runs.choose(OLDER)
    settle()
    qtbot.waitUntil(
        lambda: page.run.records.found is not None and page.run.records.found.run == OLDER
    )
    assert told(page.run.records.rows["accuracy"])[0] == "judge@1"


def test_names_of_any_kind_are_words_and_nothing_else(tmp_path: Path, bring: Open) -> None:
    odd = "1 <b>& 2</b> \u202e"
    rows = [
        evaluation(n, scores=[score("accuracy", 5, odd), score("accuracy", 2, "2")])
        for n in range(1, SIZE + 1)
    ]
    path = build_project(tmp_path / "odd.review", evaluations=rows, runs=(RUN,))
    card = bring(path).run.records
    row = card.rows["accuracy"]
    title = row.choice.fill().actions()[0].text()
    assert title.startswith("judge@1 <b>&& 2</b> ⟦U+202E⟧")
    assert row.choice.text().startswith("judge@1 <b>")
    assert "\u202e" not in row.choice.text()
    assert row.since.textFormat() == Qt.TextFormat.PlainText
