"""The window says what still runs before it closes, and before its project goes."""

import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import CancelledError
from reviewer.gui.commands import WindowCommands
from reviewer.gui.parcels.dialogs import PackDialog
from reviewer.gui.reports.page import ReportsPage
from reviewer.gui.window import MainWindow
from reviewer.services.parcels import packing
from reviewer.services.transfer import exporting
from reviewer.services.upkeep import projects

NO, YES = QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes


def stand(*given: object, **_: object) -> None:
    """Go on until somebody stops it."""
    progress: Any = next(x for x in given if hasattr(x, "advance"))
    progress.advance(1, 4)
    while not progress.cancelled:
        time.sleep(0.01)
    raise CancelledError("Stopped.")


def answering(monkeypatch: pytest.MonkeyPatch, *answers: QMessageBox.StandardButton) -> list[str]:
    """Answer one question after the other; gives what was asked."""
    found: list[str] = []
    left = list(answers)

    def ask(_: object, __: str, question: str, *___: object) -> object:
        found.append(question)
        return left.pop(0)

    monkeypatch.setattr(QMessageBox, "question", ask)
    return found


@pytest.fixture
def exports(window: MainWindow, demo: Path, monkeypatch: pytest.MonkeyPatch) -> ReportsPage:
    """A window that exports."""
    monkeypatch.setattr(exporting, "export", stand)
    assert window.open_project(demo)
    window.show_page("reports")
    page = window.page
    assert isinstance(page, ReportsPage)
    page.export(demo.with_name("labels.csv"))
    return page


@pytest.mark.usefixtures("exports")
def test_closing_names_all_that_still_runs(
    window: MainWindow, commands: WindowCommands, qtbot: QtBot, demo: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(packing, "make", stand)
    monkeypatch.setattr(projects, "make_demo", stand)
    commands.parcels.pack()
    pack = commands.parcels.dialog
    assert isinstance(pack, PackDialog)
    pack.write(demo.with_name("Ann.review"))
    commands.actions["window.demo"].trigger()
    tasks = window.surroundings.tasks
    qtbot.waitUntil(lambda: tasks.losses().count("25 %") == 3)
    asked = answering(monkeypatch, NO, YES)
    window.close()
    assert asked == [
        "Closing stops the export to labels.csv (at 25 %), the work package Ann.review (at 25 %) "
        "and the demo that is made (at 25 %); nothing half done is kept.\n\nClose all the same?"
    ]
    assert window.isVisible()
    assert len(tasks.running()) >= 3
    window.close()
    assert not window.isVisible()


@pytest.mark.usefixtures("exports")
def test_a_project_is_not_left_in_the_middle_of_an_export_without_a_question(
    window: MainWindow, commands: WindowCommands, project: Path, demo: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(projects, "make_demo", stand)
    commands.actions["window.demo"].trigger()
    asked = answering(monkeypatch, NO, NO, YES, YES)
    commands.actions["window.start"].trigger()
    assert not window.open_project(project)
    assert window.session is not None
    assert window.session.project.path == demo
    assert window.open_project(project)
    # the demo goes on, whatever project is open
    assert {x.partition(" (at")[0] for x in asked} == {"Closing stops the export to labels.csv"}
    assert len(asked) == 3
    assert "demo" in window.surroundings.tasks.running()
