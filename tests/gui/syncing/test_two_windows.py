"""A lead forgets while a second window, a process of its own, has a labeler's file open."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.window import MainWindow
from tests.gui.syncing.test_hub_at_work import opened, team
from tests.services.sharing.sharing_projects import Team

WAIT_MS = 60_000
WINDOW = (
    "import sys; from pathlib import Path; from reviewer.gui import app; "
    "app.run(Path(sys.argv[1]))"
)
__all__ = ["team"]


@contextmanager
def second_window(team: Team, name: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Open somebody's file as they do, in a process of its own."""
    environment = os.environ | {"PGPASSWORD": team.words[name][1]}
    command = [sys.executable, "-c", WINDOW, str(team.files[name])]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def is_here(team: Team, name: str) -> bool:
    with team.hub() as hub, hub.reading() as work:
        query = (
            "SELECT count(*) FROM presence p JOIN people o ON o.id = p.person WHERE o.name = %s"
        )
        return bool(work.one(query, name))


def holds(team: Team, name: str, word: bytes) -> bool:
    file = team.files[name]
    return any(word in x.read_bytes() for x in file.parent.glob(f"{file.name}*"))


def test_what_a_lead_forgets_goes_from_a_file_that_is_open_in_another_window(
    window: MainWindow, commands: WindowCommands, qtbot: QtBot, team: Team,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Yes)
    assert holds(team, "Ann", b"Answer 1.")
    with second_window(team, "Ann") as other:
        qtbot.waitUntil(lambda: is_here(team, "Ann"), timeout=WAIT_MS)
        opened(window, qtbot, team, "Lead", monkeypatch)
        commands.actions["window.forget"].trigger()
        dialog = commands.forgetter.dialog
        assert dialog is not None
        dialog.record.setText("one/c-1")
        dialog.forget.click()
        qtbot.waitUntil(lambda: not holds(team, "Ann", b"Answer 1."), timeout=WAIT_MS)
        assert other.poll() is None
        # the file is free for a third program while the window has it
        assert team.asked("Ann", "SELECT count(*) FROM evaluations WHERE ext_id = 'c-1'") == [(0,)]
        with team.session("Ann") as session, session.project.write():
            session.project.next_seq()
