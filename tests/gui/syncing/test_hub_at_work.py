"""A shared project in the window: its process, its state below, answers as they come."""

import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import ProjectError
from reviewer.gui.commands import WindowCommands
from reviewer.gui.hub_watch import HubWatch
from reviewer.gui.kit.pieces import Button
from reviewer.gui.labelers.dialog import LabelersDialog
from reviewer.gui.sharing.invite_dialog import InviteDialog
from reviewer.gui.sharing.share_dialog import ShareDialog
from reviewer.gui.syncing import hub_at_work
from reviewer.gui.syncing.hub_at_work import HubAtWork
from reviewer.gui.window import MainWindow
from reviewer.hub.connecting import VERSION
from reviewer.services.labelling import entering
from reviewer.services.sharing import taking_part
from reviewer.store import reading
from tests.gui.passwords import unlocked, unlocking
from tests.servers.postgres import OWNERS_PASSWORD, Server
from tests.services.sharing.sharing_projects import Team, lead_project, make_team

WAIT_MS = 60_000
_NUMBERS = itertools.count(1)


@pytest.fixture
def team(postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setattr(hub_at_work, "READ_MS", 10)
    # a machine that is busy with other tests starts and ends a process slowly
    monkeypatch.setattr(hub_at_work, "LEAVE_S", 30.0)
    made = make_team(postgres, tmp_path, f"window_{next(_NUMBERS)}")
    made.join("Ann")
    return made


def hub_of(window: MainWindow) -> HubAtWork:
    return window.surroundings.hub


def below(window: MainWindow) -> str:
    """What the status bar says of the shared project."""
    button = window.status._hub
    return "" if button.isHidden() else button.text()


def opened(
    window: MainWindow, qtbot: QtBot, team: Team, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", team.words[name][1])
    window.surroundings.settings.set("labeler", name)
    assert window.open_project(team.files[name])
    qtbot.waitUntil(lambda: "all sent" in below(window), timeout=WAIT_MS)


def test_a_project_of_nobody_else_says_nothing(
    window: MainWindow, qtbot: QtBot, project: Path
) -> None:
    assert window.open_project(project)
    qtbot.wait(300)
    assert below(window) == ""
    assert hub_of(window).process is None


def test_answers_go_and_come_while_the_window_is_open(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(window, qtbot, team, "Lead", monkeypatch)
    qtbot.waitUntil(lambda: "only you here" in below(window), timeout=WAIT_MS)
    session = window.session
    assert session is not None
    heard: list[object] = []
    session.subscribe(heard.append)
    team.label("Ann", "c-0", 3)
    team.sync("Ann")
    qtbot.waitUntil(lambda: len(heard) >= 3, timeout=WAIT_MS)
    key = reading.find(session.project.conn, "c-5")
    assert key is not None
    entering.commit(session, key, "safety", 2)
    qtbot.waitUntil(lambda: team.entries("Lead") <= team.on_hub(), timeout=WAIT_MS)


def test_a_record_of_a_shared_project_is_forgotten_from_the_window(
    window: MainWindow,
    commands: WindowCommands,
    qtbot: QtBot,
    team: Team,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    yes = QMessageBox.StandardButton.Yes
    monkeypatch.setattr(QMessageBox, "question", lambda *_: yes)
    opened(window, qtbot, team, "Lead", monkeypatch)
    commands.actions["window.forget"].trigger()
    dialog = commands.forgetter.dialog
    assert dialog is not None
    dialog.record.setText("one/c-1")
    dialog.forget.click()
    qtbot.waitUntil(lambda: window.session is not None, timeout=WAIT_MS)
    assert team.asked("Lead", "SELECT count(*) FROM evaluations WHERE ext_id = 'c-1'") == [(0,)]
    query = "SELECT forgotten FROM evaluations WHERE name = 'c-1'"

    def gone() -> bool:
        with team.hub() as hub, hub.reading() as work:
            return work.rows(query) == [(True,)]

    qtbot.waitUntil(gone, timeout=WAIT_MS)


def test_the_last_answer_is_sent_as_the_window_closes(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(window, qtbot, team, "Ann", monkeypatch)
    session, before = window.session, len(team.on_hub())
    assert session is not None
    key = reading.find(session.project.conn, "c-0")
    assert key is not None
    entering.commit(session, key, "safety", 2)
    window.close()
    assert len(team.on_hub()) == before + 1


def test_what_waits_is_said_as_the_window_closes(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    with team.server.superuser() as conn:
        conn.execute(f"ALTER DATABASE {team.address.database} ALLOW_CONNECTIONS false".encode())
    team.label("Ann", "c-0", 2, "safety")
    monkeypatch.setenv("PGPASSWORD", team.words["Ann"][1])
    assert window.open_project(team.files["Ann"])
    qtbot.waitUntil(lambda: "1 answer waits" in below(window), timeout=WAIT_MS)
    window.close()
    assert "1 answer of Ann.review still waits on this computer" in capsys.readouterr().err


def test_a_password_is_asked_for_once_and_never_stands_in_the_words_of_the_process(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    word = team.words["Ann"][1]
    assert window.open_project(team.files["Ann"])
    watch = window.findChild(HubWatch)
    assert watch is not None
    qtbot.waitUntil(lambda: bool(unlocking(window.notices)), timeout=WAIT_MS)
    # whoever labels keeps the keys until they press
    assert watch.dialog is None
    assert window.isActiveWindow()
    unlocking(window.notices)[0].click()
    dialog = watch.dialog
    assert dialog is not None
    assert unlocking(window.notices) == []
    assert "password of ann" in below(window)
    assert dialog.word.displayText() != dialog.word.text() or not dialog.word.text()
    heard: list[str] = []
    hub = hub_of(window)
    hub.changed.connect(lambda: heard.append(hub.state.doing if hub.state else ""))
    dialog.word.setText("guessed")
    dialog.connect_button.click()
    qtbot.waitUntil(lambda: "password" in heard[1:], timeout=WAIT_MS)
    assert "password of ann" in below(window)
    # a wrong one is told again, and the line asks, too
    qtbot.waitUntil(lambda: bool(unlocking(window.notices)), timeout=WAIT_MS)
    assert watch.dialog is None
    watch.explain()
    dialog = watch.dialog
    assert dialog is not None
    dialog.word.setText(word)
    assert word not in dialog.word.displayText()
    dialog.connect_button.click()
    qtbot.waitUntil(lambda: "all sent" in below(window), timeout=WAIT_MS)
    assert unlocking(window.notices) == []
    process = hub_of(window).process
    assert process is not None
    for name in ("cmdline", "environ"):
        assert word.encode() not in Path(f"/proc/{process.number}/{name}").read_bytes()


def test_a_process_that_dies_is_started_again(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_at_work, "FIRST_REST_S", 0.1)
    opened(window, qtbot, team, "Ann", monkeypatch)
    first = hub_of(window).process
    assert first is not None
    first.kill()
    qtbot.waitUntil(lambda: hub_of(window).process not in (None, first), timeout=WAIT_MS)
    team.label("Ann", "c-0", 3, "safety")
    qtbot.waitUntil(lambda: team.entries("Ann") <= team.on_hub(), timeout=WAIT_MS)


def test_sharing_and_leaving_begin_and_end_it(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(window, qtbot, team, "Ann", monkeypatch)
    assert window.session is not None
    link = taking_part.leave(window.session)
    hub_of(window).look()
    assert below(window) == ""
    assert link.address
    qtbot.waitUntil(lambda: not hub_of(window)._leaving, timeout=WAIT_MS)
    with team.session("Ann") as session, pytest.raises(ProjectError, match="is not shared"):
        taking_part.place_in(session.project)


def test_a_file_that_is_renamed_stays_in_step(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(window, qtbot, team, "Ann", monkeypatch)
    team.files["Ann"] = team.files["Ann"].rename(team.folder / "Hers.review")
    qtbot.waitUntil(
        lambda: window.session is not None and window.session.project.path.name == "Hers.review",
        timeout=WAIT_MS,
    )
    session = window.session
    assert session is not None
    key = reading.find(session.project.conn, "c-0")
    assert key is not None
    entering.commit(session, key, "safety", 2)
    qtbot.waitUntil(lambda: team.entries("Ann") <= team.on_hub(), timeout=WAIT_MS)
    assert OWNERS_PASSWORD not in below(window)


def make_older(team: Team) -> None:
    """Take away what the last version brought."""
    with team.server.superuser(team.address.database) as conn:
        conn.execute(b"ALTER TABLE chats.queues DROP COLUMN deleted CASCADE")
        conn.execute("UPDATE chats.hub SET version = %s", (VERSION - 1,))


def test_a_lead_upgrades_an_older_hub_where_that_is_said(
    window: MainWindow, commands: WindowCommands, qtbot: QtBot, team: Team,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    answers = [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    make_older(team)
    monkeypatch.setenv("PGPASSWORD", team.words["Lead"][1])
    window.surroundings.settings.set("labeler", "Lead")
    assert window.open_project(team.files["Lead"])
    qtbot.waitUntil(lambda: "not in step" in below(window), timeout=WAIT_MS)
    window.status.hub_clicked.emit()
    dialog = commands.keeper.dialog
    assert isinstance(dialog, LabelersDialog)
    card = dialog.sharing
    assert "made by an older version of Reviewer" in card.state.text()
    for _ in range(2):
        assert not card.upgrade.isHidden()
        card.upgrade.click()
    qtbot.waitUntil(lambda: "The hub is up to date." in card.upgraded.text(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "all sent" in below(window), timeout=WAIT_MS)
    qtbot.waitUntil(card.upgrade.isHidden, timeout=WAIT_MS)


def test_the_hub_is_tried_again_while_a_refused_process_still_ends(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_older(team)
    monkeypatch.setenv("PGPASSWORD", team.words["Lead"][1])
    hub = hub_of(window)
    heard: list[str] = []

    def note() -> None:
        if hub.state is not None:
            heard.append(hub.state.doing)
        if heard[-1:] == ["refused"] and heard.count("refused") == 1:
            assert hub.process is not None
            hub.again()

    hub.changed.connect(note)
    window.surroundings.settings.set("labeler", "Lead")
    assert window.open_project(team.files["Lead"])
    qtbot.waitUntil(lambda: heard.count("refused") >= 2, timeout=WAIT_MS)
    assert "connecting" in heard[heard.index("refused") :]


def said(window: MainWindow) -> str:
    """Everything that the notices say."""
    return "\n".join(x.text for x in window.notices.notices)


def test_what_waits_is_counted_for_whoever_was_taken_out_until_they_are_let_in_again(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(window, qtbot, team, "Ann", monkeypatch)
    session, account = window.session, team.words["Ann"][0]
    assert session is not None
    key = reading.find(session.project.conn, "c-0")
    assert key is not None
    with team.hub() as hub:
        taking_part.remove(hub, "Ann")
    entering.commit(session, key, "safety", 2)
    qtbot.waitUntil(lambda: "not in step · 1 answer waits" in below(window), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: hub_of(window).process is None, timeout=WAIT_MS)
    assert "not among the people" in said(window)
    entering.commit(session, key, "accuracy", 2)
    qtbot.waitUntil(lambda: "2 answers wait" in below(window), timeout=WAIT_MS)
    with team.session("Lead") as leads, team.hub() as hub:
        made = taking_part.invite(leads, hub, "Ann", role="labeler", account=account)
    if made.password is not None:
        monkeypatch.setenv("PGPASSWORD", made.password)
    window.status.hub_clicked.emit()
    assert "connecting · 2 answers wait" in below(window)
    assert "Connecting · 2 answers wait" in said(window)
    qtbot.waitUntil(lambda: "all sent" in below(window), timeout=WAIT_MS)
    assert "all sent" in said(window)
    assert "not among the people" not in said(window)
    assert "ot in step" not in said(window)
    assert team.entries("Ann") <= team.on_hub()


def test_what_waits_is_said_as_a_project_closes_whose_hub_refuses(
    window: MainWindow, qtbot: QtBot, team: Team, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    opened(window, qtbot, team, "Ann", monkeypatch)
    session = window.session
    assert session is not None
    key = reading.find(session.project.conn, "c-0")
    assert key is not None
    with team.hub() as hub:
        taking_part.remove(hub, "Ann")
    entering.commit(session, key, "safety", 2)
    qtbot.waitUntil(lambda: "not in step" in below(window), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: hub_of(window).process is None, timeout=WAIT_MS)
    entering.commit(session, key, "accuracy", 2)
    window.close_project()
    sentence = "2 answers of Ann.review still wait on this computer"
    assert sentence in said(window)
    window.close()
    assert capsys.readouterr().err.count(sentence) == 1


def test_a_press_leaves_the_keys_where_they_were(window: MainWindow) -> None:
    for button in window.status.findChildren(Button):
        assert button.focusPolicy() == Qt.FocusPolicy.TabFocus, button.accessibleName()


def test_a_labeler_hears_who_upgrades_an_older_hub(
    window: MainWindow, commands: WindowCommands, qtbot: QtBot, team: Team,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    make_older(team)
    monkeypatch.setenv("PGPASSWORD", team.words["Ann"][1])
    window.surroundings.settings.set("labeler", "Ann")
    assert window.open_project(team.files["Ann"])
    qtbot.waitUntil(lambda: "not in step" in below(window), timeout=WAIT_MS)
    window.run_command("window.labelers")
    dialog = commands.keeper.dialog
    assert isinstance(dialog, LabelersDialog)
    assert "a lead (Lead) brings it up to date" in dialog.sharing.state.text()
    assert dialog.sharing.upgrade.isHidden()


def test_a_password_is_asked_once_while_the_window_is_open(
    window: MainWindow, commands: WindowCommands, qtbot: QtBot, postgres: Server,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.delenv("PGPASSWORD", raising=False)
    watch = window.findChild(HubWatch)
    assert watch is not None
    window.surroundings.settings.set("labeler", "Lead")
    assert window.open_project(lead_project(tmp_path))
    window.run_command("window.share")
    share = commands.sharing.dialog
    assert isinstance(share, ShareDialog)
    share.address.setText(postgres.address(postgres.make_database("asked_once")))
    share.share.click()
    asking = unlocked(share, share._asking, qtbot)
    asking.word.setText(OWNERS_PASSWORD)
    asking.accept()
    qtbot.waitUntil(lambda: "all sent" in below(window), timeout=WAIT_MS)
    assert watch.dialog is None
    session = window.session
    assert session is not None
    assert OWNERS_PASSWORD.encode() not in session.project.path.read_bytes()
    share.close()
    window.run_command("window.invite")
    invite = commands.sharing.dialog
    assert isinstance(invite, InviteDialog)
    invite.name.setText("Cleo")
    invite.account.setText("cleo_asked_once")
    invite.invite.click()
    qtbot.waitUntil(lambda: not invite.given.isHidden(), timeout=WAIT_MS)
    assert unlocking(invite) == []
    invite.close()
