"""Large text makes no dialog of a lead larger than the window behind it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QScrollArea

from reviewer.gui.audit.families_cards import FamiliesDialog
from reviewer.gui.audit.limits_dialog import LimitsDialog
from reviewer.gui.commands import WindowCommands
from reviewer.gui.todo_dialog import TodoDialog
from reviewer.gui.window import MainWindow

SIZE = (1280, 800)


@pytest.fixture
def large(window: MainWindow, demo: Path, settle: Callable[[], None]) -> MainWindow:
    window.surroundings.settings.set("font_scale", 150)
    window.resize(*SIZE)
    assert window.open_project(demo)
    window.show_page("audit")
    settle()
    return window


def fits(dialog: QDialog) -> bool:
    dialog.show()
    return dialog.width() <= SIZE[0] and dialog.height() <= SIZE[1]


@pytest.mark.parametrize("command", ["window.new_queue", "window.queues", "window.labelers"])
def test_dialogs_about_queues_and_people_fit(
    large: MainWindow, commands: WindowCommands, settle: Callable[[], None], command: str
) -> None:
    large.run_command(command)
    settle()
    dialog = commands.keeper.dialog
    assert dialog is not None
    assert fits(dialog)
    dialog.close()


def test_families_limits_and_the_to_do_list_fit(large: MainWindow) -> None:
    assert large.session is not None
    limits = LimitsDialog(large.session, large.session.current_rubric(), large)
    assert fits(limits)
    area = limits.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    assert not area.horizontalScrollBar().isVisible()
    limits.close()
    for dialog in (
        FamiliesDialog(large.surroundings.theme, large.session, large),
        TodoDialog(large.session, large),
    ):
        assert fits(dialog)
        dialog.close()
