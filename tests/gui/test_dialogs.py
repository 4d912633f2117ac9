"""The settings take effect at once, and the sheet shows every key."""

import json
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.gui.actions import WINDOW
from reviewer.gui.commands import WindowCommands
from reviewer.gui.keys_sheet import KeysSheet
from reviewer.gui.settings_dialog import SettingsDialog
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import TABLE
from reviewer.services.project.session import PACKAGE
from reviewer.services.upkeep.projects import make_demo
from reviewer.store.project import Project


def test_every_setting_has_a_control_with_its_name(commands: WindowCommands) -> None:
    dialog = commands.open_settings()
    for entry in TABLE:
        control = dialog.findChild(QWidget, entry.name)
        assert isinstance(control, QWidget)
        assert control.accessibleName() == entry.title
        assert control.accessibleDescription() == entry.help
    dialog.close()


def test_changes_hold_at_once(window: MainWindow, commands: WindowCommands) -> None:
    dialog = commands.open_settings()
    combo = dialog.findChild(QComboBox, "theme")
    assert isinstance(combo, QComboBox)
    combo.setCurrentIndex(combo.findData("dark"))
    assert window.surroundings.theme.colours.dark
    size = dialog.findChild(QSpinBox, "font_scale")
    assert isinstance(size, QSpinBox)
    size.setValue(150)
    assert window.surroundings.theme.factor == 1.5
    name = dialog.findChild(QLineEdit, "labeler")
    assert isinstance(name, QLineEdit)
    name.setText("ann")
    name.editingFinished.emit()
    assert window.surroundings.settings.labeler == "ann"
    name.setText("  ")
    name.editingFinished.emit()
    assert name.text() == "ann"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_settings_stay_readable_when_the_text_grows(
    commands: WindowCommands, qtbot: QtBot
) -> None:
    dialog = commands.open_settings()
    size = dialog.findChild(QSpinBox, "font_scale")
    assert isinstance(size, QSpinBox)
    for percent in (100, 200, 120):
        size.setValue(percent)
        for entry in TABLE:
            control = dialog.findChild(QWidget, entry.name)
            assert isinstance(control, QWidget)
            qtbot.waitUntil(lambda x=control: x.height() >= x.sizeHint().height())  # type: ignore[misc]
    dialog.close()


def test_settings_say_under_which_name_a_project_for_one_keeps_answers(
    window: MainWindow, commands: WindowCommands, project: Path
) -> None:
    note = {"project": "", "queue": "", "labeler": "Ann", "blind": True, "made_at": "", "id": ""}
    with closing(Project.open(project)) as file:
        file.set_setting(PACKAGE, json.dumps(note))
    window.open_project(project)
    dialog = commands.open_settings()
    name = dialog.findChild(QLineEdit, "labeler")
    assert isinstance(name, QLineEdit)
    assert "The open project is for Ann alone" in name.accessibleDescription()
    assert name.accessibleDescription() in {x.text() for x in dialog.findChildren(QLabel)}
    dialog.close()


def test_settings_are_one_window_that_shows_what_was_changed_elsewhere(
    window: MainWindow, commands: WindowCommands
) -> None:
    dialog = commands.open_settings()
    QTest.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert commands.open_settings() is dialog
    assert len([x for x in window.findChildren(SettingsDialog) if x.isVisible()]) == 1
    commands.actions["window.larger"].trigger()
    commands.actions["window.theme"].trigger()
    window.top.labeler_requested.emit("bo")
    window.surroundings.settings.set("goal", 30)
    settings = window.surroundings.settings
    size, theme = dialog.findChild(QSpinBox, "font_scale"), dialog.findChild(QComboBox, "theme")
    name, goal = dialog.findChild(QLineEdit, "labeler"), dialog.findChild(QSpinBox, "goal")
    assert isinstance(size, QSpinBox)
    assert isinstance(theme, QComboBox)
    assert isinstance(name, QLineEdit)
    assert isinstance(goal, QSpinBox)
    assert (size.value(), theme.currentData()) == (110, "dark")
    assert (name.text(), goal.value()) == ("bo", 30)
    dialog.close()
    again = commands.open_settings()
    assert again is not dialog
    again.close()
    settings.set("goal", 0)


def test_text_grows_and_shrinks_by_keys_within_bounds(
    window: MainWindow, commands: WindowCommands
) -> None:
    settings = window.surroundings.settings
    for _ in range(20):
        commands.actions["window.larger"].trigger()
    assert settings.font_scale == 200
    for _ in range(20):
        commands.actions["window.smaller"].trigger()
    assert settings.font_scale == 80
    commands.actions["window.normal"].trigger()
    assert settings.font_scale == 100


def test_the_sheet_shows_rubric_and_keys(
    window: MainWindow, commands: WindowCommands, project: Path
) -> None:
    window.open_project(project)
    sheet = commands.open_keys()
    words = {label.text() for label in sheet.findChildren(QLabel)}
    assert {"Rubric guest", "Relevance", "Excellent", "Skip", "Ctrl K"} <= words
    assert {command.title for command in WINDOW if command.keys} <= words
    sheet.close()


def test_the_sheet_shows_the_rubric_of_what_is_in_view(
    window: MainWindow, commands: WindowCommands, tmp_path: Path
) -> None:
    project = tmp_path / "demo.review"
    make_demo(project, None, Silent())
    window.open_project(project, open_id="o-01")
    sheet = commands.open_keys()
    words = {label.text() for label in sheet.findChildren(QLabel)}
    assert "Better opening" in words
    assert "Relevance" not in words
    sheet.close()


def test_a_question_mark_opens_the_sheet(window: MainWindow) -> None:
    QTest.keyClicks(window, "?")
    sheets = window.findChildren(KeysSheet)
    assert [sheet.isVisible() for sheet in sheets] == [True]
