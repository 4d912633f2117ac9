"""What a lead sent back is found and answered, and many rows of the queue are changed at once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QInputDialog
from pytestqt.qtbot import QtBot

from reviewer.gui.queues.assign_dialog import AssignDialog
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.review.queue_model import describe
from reviewer.gui.window import MainWindow
from reviewer.services.adjudicating import decisions
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.services.queues import making, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import build_project, record

METRICS = ("relevance", "accuracy", "safety")


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> ReviewPage:
    def labels(number: int) -> list[dict[str, object]]:
        return [
            {"metric": name, "labeler": person, "value": number % 5 + 1, "kind": "label",
             "at": "2026-11-02T10:00:00Z", "blind": True}
            for person in ("ann", "lea") for name in METRICS
        ]  # fmt: skip

    records = [record(n, labels=labels(n) if n < 5 else []) for n in range(1, 13)]
    path = build_project(tmp_path / "team.review", evaluations=records)
    with_lead = Session.open(path, "lea")
    with with_lead.project.write() as conn:
        conn.execute("UPDATE labelers SET role = 'lead' WHERE name = 'lea'")
    decisions.ask(with_lead, 3, "accuracy", "ann", "Is <b>this</b> about the pool?")
    with_lead.close()
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(path)
    settle()
    shown = window.page
    assert isinstance(shown, ReviewPage)
    return shown


def menu_titles(page: ReviewPage) -> list[str]:
    menu = page.queue.view.menus.filters.menu()
    menu.aboutToShow.emit()
    return [action.text() for action in menu.actions() if action.text()]


def test_what_was_sent_back_is_listed_shown_and_answered(
    page: ReviewPage, window: MainWindow
) -> None:
    assert "Sent back to you (1)" in menu_titles(page)
    assert not page.case.asked.isVisible()
    page.queue.view.set_filter("asked:me")
    assert list(page.queue.model.keys) == [3]
    assert page.queue.view.menus.filters.text() == "Queue: sent back to you ▾"
    assert page.view is not None
    assert page.view.evaluation.key == 3
    assert page.case.asked.isVisible()
    assert page.case.asked.text().startswith(
        "lea asks about Accuracy: “Is <b>this</b> about the pool?”"
    )
    assert page.case.asked.textFormat() == Qt.TextFormat.PlainText
    assert window.session is not None
    entering.comment(window.session, 3, "accuracy", "No, about the sauna.")
    assert not page.case.asked.isVisible()
    assert "Sent back to you (0)" in menu_titles(page)


def test_many_rows_are_selected_while_one_is_in_view(
    page: ReviewPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, window: MainWindow
) -> None:
    shown = page.queue.view.list
    page.open_evaluation(1)
    shown.setFocus()
    qtbot.waitUntil(shown.hasFocus)
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(shown, Qt.Key.Key_Down, shift)
    QTest.keyClick(shown, Qt.Key.Key_Down, shift)
    assert page.queue.view.selected() == [1, 2, 3]
    assert page.view is not None
    assert page.view.evaluation.key == 3
    monkeypatch.setattr(QInputDialog, "getItem", lambda *_: ("odd", True))
    page.bulk.act("tag")
    assert window.session is not None
    assert list(listing.build(window.session, filter_text="tag:odd").ids) == [1, 2, 3]
    assert page.view.evaluation.key == 3
    QTest.keyClick(shown, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(page.queue.view.selected()) == 12


def test_excluded_rows_say_so(
    page: ReviewPage, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    page.bulk.failed.connect(said.append)
    page.open_evaluation(2)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("load test", True))
    page.bulk.act("exclude")
    assert len(said) == 1
    assert said[0].startswith("Only a lead can exclude responses; lea leads")
    assert window.session is not None
    window.session.set_labeler("lea")
    page.bulk.act("exclude")
    (row,) = listing.rows(window.session, [2])
    assert row.excluded == "load test"
    assert "excluded: load test" in describe(row)
    page.queue.view.set_filter("state:excluded")
    assert list(page.queue.model.keys) == [2]
    page.bulk.act("include")
    assert listing.rows(window.session, [2])[0].excluded is None


def test_a_queue_is_made_of_the_selected(
    page: ReviewPage, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert window.session is not None
    # whoever merely came with the file is offered and not ticked
    entering.commit(window.session, 5, "accuracy", 3)
    window.surroundings.settings.set("labeler", "lea")
    shown = window.page
    assert isinstance(shown, ReviewPage)
    page = shown
    said: list[str] = []
    page.bulk.noted.connect(said.append)
    page.acts.noted.connect(said.append)
    page.queue.view.list.selectAll()
    assert window.session is not None
    offered: list[tuple[list[str], bool]] = []

    def fill(dialog: AssignDialog) -> QDialog.DialogCode:
        offered.append(([x for x, box in dialog.boxes.items() if box.isChecked()],
                        dialog.make.isEnabled()))  # fmt: skip
        dialog.name.setText("second look")
        dialog.everybody.click()
        assert dialog.answer == ("second look", ("ann", "lea"))
        dialog.boxes["ann"].click()
        assert not dialog.everybody.isChecked()
        assert dialog.make.isEnabled()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(AssignDialog, "exec", fill)
    page.bulk.act("assign")
    assert offered == [(["ann"], False)]
    told = [x for x in said if x]
    assert told == ["The queue second look holds 12 responses for lea. Ctrl+Z takes it back."]
    assert window.session is not None
    assert [one.queue.name for one in working.every(window.session)] == ["second look"]
    QTest.keyClick(page, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert said[-1] == "Undone: New queue second look"
    assert working.every(window.session) == ()


def test_a_queue_that_is_undone_leaves_the_list(
    page: ReviewPage, window: MainWindow, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    assert window.session is not None
    plan = QueuePlan(name="Mine", sampling=Sampling.RANDOM, n=4, labelers=("ann",))
    making.create(window.session, plan)
    page.open_list(queue="Mine")
    settle()
    assert len(page.queue.model.keys) == 4
    QTest.keyClick(page, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(page.queue.model.keys) == 12)
    assert window.session.queue is None
    QTest.keyClick(
        page, Qt.Key.Key_Z,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )  # fmt: skip
    page.open_list(queue="Mine")
    settle()
    assert len(page.queue.model.keys) == 4
