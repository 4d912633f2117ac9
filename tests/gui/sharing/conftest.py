"""A window beside a hub of its own."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.syncing import hub_at_work
from reviewer.gui.window import PAINTED_MS, MainWindow
from tests.servers.postgres import Server
from tests.services.sharing.sharing_projects import Team, make_team

_NUMBERS = itertools.count(1)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No keyring, and no process beside the window: what it does is tested elsewhere."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setattr(hub_at_work.HubAtWork, "_start", lambda *_: None)


@pytest.fixture
def team(postgres: Server, tmp_path: Path) -> Team:
    return make_team(postgres, tmp_path, f"dialogs_{next(_NUMBERS)}")


Sit = Callable[[str], None]


@pytest.fixture
def sit(window: MainWindow, team: Team, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Sit:
    """Open somebody's file as them, with their password in the environment."""

    def open_file(name: str) -> None:
        monkeypatch.setenv("PGPASSWORD", team.words[name][1])
        window.surroundings.settings.set("labeler", name)
        assert window.open_project(team.files[name])
        # a moment after the first page the hub is thought of
        qtbot.wait(4 * PAINTED_MS)

    return open_file
