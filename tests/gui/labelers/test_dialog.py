"""Profiles: added, renamed, coloured and made lead; what cannot be is said."""

from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.labelers.dialog import LabelersDialog
from reviewer.gui.queues.overview import QueuesDialog
from reviewer.gui.upkeep import Upkeep
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling


@pytest.fixture
def dialog(
    window: MainWindow, commands: WindowCommands, settings: Settings, project: Path
) -> LabelersDialog:
    settings.set("labeler", "ann")
    window.open_project(project)
    assert window.session is not None
    entering.commit(window.session, 1, "accuracy", 4)
    commands.actions["window.labelers"].trigger()
    found = commands.keeper.dialog
    assert isinstance(found, LabelersDialog)
    return found


def names(dialog: LabelersDialog) -> list[str]:
    QApplication.processEvents()
    fields = dialog.rows.findChildren(QLineEdit)
    return [
        x.text()
        for x in fields
        if x.accessibleName().startswith("Name of") and x.isVisibleTo(dialog)
    ]


def combo(dialog: LabelersDialog, name: str) -> QComboBox:
    QApplication.processEvents()
    return next(
        x for x in dialog.rows.findChildren(QComboBox)
        if x.accessibleName() == name and x.isVisibleTo(dialog)
    )  # fmt: skip


def test_people_are_added_and_refused(window: MainWindow, dialog: LabelersDialog) -> None:
    dialog.new_name.setText("bo")
    dialog.new_name.returnPressed.emit()
    assert names(dialog) == ["ann", "bo"]
    assert dialog.new_name.text() == ""
    dialog.new_name.setText("BO")
    dialog.add_button.click()
    assert "already" in dialog.problem.text()
    assert dialog.problem.isVisibleTo(dialog)
    assert dialog.new_name.text() == "BO"
    session = window.session
    assert session is not None
    assert [x.name for x in session.labelers()] == ["ann", "bo"]


def test_a_new_name_keeps_the_labels_and_the_setting(
    window: MainWindow, dialog: LabelersDialog, settings: Settings
) -> None:
    field = next(x for x in dialog.rows.findChildren(QLineEdit) if x.text() == "ann")
    field.setText("Anna")
    field.editingFinished.emit()
    assert settings.labeler == "Anna"
    session = window.session
    assert session is not None
    assert session.labeler.name == "Anna"
    assert reading.view(session, 1).own["accuracy"].value == 4


def test_colour_and_role_hold_at_once(window: MainWindow, dialog: LabelersDialog) -> None:
    colours = combo(dialog, "Colour of ann")
    colours.setCurrentIndex(colours.findData("green"))
    colours.activated.emit(colours.currentIndex())
    session = window.session
    assert session is not None
    assert session.labelers()[0].colour == "green"
    roles = combo(dialog, "Role of ann")
    roles.setCurrentIndex(roles.findData("labeler"))
    roles.activated.emit(roles.currentIndex())
    assert "only lead" in dialog.problem.text()
    # the line shows what holds
    assert combo(dialog, "Role of ann").currentData() == "lead"


def test_what_another_window_changes_is_shown(
    qtbot: QtBot, window: MainWindow, commands: WindowCommands, dialog: LabelersDialog
) -> None:
    session = window.session
    assert session is not None
    upkeep = window.findChild(Upkeep)
    assert isinstance(upkeep, Upkeep)
    with closing(Session.open(session.project.path, "ann")) as other:
        profiles.add(other, "bo")
        profiles.change(other, "ann", colour="green")
        upkeep.poll()
        qtbot.waitUntil(lambda: names(dialog) == ["ann", "bo"], timeout=60_000)
        assert combo(dialog, "Colour of ann").currentData() == "green"
        dialog.close()
        commands.actions["window.queues"].trigger()
        overview = commands.keeper.dialog
        assert isinstance(overview, QueuesDialog)
        assert overview.queues.rows.rowCount() == 0
        making.create(other, QueuePlan(name="From afar", sampling=Sampling.ALL))
        upkeep.poll()
        qtbot.waitUntil(lambda: overview.queues.rows.rowCount() == 1, timeout=60_000)
        overview.close()
        profiles.change(other, "ann", new_name="anna")
        upkeep.poll()
    assert any("anna" in x.accessibleName() for x in window.top.findChildren(QPushButton))
