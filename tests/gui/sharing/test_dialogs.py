"""Share, invite and join at a real database, as a person does it."""

import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from reviewer.gui.asking import NO_WORD
from reviewer.gui.commands import WindowCommands
from reviewer.gui.sharing.invite_dialog import InviteDialog
from reviewer.gui.sharing.join_dialog import JoinDialog
from reviewer.gui.sharing.keeper import AGAIN
from reviewer.gui.sharing.share_dialog import HALF, ShareDialog
from reviewer.gui.window import MainWindow
from reviewer.hub.reading import PulledRecord
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.services.sharing import link as links
from reviewer.services.sharing import pulling, syncing, taking_part, uploading
from reviewer.services.sharing.link import of
from tests.building import build_project
from tests.gui.passwords import unlocked, unlocking
from tests.gui.sharing.conftest import Sit
from tests.servers.postgres import HOST, OWNER, OWNERS_PASSWORD, Server
from tests.services.sharing.sharing_projects import Team, lead_project

WAIT_MS = 60_000


@pytest.fixture
def share(window: MainWindow, commands: WindowCommands, tmp_path: Path) -> ShareDialog:
    window.surroundings.settings.set("labeler", "Lead")
    assert window.open_project(lead_project(tmp_path))
    window.run_command("window.share")
    assert isinstance(commands.sharing.dialog, ShareDialog)
    return commands.sharing.dialog


def test_a_project_is_shared(
    window: MainWindow, share: ShareDialog, commands: WindowCommands, postgres: Server,
    qtbot: QtBot,
) -> None:  # fmt: skip
    qtbot.waitUntil(lambda: "6 evaluations" in share.contents.text(), timeout=WAIT_MS)
    assert share.contents.text() == (
        "1 run, 6 evaluations, 18 scores, 18 answers and marks and 2 queues go there, with the "
        "names of 4 people."
    )
    database = postgres.make_database("from_the_window")
    share.address.setText("a database")
    QTest.mouseClick(share.share, Qt.MouseButton.LeftButton)
    assert "is no address of a hub" in share.problem.text()
    share.address.setText(postgres.address("nowhere"))
    QTest.keyClick(share.address, Qt.Key.Key_Return)
    dialog = unlocked(share, share._asking, qtbot)
    # nothing stands in clear, and the keyring is offered where one works
    assert dialog.word.echoMode() == dialog.word.EchoMode.Password
    assert not dialog.keep.isEnabled()
    # as it is pasted out of a mail
    dialog.word.setText(" \n")
    assert not dialog.connect_button.isEnabled()
    QGuiApplication.clipboard().setText(f" {OWNERS_PASSWORD}\r\n")
    dialog.word.selectAll()
    dialog.word.paste()
    QTest.mouseClick(dialog.connect_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: "There is no database nowhere" in share.problem.text(), timeout=WAIT_MS
    )
    share.address.setText(postgres.address(database))
    share.schema.setText("chats")
    QTest.mouseClick(share.share, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: share.contents.text().startswith("Shared at"), timeout=WAIT_MS)
    assert share.contents.text().startswith(
        f"Shared at postgresql://{OWNER}@{HOST}:{postgres.port}/{database}/chats. 18 entries sent"
    )
    assert window.session is not None
    assert links.is_shared(window.session.project)
    assert OWNERS_PASSWORD.encode() not in window.session.project.path.read_bytes()
    with postgres.connect(database) as conn:
        assert conn.execute("SELECT count(*) FROM chats.evaluations").fetchone() == (6,)
    QTest.mouseClick(share.invite, Qt.MouseButton.LeftButton)
    assert isinstance(commands.sharing.dialog, InviteDialog)


def test_a_wrong_password_is_asked_again_and_a_refusal_leaves_all_as_it_was(
    window: MainWindow, share: ShareDialog, postgres: Server, qtbot: QtBot
) -> None:
    database = postgres.make_database("wrong_word")
    share.address.setText(postgres.address(database))
    share._share()
    first = unlocked(share, share._asking, qtbot)
    assert "wants the password of" in share.problem.text()
    first.word.setText("guessed")
    first.accept()
    assert unlocking(share) == []
    second = unlocked(share, share._asking, qtbot)
    assert "password" in share.problem.text()
    assert second is not first
    second.reject()
    assert share.problem.text() == NO_WORD
    assert window.session is not None
    assert not links.is_shared(window.session.project)
    assert share.share.isEnabled()


def test_the_statements_are_shown_and_run_by_nobody(share: ShareDialog) -> None:
    share.address.setText("postgresql://host/database/chats")
    QTest.mouseClick(share.show_button, Qt.MouseButton.LeftButton)
    assert share.statements is not None
    assert 'CREATE SCHEMA "chats"' in share.statements.text.toPlainText()
    QTest.mouseClick(share.statements.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == share.statements.text.toPlainText()


def test_without_the_library_it_is_said_how_to_get_it(
    window: MainWindow, commands: WindowCommands, share: ShareDialog,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    share.close()
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for command in ("window.share", "window.join"):
        window.run_command(command)
        made = commands.sharing.dialog
        assert isinstance(made, ShareDialog | JoinDialog)
        assert "pip install 'reviewer[hub]'" in made.problem.text()
        assert not (made.share if isinstance(made, ShareDialog) else made.join).isEnabled()


def test_somebody_is_invited_and_joins(
    commands: WindowCommands, team: Team, sit: Sit, qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    window = commands.parent()
    assert isinstance(window, MainWindow)
    sit("Lead")
    window.run_command("window.invite")
    invite = commands.sharing.dialog
    assert isinstance(invite, InviteDialog)
    QTest.mouseClick(invite.invite, Qt.MouseButton.LeftButton)
    assert invite.problem.text() == "A name is needed."
    assert invite.focusWidget() is invite.name
    account = f"cleo_{team.address.database}"
    invite.name.setText("Cleo")
    invite.account.setText(account)
    QTest.mouseClick(invite.invite, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not invite.given.isHidden(), timeout=WAIT_MS)
    line, password = invite.line.text(), invite.password.text()
    assert line == f"reviewer join {team.address._replace(user=account).text}"
    for button, text in ((invite.copy_line, line), (invite.copy_password, password)):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert QGuiApplication.clipboard().text() == text
    assert len(password) > 20
    assert password.encode() not in team.files["Lead"].read_bytes()
    assert "kept nowhere" in invite.note.text()
    invite.close()
    window.close_project()
    monkeypatch.setenv("PGPASSWORD", password)
    window.start.join_requested.emit()
    join = commands.sharing.dialog
    assert isinstance(join, JoinDialog)
    join.line.setText(f"  {line}\n")
    assert join.file.text().endswith("chats.review")
    join._take_file(str(tmp_path / "cleo.review"))
    QTest.mouseClick(join.join, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.session is not None, timeout=WAIT_MS)
    assert window.session is not None
    assert window.session.labeler.name == "Cleo"
    assert window.session.project.path == tmp_path / "cleo.review"
    assert window.page is not None


def test_what_is_no_line_is_said_at_once(window: MainWindow, commands: WindowCommands) -> None:
    window.run_command("window.join")
    join = commands.sharing.dialog
    assert isinstance(join, JoinDialog)
    join.line.setText("postgresql://anna@host/database")
    QTest.keyClick(join.line, Qt.Key.Key_Return)
    assert join.problem.text().startswith("The address names no project")


def test_after_a_failed_try_the_keys_are_in_the_line(
    window: MainWindow, commands: WindowCommands, postgres: Server, qtbot: QtBot
) -> None:
    window.run_command("window.join")
    join = commands.sharing.dialog
    assert isinstance(join, JoinDialog)
    join.line.setText(f"{postgres.address('nowhere')}/chats")
    qtbot.waitUntil(lambda: join.focusWidget() is join.line)
    for _ in range(2):
        # Return tries again
        QTest.keyClick(join.focusWidget(), Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: bool(unlocking(join)), timeout=WAIT_MS)
        assert join.focusWidget() is join.line
        unlocked(join, join._asking, qtbot).reject()
        assert join.problem.text() == NO_WORD
        assert join.focusWidget() is join.line
        assert join.line.selectedText() == join.line.text()


def test_a_file_leaves_and_keeps_everything(
    window: MainWindow, team: Team, sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    sit("Lead")
    answers = [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    session = window.session
    assert session is not None
    before = team.entries("Lead")
    window.run_command("window.leave")
    assert of(session.project) is not None
    window.run_command("window.leave")
    assert of(session.project) is None
    assert team.entries("Lead") == before
    window.run_command("window.leave")
    assert window.notices.notices[-1].text == "The project is not shared."


def test_a_database_that_was_restored_is_said_so_once_for_all(
    window: MainWindow, team: Team, sit: Sit, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    team.join("Ann")
    team.label("Ann", "c-0", 3)
    team.sync("Ann")
    with team.hub() as hub, hub.writing() as work:
        before = work.one("SELECT incarnation FROM hub")
    # what the backup had not
    with team.server.superuser(team.address.database) as conn:
        conn.execute(b"DELETE FROM chats.entries WHERE evaluation = 1")
        conn.execute(b"DELETE FROM chats.complete")
    sit("Lead")
    window.run_command("window.restored")
    window.run_command("window.restored")

    def said() -> bool:
        return any(x.text == AGAIN for x in window.notices.notices)

    qtbot.waitUntil(said, timeout=WAIT_MS)
    with team.hub() as hub, hub.reading() as work:
        assert work.one("SELECT incarnation FROM hub") != before
    assert any("came out of an older backup" in x for x in team.sync("Ann").told)
    assert team.entries("Ann") <= team.on_hub()


def test_a_sharing_that_is_stopped_half_way_goes_on_with_the_next_sending(
    window: MainWindow, commands: WindowCommands, postgres: Server, qtbot: QtBot,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("PGPASSWORD", OWNERS_PASSWORD)
    # each record a transaction of its own, so that there is a half way
    monkeypatch.setattr(uploading, "BLOCK", 1)
    window.surroundings.settings.set("labeler", "Lead")
    path = build_project(tmp_path / "many.review", evaluations=400)
    with closing(Session.open(path, "Lead")) as session:
        profiles.change(session, "Lead", role="lead")
    assert window.open_project(path)
    window.run_command("window.share")
    dialog = commands.sharing.dialog
    assert isinstance(dialog, ShareDialog)
    database = postgres.make_database("half_way")
    dialog.address.setText(postgres.address(database))
    dialog._asking.advanced.connect(
        lambda _: QTest.mouseClick(dialog.leave, Qt.MouseButton.LeftButton)
    )
    QTest.mouseClick(dialog.share, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(dialog.problem.text()), timeout=WAIT_MS)
    assert dialog.problem.text() == HALF
    assert dialog.share.isHidden()
    count = b"SELECT count(*) FROM many.evaluations"
    with postgres.connect(database) as conn:
        row = conn.execute(count).fetchone()
        assert row is not None
        assert 0 < int(str(row[0])) < 400
        session_here = window.session
        assert session_here is not None
        place = links.must(session_here.project).place
        with taking_part.opened(place) as hub, closing(Session.open(path, "Lead")) as own:
            syncing.sync(own, hub)
        assert conn.execute(count).fetchone() == (400,)


def test_a_joining_that_is_stopped_half_way_goes_on_with_the_next_sending(
    window: MainWindow, commands: WindowCommands, team: Team, qtbot: QtBot, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    account, password = team.words["Ann"]
    monkeypatch.setenv("PGPASSWORD", password)
    # each record comes alone, and slowly, so that there is a half way
    monkeypatch.setattr(pulling, "CHUNK", 1)
    take = pulling.Pull._import

    def take_slowly(pull: pulling.Pull, records: Sequence[PulledRecord], **how: bool) -> None:
        take(pull, records, **how)
        time.sleep(0.3)

    monkeypatch.setattr(pulling.Pull, "_import", take_slowly)
    window.run_command("window.join")
    dialog = commands.sharing.dialog
    assert isinstance(dialog, JoinDialog)
    dialog.line.setText(f"reviewer join {team.address._replace(user=account).text}")
    path = tmp_path / "ann.review"
    dialog._take_file(str(path))
    dialog._asking.advanced.connect(
        lambda _: QTest.mouseClick(dialog.leave, Qt.MouseButton.LeftButton)
    )
    QTest.mouseClick(dialog.join, Qt.MouseButton.LeftButton)
    assert dialog.leave.text() == "Stop"
    qtbot.waitUntil(lambda: bool(dialog.problem.text()), timeout=WAIT_MS)
    assert dialog.problem.text().endswith(
        "A part of it is in ann.review already: open that file, and the rest comes by itself."
    )
    assert dialog.leave.text() == "Cancel"
    assert window.session is None
    with closing(Session.open(path)) as own:
        count = "SELECT count(*) FROM visible_evaluations"
        assert 0 < own.project.conn.execute(count).fetchone()[0] < 4
        with taking_part.opened(links.must(own.project).place) as hub:
            syncing.sync(own, hub)
        assert own.project.conn.execute(count).fetchone()[0] == 4
