"""A lead works through the disagreements: by keys, in the real window."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QInputDialog, QLabel
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.case_acts import AskDialog
from reviewer.gui.audit.case_card import RESPONSE, CaseCard
from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.todo_dialog import TodoDialog
from reviewer.gui.window import MainWindow
from reviewer.services.adjudicating import decisions
from reviewer.services.adjudicating.cases import Opinion, Span
from reviewer.services.adjudicating.decisions import TITLES
from reviewer.services.adjudicating.disputes import Order, Standing
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts
from tests.building import build_project, record

PEOPLE = ("ann", "bo", "zoe")


def labels(number: int) -> list[dict[str, object]]:
    return [
        {"metric": name, "labeler": person, "value": (number + 3 * place) % 5 + 1,
         "kind": "label", "at": "2026-11-02T10:00:00Z", "blind": True,
         "comment": f"{person} on {number}"}
        for place, person in enumerate(PEOPLE[: 1 + number % 3])
        for name in ("relevance", "accuracy", "safety")
    ]  # fmt: skip


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> Iterator[AuditPage]:
    records = [record(n, labels=labels(n)) for n in range(1, 25)]
    records[4]["response"] = "<b>Yes</b>, the pool is heated to 28 degrees all year."
    path = build_project(tmp_path / "team.review", evaluations=records)
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    made = window.page
    assert isinstance(made, AuditPage)
    made.scope.choose_metric("accuracy")
    settle()
    made.side.focus_list()
    yield made
    settle()


@pytest.fixture
def side(page: AuditPage) -> CasesSide:
    return page.side


@pytest.fixture
def session(window: MainWindow, page: AuditPage) -> Session:
    assert page.audit is not None
    assert window.session is not None
    return window.session


def press(side: CasesSide, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(side.cases.table, key)


def keys(side: CasesSide) -> list[int]:
    return [key for key in side.cases.rows.keys if isinstance(key, int)]


def chosen(side: CasesSide) -> int:
    key = side.cases.table.chosen()
    assert isinstance(key, int)
    return key


def state(side: CasesSide, key: int) -> str:
    place = side.cases.rows.place_of(key)
    assert place is not None
    return side.cases.rows.cell(place, 5).words


def words(side: CasesSide) -> str:
    return " ".join(label.text() for label in shown(side))


def shown(side: CasesSide) -> list[QLabel]:
    """The labels of the case, without those that were just taken out."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return side.case.findChildren(QLabel)


def test_a_digit_decides_and_the_next_comes_up(
    side: CasesSide, session: Session, page: AuditPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    first, second = keys(side)[:2]
    side.cases.table.choose(first)
    press(side, Qt.Key.Key_4)
    assert chosen(side) == second
    assert side.case.case is not None
    assert side.case.case.key == second
    assert (state(side, first), side.cases.rows.cell(0, 2).words) == ("adjudicated", "4")
    decided = [x for x in reading.view(session, first).others if x.kind == "adjudication"]
    assert [(x.labeler, x.metric, x.value) for x in decided] == [("ann", "accuracy", 4)]
    qtbot.waitUntil(lambda: page.audit is not None and not page.surroundings.tasks.running())
    settle()
    assert chosen(side) == second
    side.cases.table.choose(first)
    assert "ann decided: 4" in words(side)
    assert side.case.decide.levels[3].isChecked()
    assert side.case.decide.take_back.isVisible()
    side.focus_list()
    press(side, Qt.Key.Key_Backspace)
    assert not [x for x in reading.view(session, first).others if x.kind == "adjudication"]


def test_the_list_keeps_its_order_while_one_works(
    side: CasesSide, page: AuditPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    before = keys(side)
    side.cases.table.choose(before[0])
    for _ in range(3):
        press(side, Qt.Key.Key_4)
        qtbot.waitUntil(lambda: not page.surroundings.tasks.running())
        settle()
        page.compute()
        settle()
    assert keys(side) == before
    assert chosen(side) == before[3]
    assert side.cases.what.text().endswith("3 decided")
    # what is decided is left behind
    side.cases.table.choose(before[4])
    press(side, Qt.Key.Key_4)
    side.cases.table.choose(before[3])
    press(side, Qt.Key.Key_4)
    assert chosen(side) == before[5]
    # another order is asked for: nothing is kept
    side.cases.sort_by(Order.STATE)
    assert keys(side) != before
    assert sorted(keys(side)) == sorted(before)


def test_what_is_decided_changes_at_the_same_value_once_more(
    side: CasesSide, session: Session, page: AuditPage
) -> None:
    first = keys(side)[0]
    told: list[str] = []
    page.noted.connect(told.append)

    def decided() -> list[object]:
        found = reading.view(session, first).others
        return [x.value for x in found if x.kind == "adjudication"]

    side.cases.table.choose(first)
    press(side, Qt.Key.Key_4)
    assert decided() == [4]
    side.cases.table.choose(first)
    press(side, Qt.Key.Key_2)
    assert decided() == [4]
    assert told[-1] == "Accuracy is decided: 4, by ann. Once more changes it to 2."
    press(side, Qt.Key.Key_3)
    assert decided() == [4]
    press(side, Qt.Key.Key_3)
    assert decided()[-1] == 3


def test_every_decision_key_says_which_response_it_was_for(
    side: CasesSide, session: Session, page: AuditPage
) -> None:
    first, second = keys(side)[:2]
    names = [session.place(key)[1] for key in (first, second)]
    told: list[str] = []
    page.noted.connect(told.append)
    side.cases.table.choose(first)
    press(side, Qt.Key.Key_2)
    assert told[-1] == f"{names[0]} · Accuracy is decided: 2."
    # the list has moved on, and so has what the next key is for
    assert chosen(side) == second
    press(side, Qt.Key.Key_W)
    assert told[-1] == f"{names[1]} · Accuracy: {TITLES['judge_wrong']}."
    side.case.decide.note.setText("no source")
    side.acts.act("note")
    assert told[-1] == f"The note is kept with {names[1]} · Accuracy."
    press(side, Qt.Key.Key_W)
    assert told[-1] == f"{names[1]} · Accuracy: not “{TITLES['judge_wrong']}” any more."


def test_undo_goes_back_to_what_was_decided(side: CasesSide, session: Session) -> None:
    first = keys(side)[0]
    side.cases.table.choose(first)
    press(side, Qt.Key.Key_4)
    assert chosen(side) != first
    QTest.keyClick(side.cases.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert chosen(side) == first
    assert state(side, first) in ("open", "disputed")
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(side.cases.table, Qt.Key.Key_Z, control | shift)
    assert state(side, first) == "adjudicated"
    assert reading.view(session, first).own["accuracy"].value is not None


def take_back(side: CasesSide) -> None:
    QTest.keyClick(side.cases.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def test_undo_goes_to_the_metric_that_was_decided(
    page: AuditPage, side: CasesSide, settle: Callable[[], None]
) -> None:
    first, second = keys(side)[:2]
    side.cases.table.choose(first)
    press(side, Qt.Key.Key_4)
    page.scope.choose_metric("relevance")
    settle()
    side.cases.table.choose(second)
    side.focus_list()
    take_back(side)
    assert page.scope.chosen_metric == "accuracy"
    assert chosen(side) == first
    assert side.case.case is not None
    assert (side.case.case.key, side.case.case.metric.name) == (first, "accuracy")
    settle()
    assert chosen(side) == first


def test_what_narrows_the_list_gives_way_to_what_is_taken_back(
    side: CasesSide, settle: Callable[[], None]
) -> None:
    first = keys(side)[0]
    side.cases.table.choose(first)
    press(side, Qt.Key.Key_4)
    side.cases.choose_standing(Standing.DECIDED)
    assert keys(side) == [first]
    take_back(side)
    assert chosen(side) == first
    settle()
    side.cases.choose_standing(Standing.DECIDED)
    assert first not in keys(side)
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(side.cases.table, Qt.Key.Key_Z, control | shift)
    assert chosen(side) == first
    assert state(side, first) == "adjudicated"


def test_undo_of_an_exclusion_goes_to_the_response_once_it_is_back(
    side: CasesSide, session: Session, settle: Callable[[], None], qtbot: QtBot
) -> None:
    every = keys(side)
    gone, other = every[3], every[6]
    bulk_acts.exclude(session, [gone], "broken")
    qtbot.waitUntil(lambda: gone not in keys(side))
    settle()
    side.cases.table.choose(other)
    side.focus_list()
    take_back(side)
    qtbot.waitUntil(lambda: gone in keys(side))
    assert chosen(side) == gone
    settle()
    assert chosen(side) == gone


def test_whoever_goes_elsewhere_meanwhile_stays_there(
    side: CasesSide, session: Session, settle: Callable[[], None], qtbot: QtBot
) -> None:
    every = keys(side)
    bulk_acts.exclude(session, [every[3]], "broken")
    qtbot.waitUntil(lambda: every[3] not in keys(side))
    settle()
    side.focus_list()
    take_back(side)
    side.cases.table.choose(every[8])
    qtbot.waitUntil(lambda: every[3] in keys(side))
    assert chosen(side) == every[8]


def test_what_is_not_among_the_listed_responses_is_listed_alone(
    page: AuditPage, side: CasesSide, session: Session, settle: Callable[[], None], qtbot: QtBot
) -> None:
    every = keys(side)
    bulk_acts.tag(session, [every[4]], "odd")
    settle()
    page.sections.responses_requested.emit(every[:2], "some")
    assert keys(side) == every[:2]
    side.focus_list()
    take_back(side)
    qtbot.waitUntil(lambda: keys(side) == [every[4]])
    assert chosen(side) == every[4]
    assert "taken back" in side.cases.what.text()
    side.cases.show_all.click()
    assert len(keys(side)) == len(every)


def test_keys_of_the_case_sleep_elsewhere_and_while_typing(
    page: AuditPage, side: CasesSide, session: Session, qtbot: QtBot
) -> None:
    key = chosen(side)
    page.agreement.table.setFocus()
    qtbot.waitUntil(page.agreement.table.hasFocus)
    QTest.keyClick(page.agreement.table, Qt.Key.Key_4)
    side.case.decide.edit_note()
    qtbot.waitUntil(side.case.decide.note.hasFocus)
    QTest.keyClicks(side.case.decide.note, "4 w")
    assert side.case.decide.words == "4 w"
    view = reading.view(session, key)
    assert not [x for x in view.others if x.kind == "adjudication"]
    assert not [x for x in view.marks if x.kind == "cause"]
    QTest.keyClick(side.case.decide.note, Qt.Key.Key_Escape)
    assert side.cases.table.hasFocus()


def test_a_note_that_was_not_kept_stands_there_again(side: CasesSide) -> None:
    first, second = keys(side)[:2]
    side.cases.table.choose(first)
    side.case.decide.edit_note()
    QTest.keyClicks(side.case.decide.note, "is warm heated?")
    side.cases.table.choose(second)
    assert side.case.decide.words != "is warm heated?"
    side.cases.table.choose(first)
    assert side.case.decide.words == "is warm heated?"
    assert side.case.decide.note.isVisible()


def test_causes_are_recorded_counted_and_filter_the_list(
    side: CasesSide, session: Session
) -> None:
    first, second, third = keys(side)[:3]
    side.cases.table.choose(first)
    assert not side.cases.causes.isVisible()
    press(side, Qt.Key.Key_W, Qt.Key.Key_J, Qt.Key.Key_U, Qt.Key.Key_J, Qt.Key.Key_W)
    segments = side.cases.causes.segments
    listed = {name: x.text() for name, x in segments.items() if x.isVisible()}
    assert listed == {"judge_wrong": "judge wrong 2", "rubric_unclear": "rubric unclear 1"}
    assert segments["judge_wrong"].accessibleName() == "Cause judge wrong, 2"
    assert state(side, first) == "judge wrong"
    QTest.mouseClick(segments["judge_wrong"], Qt.MouseButton.LeftButton)
    assert set(keys(side)) == {first, third}
    QTest.mouseClick(segments["judge_wrong"], Qt.MouseButton.LeftButton)
    assert len(keys(side)) > 2
    side.cases.table.choose(second)
    side.case.decide.edit_note()
    QTest.keyClicks(side.case.decide.note, "is warm heated?")
    QTest.keyClick(side.case.decide.note, Qt.Key.Key_Return)
    marks = [x for x in reading.view(session, second).marks if x.kind == "cause"]
    assert [(x.value, x.note) for x in marks] == [("rubric_unclear", "is warm heated?")]
    side.focus_list()
    press(side, Qt.Key.Key_U)
    assert not [x for x in reading.view(session, second).marks if x.kind == "cause"]


def test_the_note_of_a_cause_is_no_comment_of_the_decision(
    side: CasesSide, session: Session
) -> None:
    first, second = keys(side)[:2]

    def noted(words: str) -> None:
        side.case.decide.edit_note()
        side.case.decide.note.setText(words)
        QTest.keyClick(side.case.decide.note, Qt.Key.Key_Return)
        side.focus_list()

    def comments(key: int) -> list[str | None]:
        return [x.comment for x in reading.view(session, key).others if x.kind == "adjudication"]

    side.cases.table.choose(first)
    press(side, Qt.Key.Key_U)
    noted("which pool?")
    press(side, Qt.Key.Key_3)
    assert comments(first) == [None]
    side.cases.table.choose(second)
    side.case.decide.note.setText("read it again")
    press(side, Qt.Key.Key_3)
    assert comments(second) == ["read it again"]


def test_a_state_narrows_the_list(side: CasesSide) -> None:
    every = keys(side)
    side.cases.table.choose(every[0])
    press(side, Qt.Key.Key_3)
    side.cases.choose_standing(Standing.DECIDED)
    assert keys(side) == [every[0]]
    assert side.cases.states.text() == "State: adjudicated ▾"
    side.cases.choose_standing(Standing.ASKED)
    assert keys(side) == []
    assert "choose another state" in words(side)
    side.cases.choose_standing(None)
    assert len(keys(side)) == len(every)


def test_heads_sort_and_turn_round(side: CasesSide) -> None:
    header = side.cases.table.horizontalHeader()
    spread = header.sectionViewportPosition(4) + 5
    side.cases.table.showColumn(4)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(max(spread, 5), 5))
    if side.cases.order is not Order.SPREAD:
        side.cases.sort_by(Order.SPREAD)
    values = [side.cases.rows.cell(n, 4).words or "0" for n in range(side.cases.rows.rowCount())]
    assert values == sorted(values, reverse=True)
    side.cases.sort_by(Order.SPREAD)
    values = [side.cases.rows.cell(n, 4).words or "0" for n in range(side.cases.rows.rowCount())]
    assert values == sorted(values)
    assert "the lowest first" in side.cases.table.accessibleName()
    side.cases.sort_by(Order.CONFIDENCE)
    assert side.cases.order is Order.GAP


def test_names_can_be_hidden_in_an_order_of_their_own(side: CasesSide) -> None:
    key = next(key for key in keys(side) if key % 3 == 2)
    side.cases.table.choose(key)
    assert all(f"{person}:" in words(side) for person in PEOPLE)
    press(side, Qt.Key.Key_A)
    hidden = words(side)
    assert not any(f"{person}:" in hidden for person in PEOPLE)
    assert all(f"labeler {letter}:" in hidden for letter in "ABC")
    orders = set()
    for other in [key for key in keys(side) if key % 3 == 2]:
        side.cases.table.choose(other)
        orders.add(tuple(sorted(PEOPLE, key=words(side).index)))
        assert words(side) == words(side)
    assert len(orders) > 1
    press(side, Qt.Key.Key_A)
    assert all(f"{person}:" in words(side) for person in PEOPLE)


def test_a_case_is_sent_back_and_the_answer_seen(
    side: CasesSide, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = next(key for key in keys(side) if key % 3 == 2)
    side.cases.table.choose(key)
    offered: list[list[str]] = []

    def fill(dialog: AskDialog) -> QDialog.DialogCode:
        offered.append([dialog.person.itemText(n) for n in range(dialog.person.count())])
        dialog.person.setCurrentIndex(dialog.person.findData("zoe"))
        dialog.question.setPlainText("Is this about the pool?")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(AskDialog, "exec", fill)
    press(side, Qt.Key.Key_Q)
    assert offered == [["bo", "zoe"]]
    assert state(side, key) == "asked"
    assert "Is this about the pool?" in words(side)
    session.set_labeler("zoe")
    assert [x.text for x in decisions.to_me(session, key)] == ["Is this about the pool?"]
    entering.comment(session, key, "accuracy", "No, the sauna.")
    session.set_labeler("ann")
    assert decisions.of_evaluation(session, key)[0].answered


def test_a_question_is_taken_back_while_it_is_open(side: CasesSide, session: Session) -> None:
    key = next(key for key in keys(side) if key % 3 == 2)
    side.cases.table.choose(key)
    row = side.case.decide
    failed: list[str] = []
    side.acts.failed.connect(failed.append)
    assert row.take_question_back.isHidden()
    QTest.keyClick(side.cases.table, Qt.Key.Key_Q, Qt.KeyboardModifier.ShiftModifier)
    assert "You have not asked anybody" in failed[0]
    decisions.ask(session, key, "accuracy", "zoe", "Is this about the pool?")
    side.cases.table.choose(next(other for other in keys(side) if other != key))
    side.cases.table.choose(key)
    assert state(side, key) == "asked"
    QTest.mouseClick(row.take_question_back, Qt.MouseButton.LeftButton)
    assert decisions.of_evaluation(session, key) == ()
    assert state(side, key) != "asked"
    assert "Is this about the pool?" not in words(side)
    assert row.take_question_back.isHidden()
    QTest.keyClick(side.cases.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "Is this about the pool?" in words(side)
    QTest.keyClick(side.cases.table, Qt.Key.Key_Q, Qt.KeyboardModifier.ShiftModifier)
    assert decisions.of_evaluation(session, key) == ()
    decisions.ask(session, key, "accuracy", "zoe", "Sure?")
    session.set_labeler("zoe")
    entering.comment(session, key, "accuracy", "No, the sauna.")
    session.set_labeler("ann")
    side.cases.table.choose(next(other for other in keys(side) if other != key))
    side.cases.table.choose(key)
    assert row.take_question_back.isHidden()


def test_highlights_are_shown_and_markup_is_not_obeyed(side: CasesSide, session: Session) -> None:
    entering.highlight(session, 5, entering.Stretch(None, 0, 10), note="markup")
    page_key = 5 if 5 in keys(side) else keys(side)[0]
    side.cases.table.choose(keys(side)[-1])
    side.cases.table.choose(page_key)
    if page_key != 5:
        pytest.skip("people and judge agree on the response with markup")
    response = next(x for x in shown(side) if x.accessibleName() == RESPONSE)
    assert "&lt;b&gt;Yes&lt;/b" in response.text()
    assert "<b>" not in response.text()
    assert "background-color" in response.text()
    assert "markup" in response.toolTip()


def test_only_a_lead_may_press(side: CasesSide, session: Session) -> None:
    said: list[str] = []
    side.failed.connect(said.append)
    with session.project.write() as conn:
        conn.execute("UPDATE labelers SET role = 'lead' WHERE name = 'bo'")
        conn.execute("UPDATE labelers SET role = 'labeler' WHERE name = 'ann'")
    key = keys(side)[0]
    side.cases.table.choose(keys(side)[1])
    side.cases.table.choose(key)
    assert not side.case.decide.isEnabled()
    press(side, Qt.Key.Key_4)
    assert said == ["Only a lead decides in this project."]
    assert chosen(side) == key


def test_many_are_tagged_and_excluded_as_one(
    side: CasesSide, session: Session, monkeypatch: pytest.MonkeyPatch,
    page: AuditPage, qtbot: QtBot,
) -> None:  # fmt: skip
    side.cases.table.selectAll()
    every = keys(side)
    assert side.cases.selected() == every
    assert side.cases.selection.text() == f"Selected: {len(every)} ▾"
    monkeypatch.setattr(QInputDialog, "getItem", lambda *_: ("odd ones", True))
    press(side, Qt.Key.Key_T)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("load test", True))
    side.cases.table.clearSelection()
    side.cases.table.choose(every[0])
    assert side.cases.selected() == [every[0]]
    press(side, Qt.Key.Key_E)
    qtbot.waitUntil(lambda: every[0] not in keys(side), timeout=10_000)
    assert list(listing.build(session, filter_text="state:excluded").ids) == [every[0]]
    assert sorted(listing.build(session, filter_text='tag:"odd ones"').ids) == sorted(every)
    QTest.keyClick(side.cases.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: every[0] in keys(side), timeout=10_000)
    menu = side.bulk.menu(page)
    titles = [x.text() for x in menu.actions() if x.text()]
    assert titles[1:] == [
        "Tag…", "Take a tag off…", "Exclude…", "Count again", "Make a queue of them…",
    ]  # fmt: skip


def test_the_to_do_list_is_ticked_copied_and_opened(side: CasesSide, session: Session) -> None:
    key = chosen(side)
    press(side, Qt.Key.Key_U)
    side.show_todo()
    dialog = side.findChild(TodoDialog)
    assert isinstance(dialog, TodoDialog)
    assert dialog.count.text() == "1 open, 0 dealt with"
    box = dialog.boxes[key, "accuracy"]
    box.setChecked(True)
    assert dialog.count.text() == "0 open, 1 dealt with"
    dialog.copy.click()
    assert QGuiApplication.clipboard().text().startswith("# Rubric to-do")
    asked: list[int] = []
    dialog.open_requested.disconnect()
    dialog.open_requested.connect(asked.append)
    opener = next(
        x for x in dialog.findChildren(type(dialog.copy)) if x.accessibleName().startswith("Open")
    )
    opener.click()
    assert asked == [key]
    assert session.project.conn is not None


def test_every_button_has_a_name_and_a_key(side: CasesSide) -> None:
    row = side.case.decide
    for cause, button in row.causes.items():
        assert button.accessibleName() == f"Cause: {TITLES[cause]}"
        assert "[" in button.toolTip()
    assert [x.accessibleName() for x in row.levels] == [
        "Decide Accuracy 1 Failed", "Decide Accuracy 2 Poor", "Decide Accuracy 3 Fair",
        "Decide Accuracy 4 Good", "Decide Accuracy 5 Excellent",
    ]  # fmt: skip
    assert row.ask.accessibleName() == "Send back with a question"


def test_responses_of_a_section_keep_their_order(page: AuditPage, side: CasesSide) -> None:
    every = keys(side)
    wanted = [every[3], every[0], every[5], every[1]]
    page.sections.responses_requested.emit(wanted, "what to label next")
    assert keys(side) == wanted
    assert side.cases.what.text() == "what to label next — 4"
    assert side.cases.sorting.text().startswith("Sort: as listed")
    side.cases.sort_by(Order.GAP)
    assert keys(side) == [key for key in every if key in wanted]
    QTest.mouseClick(side.cases.show_all, Qt.MouseButton.LeftButton)
    assert keys(side) == every


def test_many_thousands_are_changed_beside_the_window(
    side: CasesSide, session: Session, monkeypatch: pytest.MonkeyPatch,
    settle: Callable[[], None], qtbot: QtBot,
) -> None:  # fmt: skip
    monkeypatch.setattr(bulk_acts, "ONE_STEP", 3)
    side.cases.table.selectAll()
    every = keys(side)
    said: list[str] = []
    side.noted.connect(said.append)
    monkeypatch.setattr(QInputDialog, "getItem", lambda *_: ("odd ones", True))
    press(side, Qt.Key.Key_T)
    settle()
    qtbot.waitUntil(lambda: bool(said))
    assert said == [f"Tag odd ones on {len(every)} responses. Ctrl+Z takes it back."]
    assert sorted(listing.build(session, filter_text='tag:"odd ones"').ids) == sorted(every)


def test_two_labelers_stand_side_by_side_with_what_they_marked(
    page: AuditPage, qtbot: QtBot
) -> None:
    card = CaseCard(page.theme)
    qtbot.addWidget(card)
    card.resize(600, 700)
    card.show()
    text = "The pool opens at nine and the sauna at ten."
    people = (
        Opinion("ann", 2, "Too late.", blind=True),
        Opinion("bo", 4, "Fine.", blind=True),
        Opinion("cy", 4, None, blind=False),
    )
    spans = (Span(4, 8, "ann", "which pool?"), Span(9, 14, "ann", ""), Span(0, 3, "bo", ""))
    case = page.side.case.case
    assert case is not None
    card.show_case(replace(case, people=people, response=text, spans=spans, decisions=()))

    def shown() -> dict[str, QPoint]:
        labels = [x for x in card.scrolled.findChildren(QLabel) if x.isVisibleTo(card)]
        return {x.text(): x.mapTo(card.scrolled, QPoint(0, 0)) for x in labels}

    def place(words: str) -> QPoint:
        return next((at for text, at in shown().items() if text.startswith(words)), QPoint(-1, -1))

    qtbot.waitUntil(lambda: place("bo").x() > place("ann").x())
    assert place("ann").y() == place("bo").y()
    qtbot.waitUntil(lambda: place("cy").y() > place("ann").y())
    assert place("marked “pool” which pool?").y() < place("marked “opens”").y()
    assert place("marked “The”").x() == place("bo").x()
    card.toggle_names()
    qtbot.waitUntil(lambda: any(words.startswith("labeler ") for words in shown()))
    assert not any("ann" in words for words in shown())
    card.toggle_names()
    # where there is little room one stands beneath the other
    card.resize(300, 700)
    qtbot.waitUntil(lambda: place("bo").y() > place("ann").y())
    assert place("ann").x() == place("bo").x()


def test_a_question_is_listed_over_two_lines(page: AuditPage) -> None:
    table = page.side.cases.table
    assert table.rows.columns[0].wraps
    assert table.rowHeight(0) >= 2 * table.fontMetrics().height()
