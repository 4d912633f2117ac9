"""Somebody or a record is forgotten from the window, after a question; the file opens again."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
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
    profiles.add(window.session, "annika")
    return window.session


def answer(monkeypatch: pytest.MonkeyPatch, button: QMessageBox.StandardButton) -> list[str]:
    asked: list[str] = []

    def question(_: object, __: str, words: str) -> QMessageBox.StandardButton:
        asked.append(words)
        return button

    monkeypatch.setattr(QMessageBox, "question", question)
    return asked


def test_a_person_is_forgotten_after_a_question(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = answer(monkeypatch, QMessageBox.StandardButton.Yes)
    commands.actions["window.forget"].trigger()
    dialog = commands.forgetter.dialog
    assert dialog is not None
    dialog.person.setCurrentIndex(dialog.person.findData("annika"))
    path = session.project.path
    dialog.forget.click()
    assert asked == ["Forget annika for good? Nothing brings it back."]
    qtbot.waitUntil(lambda: window.session is not None, timeout=WAIT)
    assert window.session is not None
    assert "annika" not in {one.name for one in window.session.labelers()}
    assert b"annika" not in path.read_bytes()


def test_a_record_is_forgotten_only_where_it_is_meant(
    qtbot: QtBot,
    window: MainWindow,
    commands: WindowCommands,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = session.project.conn.execute("SELECT ext_id FROM evaluations").fetchone()[0]
    count = "SELECT count(*) FROM evaluations"
    answer(monkeypatch, QMessageBox.StandardButton.No)
    commands.actions["window.forget"].trigger()
    dialog = commands.forgetter.dialog
    assert dialog is not None
    dialog.forget.click()
    assert dialog.problem.text() == "Choose either a person or a record."
    dialog.record.setText("nowhere")
    dialog.forget.click()
    assert "There is no record 'nowhere'" in dialog.problem.text()
    dialog.record.setText(name)
    dialog.forget.click()
    assert window.session is session
    answer(monkeypatch, QMessageBox.StandardButton.Yes)
    dialog.forget.click()
    qtbot.waitUntil(lambda: window.session not in (None, session), timeout=WAIT)
    assert window.session is not None
    assert window.session.project.conn.execute(count).fetchone()[0] == 4
