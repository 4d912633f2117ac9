"""A sheet is written for a labeler, filled in a spreadsheet, looked at and taken back."""

import csv
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.parcels.sheets import ReturnedDialog, SheetDialog
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from tests.building import build_project

WAIT = 60_000


@pytest.fixture
def session(window: MainWindow, settings: Settings, tmp_path: Path) -> Session:
    settings.set("labeler", "lea")
    window.open_project(build_project(tmp_path / "team.review", evaluations=5))
    assert window.session is not None
    profiles.add(window.session, "ann")
    return window.session


def answers(session: Session) -> int:
    return int(session.project.conn.execute("SELECT count(*) FROM labels").fetchone()[0])


def test_a_sheet_goes_out_and_comes_back(
    qtbot: QtBot, commands: WindowCommands, session: Session, tmp_path: Path
) -> None:
    sheet = tmp_path / "for-ann.csv"
    commands.actions["window.sheet"].trigger()
    asked = commands.parcels.dialog
    assert isinstance(asked, SheetDialog)
    asked.labeler.setCurrentIndex(asked.labeler.findData("ann"))
    asked.write(sheet)
    qtbot.waitUntil(
        lambda: asked.done_words.text() == "Written: 5 responses in for-ann.csv.", timeout=WAIT
    )
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0]["accuracy"], rows[1]["accuracy"] = "4", "much"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    before = answers(session)
    commands.parcels.take_sheet(sheet)
    back = commands.parcels.dialog
    assert isinstance(back, ReturnedDialog)
    qtbot.waitUntil(back.take.isEnabled, timeout=WAIT)
    assert "1 new answer" in back.sentence.text()
    assert "1 refused" in back.sentence.text()
    assert back.rows.model().rowCount() == 2
    assert answers(session) == before
    back.take.click()
    qtbot.waitUntil(lambda: back.leave.text() == "Close", timeout=WAIT)
    assert answers(session) == before + 1


def test_what_is_no_sheet_is_said(
    qtbot: QtBot, commands: WindowCommands, session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "other.csv"
    file.write_text("a,b\n1,2\n")
    commands.parcels.take_sheet(file)
    back = commands.parcels.dialog
    assert isinstance(back, ReturnedDialog)
    qtbot.waitUntil(lambda: bool(back.problem.text()), timeout=WAIT)
    assert not back.take.isEnabled()
    assert session.project.path.exists()
