"""R in a shared project: the hub is asked, and without a line nothing is shown."""

import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.password_dialog import PasswordDialog
from reviewer.gui.review.acts import NOT_HERE, OPENED, SEEN, SHOWN
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.review.revealing import ASKING
from reviewer.gui.syncing.hub_at_work import HubAtWork
from reviewer.gui.window import MainWindow
from reviewer.store import shares
from reviewer.store.shares import Arrived
from tests.gui.passwords import unlocking
from tests.servers.postgres import Server, server
from tests.services.sharing.sharing_projects import Team, make_team

WAIT_MS = 60_000
_NUMBERS = itertools.count(1)


def opened(window: MainWindow, team: Team, monkeypatch: pytest.MonkeyPatch) -> ReviewPage:
    monkeypatch.setenv("PGPASSWORD", team.words["Ann"][1])
    monkeypatch.setattr(HubAtWork, "_start", lambda *_: None)
    window.surroundings.settings.set("labeler", "Ann")
    assert window.open_project(team.files["Ann"])
    page = window.page
    assert isinstance(page, ReviewPage)
    assert page.view is not None
    assert page.view.hidden
    assert not page.scores.reveal.isHidden()
    return page


def press_twice(window: MainWindow) -> None:
    for _ in range(2):
        QTest.keyClick(window, Qt.Key.Key_R)


def test_the_hub_is_asked(
    window: MainWindow, qtbot: QtBot, postgres: Server, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    team = make_team(postgres, tmp_path, f"reveal_{next(_NUMBERS)}")
    team.join("Ann")
    page = opened(window, team, monkeypatch)
    QTest.keyClick(window, Qt.Key.Key_R)
    assert "hub-reveal" not in window.surroundings.tasks.running()
    QTest.keyClick(window, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: page.view is not None and not page.view.hidden, timeout=WAIT_MS)
    assert page.view is not None
    assert len(page.view.auto) == 3
    with team.hub() as hub, hub.reading() as work:
        assert work.one("SELECT count(*) FROM exposures") == 1


def test_a_password_that_is_wanted_waits_for_a_press(
    window: MainWindow, qtbot: QtBot, postgres: Server, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    team = make_team(postgres, tmp_path, f"reveal_{next(_NUMBERS)}")
    team.join("Ann")
    page = opened(window, team, monkeypatch)
    monkeypatch.delenv("PGPASSWORD")
    press_twice(window)
    qtbot.waitUntil(lambda: bool(unlocking(window.notices)), timeout=WAIT_MS)
    assert window.findChild(PasswordDialog) is None
    assert window.isActiveWindow()
    unlocking(window.notices)[0].click()
    dialog = window.findChild(PasswordDialog)
    assert dialog is not None
    dialog.word.setText(team.words["Ann"][1])
    dialog.accept()
    qtbot.waitUntil(lambda: page.view is not None and not page.view.hidden, timeout=WAIT_MS)
    assert unlocking(window.notices) == []


def test_without_a_line_nothing_is_revealed_and_it_is_said_why(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server() as own:
        team = make_team(own, tmp_path, "gone")
        team.join("Ann")
    page = opened(window, team, monkeypatch)
    said: list[str] = []
    page.noted.connect(said.append)
    press_twice(window)
    qtbot.waitUntil(lambda: "Nothing was revealed" in " ".join(said), timeout=WAIT_MS)
    assert ASKING in said
    assert "Nobody answers at 127.0.0.1" in said[-1]
    assert page.view is not None
    assert page.view.hidden
    assert window.session is not None
    count = "SELECT (SELECT count(*) FROM marks) + (SELECT count(*) FROM scores)"
    assert window.session.project.conn.execute(count).fetchone() == (0,)
    # it was about this response, and is over with it
    assert "Nothing was revealed" in window.notices.notices[-1].text
    QTest.keyClick(window, Qt.Key.Key_J)
    assert not window.notices.notices


def test_of_an_answered_response_nothing_is_called_shown_before_it_is_here(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server() as own:
        team = make_team(own, tmp_path, "gone")
        team.join("Ann")
    page = opened(window, team, monkeypatch)
    said: list[str] = []
    page.noted.connect(said.append)

    def press(*keys: Qt.Key) -> tuple[str, str]:
        for key in keys:
            QTest.keyClick(window, key)
        return page.scores.sight.text(), said[-1]

    answers = (Qt.Key.Key_5, Qt.Key.Key_4, Qt.Key.Key_3)
    before = page.scores.sight.width()
    assert press(*answers)[0] == "no auto yet"
    assert press(Qt.Key.Key_R) == ("no auto yet", NOT_HERE)
    page.acts.act("undo")
    assert said[-1].endswith(OPENED)
    press(answers[-1])
    assert page.view is not None
    with team.session("Ann") as other:
        place = (other.run_keys()[0], other.run_names()[0])
        scores = [{"metric": "safety", "value": 2.5, "scorer": "judge"}]
        arrived = Arrived(page.view.evaluation.key, place, {"scores": scores})
        shares.unite(other.project, [arrived], lambda *_: None)
    assert window.session is not None
    window.session.poll()
    assert press(Qt.Key.Key_R) == ("auto shown", SHOWN)
    page.acts.act("undo")
    assert said[-1].endswith(SEEN)
    assert page.scores.sight.width() <= before
