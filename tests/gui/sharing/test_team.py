"""Who takes part: what a lead sees of everybody, and a labeler of nobody."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.labelers.dialog import OUT, LabelersDialog
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.project import pace
from reviewer.services.sharing.states import SyncState
from reviewer.store import reading
from tests.gui.sharing.conftest import Sit
from tests.services.sharing.sharing_projects import Team

WAIT_MS = 60_000


def dialog_of(window: MainWindow, commands: WindowCommands) -> LabelersDialog:
    window.run_command("window.labelers")
    found = commands.keeper.dialog
    assert isinstance(found, LabelersDialog)
    return found


def about(dialog: LabelersDialog, name: str) -> str:
    label = dialog._abouts.get(name)
    return label.text() if label is not None and not label.isHidden() else ""


def looks(dialog: LabelersDialog) -> list[tuple[str, ...]]:
    model = dialog.looks.table.model()
    return [
        tuple(model.index(row, column).data() for column in range(model.columnCount()))
        for row in range(model.rowCount())
    ]


def test_a_lead_sees_how_far_everybody_is_as_it_comes(
    window: MainWindow, commands: WindowCommands, team: Team, sit: Sit, qtbot: QtBot
) -> None:
    team.join("Ann")
    sit("Lead")
    dialog = dialog_of(window, commands)
    qtbot.waitUntil(lambda: "0 of 4 answered" in about(dialog, "Ann"), timeout=WAIT_MS)
    assert "last" not in about(dialog, "Ann")
    team.label("Ann", "c-0", 3)
    team.sync("Ann", "Lead")
    assert window.session is not None
    window.session.poll()
    qtbot.waitUntil(lambda: "1 of 4 answered · last " in about(dialog, "Ann"), timeout=WAIT_MS)
    assert "s each" not in about(dialog, "Ann")
    window.surroundings.hub._set(SyncState(doing="in step", here=("Ann", "Lead")))
    assert about(dialog, "Ann").startswith("here now · 1 of 4 answered")
    assert "here now" not in about(dialog, "Ben")
    assert "2 people here" in dialog.sharing.state.text()
    window.surroundings.hub._set(SyncState(doing="in step", here=("Lead",)))
    assert "here now" not in about(dialog, "Ann")


def test_answers_given_twice_and_looks_before_lead_to_their_response(
    window: MainWindow, commands: WindowCommands, team: Team, sit: Sit, qtbot: QtBot
) -> None:
    team.join("Ann")
    team.join("Ann", "laptop")
    team.label("Ann", "c-2", 2, "safety")
    team.label("laptop", "c-2", 4, "safety")
    with team.hub("Ann") as hub, hub.writing() as work:
        work.one("SELECT reveal('one', 'c-3')")
    team.sync("Ann", "laptop", "Lead")
    sit("Lead")
    dialog = dialog_of(window, commands)
    qtbot.waitUntil(lambda: len(looks(dialog)) == 2, timeout=WAIT_MS)
    assert looks(dialog)[0] == ("c-2", "Ann", "Safety: 2 and 4 on two computers", "4")
    assert looks(dialog)[1][:2] == ("c-3", "Ann")
    assert looks(dialog)[1][2].startswith("asked to see auto scores before answering, ")
    dialog.looks.table.setFocus()
    dialog.looks.table.selectRow(0)
    QTest.keyClick(dialog.looks.table, Qt.Key.Key_Return)
    assert window.session is not None
    key = reading.find(window.session.project.conn, "c-2")
    assert isinstance(window.page, ReviewPage)
    assert window.page.view is not None
    assert window.page.view.evaluation.key == key


def test_a_labeler_sees_nothing_of_others_but_who_is_here(
    window: MainWindow, commands: WindowCommands, team: Team, sit: Sit, qtbot: QtBot
) -> None:
    team.join("Ann")
    team.join("Ben")
    team.label("Ben", "c-2", 2)
    team.sync("Ben", "Ann")
    sit("Ann")
    dialog = dialog_of(window, commands)
    window.surroundings.hub._set(SyncState(doing="in step", here=("Ann", "Ben")))
    qtbot.wait(500)
    assert (about(dialog, "Ann"), about(dialog, "Ben")) == ("here now", "here now")
    assert about(dialog, "Lead") == ""
    assert dialog.looks.isHidden()
    assert dialog.audit.isHidden()
    assert "2 people here · all sent" in dialog.sharing.state.text()
    shown = " ".join(x.text() for x in dialog.findChildren(QLabel) if x.isVisibleTo(dialog))
    assert "answered" not in shown.replace("is answered", "").replace("what is answered", "")
    for button in (dialog.sharing.invite, dialog.sharing.restored, dialog.sharing.share):
        assert button.isHidden()


def test_the_pace_is_for_its_person_to_show(
    window: MainWindow, commands: WindowCommands, team: Team, sit: Sit
) -> None:
    team.join("Ann")
    sit("Ann")
    dialog = dialog_of(window, commands)
    assert window.session is not None
    box = dialog.sharing.pace
    assert not box.isHidden()
    assert not box.isChecked()
    box.click()
    assert box.isChecked()
    assert pace.is_shown(window.session.project)
    sit("Lead")
    assert dialog_of(window, commands).sharing.pace.isHidden()


def test_somebody_is_taken_out(
    window: MainWindow, commands: WindowCommands, sit: Sit, qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Yes)
    sit("Lead")
    dialog = dialog_of(window, commands)
    qtbot.waitUntil(lambda: "account ann_" in about(dialog, "Ann"), timeout=WAIT_MS)
    assert "Take Lead out" not in outs(dialog)
    qtbot.waitUntil(lambda: "Take Ann out" in outs(dialog))
    QTest.mouseClick(outs(dialog)["Take Ann out"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "taken out" in about(dialog, "Ann"), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: sorted(outs(dialog)) == ["Take Ben out"])


def outs(dialog: LabelersDialog) -> dict[str, QPushButton]:
    found = dialog.rows.findChildren(QPushButton)
    return {x.accessibleName(): x for x in found if x.isVisibleTo(dialog)}


def test_a_project_of_its_own_offers_to_be_shared(
    window: MainWindow, commands: WindowCommands, sit: Sit, qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Yes)
    sit("Lead")
    dialog = dialog_of(window, commands)
    assert dialog.sharing.share.isHidden()
    QTest.mouseClick(dialog.sharing.leave, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.sharing.share.isHidden())
    assert dialog.sharing.leave.isHidden()
    assert dialog.looks.isHidden()


def test_what_a_hub_answers_to_a_dialog_that_was_closed_is_of_no_matter(
    window: MainWindow, commands: WindowCommands, sit: Sit, qtbot: QtBot
) -> None:
    sit("Lead")
    dialog = dialog_of(window, commands)
    gone: list[bool] = []
    dialog.destroyed.connect(lambda *_: gone.append(True))
    dialog.close()
    qtbot.waitUntil(lambda: bool(gone), timeout=WAIT_MS)
    tasks = window.surroundings.tasks
    qtbot.waitUntil(lambda: OUT not in tasks.running(), timeout=WAIT_MS)
