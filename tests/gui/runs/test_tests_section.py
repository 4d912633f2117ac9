"""The section "Test sets" in the real window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from reviewer.domain.judging import Bot
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.tests_section import TestsSection
from reviewer.gui.window import MainWindow
from reviewer.services.bots import bots
from reviewer.services.project.session import Session
from reviewer.services.testing import sets


@pytest.fixture
def section(window: MainWindow, demo: Path, settle: Callable[[], None]) -> TestsSection:
    assert window.open_project(demo)
    window.show_page("runs")
    settle()
    assert isinstance(window.page, RunsPage)
    found = window.page.sections.bring(TestsSection)
    settle()
    return found


def words(section: TestsSection, column: int) -> list[str]:
    rows = section.cases.table.rows
    return [rows.cell(n, column).words for n in range(rows.rowCount())]


def test_cases_stand_beside_their_results(section: TestsSection) -> None:
    assert section.sets.name == "house questions"
    rows = section.cases.table.rows
    assert rows.rowCount() == 32
    assert [x.title for x in rows.columns] == ["case", "kind", "…agent v7", "…agent v6"]
    place = rows.place_of("c-0003")
    assert place is not None
    assert (rows.cell(place, 2).words, rows.cell(place, 2).below) == ("5.00", "pass")
    failed = rows.cell(place, 3)
    assert (failed.words, failed.below, failed.role) == ("3.67", "▼ fail", "alert")
    assert "older" not in section.cases.note.text()
    missing = rows.place_of("parking-again")
    assert missing is not None
    assert rows.cell(missing, 2).words == "—"


def test_a_click_on_a_result_opens_it(section: TestsSection, qtbot: QtBot) -> None:
    table = section.cases.table
    index = table.rows.index(0, 2)
    with qtbot.waitSignal(section.responses_requested) as asked:
        table.clicked.emit(index)
    (key,), _ = asked.args
    assert section.session is not None
    assert section.session.place(key)[1].startswith("c-0001")


def test_the_filter_and_the_spread(section: TestsSection, settle: Callable[[], None]) -> None:
    section.cases.narrow("complexity=hard")
    assert set(section.cases.shown[0]) >= {"id", "complexity"}
    assert all(x["complexity"] == "hard" for x in section.cases.shown)
    assert section.cases.count.text() == "7 of 32"
    assert list(section.spread.complexity.rows) == ["hard"]
    section.cases.show_all()
    row = section.spread.category.rows["amenities"]
    QTest.mouseClick(row, Qt.MouseButton.LeftButton)
    settle()
    assert section.cases.filter.text() == "category=amenities"
    assert len(section.cases.shown) == 7
    section.cases.narrow('"tax advice" tag:tax')
    assert [x["id"] for x in section.cases.shown] == ["c-0017"]


def test_a_finding_leads_to_its_cases(section: TestsSection) -> None:
    rows = section.findings.table.rows
    said = [rows.cell(n, 0).words for n in range(rows.rowCount())]
    place = next(n for n, x in enumerate(said) if "asked more than once" in x)
    section.findings.table.row_opened.emit(place)
    assert [x["id"] for x in section.cases.shown] == ["c-0008", "parking-again"]
    assert not section.cases.only.isHidden()
    section.cases.show_all()
    assert len(section.cases.shown) == 32


def test_a_case_is_changed_and_the_old_version_stays(
    section: TestsSection, settle: Callable[[], None]
) -> None:
    section.edit_case("parking-again")
    dialog = section.dialog
    assert dialog.question.toPlainText() == "Where can I park?"
    dialog.expected.setPlainText("Public garage in Quay Street, 250 m.")
    dialog._add("250 m")
    dialog.keep()
    settle()
    assert section.session is not None
    tests = sets.get(section.session, "house questions")
    assert tests.version == 2
    case = next(x for x in tests.cases if x["id"] == "parking-again")
    assert case["expected_keywords"] == ["250 m"]
    assert case["context"]["property"] == "Harbour Loft"
    assert section.sets.version.count() == 2
    section.sets.version.setCurrentIndex(1)
    settle()
    assert "an older version" in section.sets.about.text()
    assert not section.sets.case.isEnabled()
    section.restore()
    settle()
    assert sets.get(section.session, "house questions").version == 3
    assert "expected" not in next(
        x for x in sets.get(section.session).cases if x["id"] == "parking-again"
    )


def test_a_conversation_keeps_its_turns(section: TestsSection, settle: Callable[[], None]) -> None:
    section.edit_case("c-0001")
    dialog = section.dialog
    assert "user: The hot tub is lukewarm." in dialog.turns.text()
    assert dialog.question.toPlainText().startswith("We did.")
    before = next(x for x in section.cases.shown if x["id"] == "c-0001")
    assert dialog.case() == before
    dialog.question.setPlainText("We did, and it is cold.")
    dialog.keep()
    settle()
    assert section.session is not None
    after = next(x for x in sets.get(section.session).cases if x["id"] == "c-0001")
    assert after["messages"][:-1] == before["messages"][:-1]
    assert after["messages"][-1] == {"role": "user", "content": "We did, and it is cold."}
    assert "input" not in after


def test_a_new_case_and_one_that_asks_nothing(
    section: TestsSection, settle: Callable[[], None]
) -> None:
    section.edit_case("")
    section.dialog.keep()
    assert "neither an id nor a question" in section.dialog.problem.text()
    section.dialog.question.setPlainText("Is there a lift?")
    section.dialog.keep()
    settle()
    assert section.session is not None
    assert sets.get(section.session).cases[-1] == {
        "id": "is-there-a-lift", "input": "Is there a lift?",
    }  # fmt: skip


def test_files_are_added_and_what_is_wrong_is_listed(
    section: TestsSection, settle: Callable[[], None], tmp_path: Path
) -> None:
    file = tmp_path / "more.csv"
    file.write_text("question,answer\nWhere?,Here.\nWhere?,There.\n")
    section.add_file(file)
    settle()
    settle()
    assert section.sets.name == "more"
    assert words(section, 0) == ["where"]
    assert not section.rejected.isHidden()
    rows = section.rejected.table.rows
    assert (rows.cell(0, 0).words, rows.cell(0, 1).words) == ("line 3", "id")
    hostile = tmp_path / "bomb.yaml"
    hostile.write_text("a: &a [x]\nb: *a\n")
    said: list[str] = []
    section.failed.connect(said.append)
    section.add_file(hostile)
    settle()
    assert "the alias *a is not read" in said[0]
    section.rename("renamed")
    settle()
    section.remove()
    settle()
    assert section.session is not None
    assert [x.name for x in sets.every(section.session)] == ["house questions"]


def test_the_cases_in_view_are_removed_and_older_versions_keep_them(
    section: TestsSection, settle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def entry(words: str) -> QAction:
        return next(x for x in section.sets.menu().actions() if words in x.text())

    session = section.session
    assert session is not None
    assert not entry("cases in view…").isEnabled()
    section.cases.narrow("complexity=hard")
    gone = [str(x["id"]) for x in section.cases.shown]
    assert entry("Remove").text() == "Remove 7 cases in view…"
    asked: list[str] = []

    def ask(answer: QMessageBox.StandardButton) -> Callable[..., QMessageBox.StandardButton]:
        def question(_: object, __: str, words: str) -> QMessageBox.StandardButton:
            asked.append(words)
            return answer

        return question

    monkeypatch.setattr(QMessageBox, "question", ask(QMessageBox.StandardButton.No))
    entry("Remove 7").trigger()
    assert asked == [
        "Remove 7 cases from the test set house questions? Older versions and runs keep them."
    ]
    before = sets.get(session)
    assert len(before.cases) == 32
    monkeypatch.setattr(QMessageBox, "question", ask(QMessageBox.StandardButton.Yes))
    noted: list[str] = []
    section.noted.connect(noted.append)
    entry("Remove 7").trigger()
    settle()
    after = sets.get(session)
    version = after.version
    assert noted == [f"house questions v{version}: 7 cases removed; older versions keep them."]
    assert version == before.version + 1
    assert not set(gone) & set(sets.ids(after.cases))
    assert section.cases.count.text() == "25"
    assert section.cases.filter.text() == ""
    assert section.sets.version.count() == len(sets.every(session)[0].versions)
    section.sets.version.setCurrentIndex(1)
    settle()
    assert section.cases.count.text() == "32"
    section.cases.narrow("complexity=hard")
    assert not entry("Remove 7").isEnabled()
    section.restore()
    settle()
    assert len(sets.get(session).cases) == 32


def test_a_bot_answers_what_is_in_view(
    window: MainWindow, section: TestsSection, settle: Callable[[], None], qtbot: QtBot
) -> None:
    assert isinstance(window.page, RunsPage)
    session = section.session
    assert isinstance(session, Session)
    rows: list[object] = [["Where can I park?", "In Quay Street."]]
    bots.keep(session, Bot(name="mine", kind="strict_match", settings={"rows": rows}))  # type: ignore[dict-item]
    section.cases.narrow("parking")
    count = len(section.cases.shown)
    assert 0 < count < 32
    section.ask_bot()
    settle()
    pane = window.page.launch
    wish = pane.form.wish()
    assert wish is not None
    assert (wish.kind, wish.bot, wish.tests, len(wish.test_cases)) == (
        "bot", "mine", "house questions", count,
    )  # fmt: skip
    qtbot.waitUntil(pane.start.isEnabled, timeout=60_000)
    assert f"{count:,} answers" in pane.estimate.text()
    with qtbot.waitSignal(window.surroundings.jobs.ended, timeout=60_000):
        pane.begin()
    session.poll()
    assert "mine 1" in session.run_names()
    qtbot.waitUntil(lambda: section.cases.table.rows.columns[2].title == "mine 1", timeout=60_000)
