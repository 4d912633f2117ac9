"""`reviewer hub PROJECT sync --watch` as somebody starts and stops it at a console."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.postgres import Server
from tests.servers.synced import ROOT, kept
from tests.services.sharing.sharing_projects import Team, make_team


@pytest.fixture
def team(postgres: Server, tmp_path: Path) -> Team:
    made = make_team(postgres, tmp_path, f"console_{tmp_path.name[-6:]}".replace("-", "_"))
    made.join("Ann")
    return made


def command(team: Team, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "reviewer", "hub", str(team.files["Ann"]), *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PGPASSWORD": team.words["Ann"][1]},
    )  # fmt: skip


@contextmanager
def watching(team: Team, *words: str) -> "Iterator[subprocess.Popen[str]]":
    process = command(team, "sync", "--watch", *words)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def line_with(process: "subprocess.Popen[str]", words: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return line
    raise AssertionError(f"{words} was never said")


def ended(process: "subprocess.Popen[str]") -> tuple[str, int]:
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    return err, process.returncode


def test_it_says_how_it_stands_and_sends_what_is_answered(team: Team) -> None:
    with watching(team) as process:
        assert "Shared · only you here · all sent" in line_with(process, "only you here")
        team.label("Ann", "c-0", 2)
        until = time.monotonic() + 30
        while not team.entries("Ann") <= team.on_hub():
            assert time.monotonic() < until
            time.sleep(0.05)
        status, _ = command(team, "status").communicate(timeout=60)
        assert "Only you here · all sent" in status
        again, _ = command(team, "sync", "--json").communicate(timeout=60)
        assert "keeps this project in step already" in json.loads(again)["told"][0]
        assert ended(process) == ("", 0)
    status, _ = command(team, "status").communicate(timeout=60)
    assert "Only you here" not in status
    assert "All sent" in status


def test_what_waits_is_said_at_the_end(team: Team) -> None:
    with team.server.superuser() as conn:
        conn.execute(f"ALTER DATABASE {team.address.database} ALLOW_CONNECTIONS false".encode())
    team.label("Ann", "c-0", 2, "safety")
    with watching(team, "--json") as process:
        state = json.loads(line_with(process, '"no line"'))
        assert (state["answers_waiting"], state["entries_waiting"]) == (1, 1)
        assert "takes no connections just now" in state["reason"]
        said, code = ended(process)
        assert "1 answer of Ann.review still waits on this computer" in said
        assert code == 0


def test_beside_a_window_it_shows_what_that_does(team: Team) -> None:
    with kept(team.files["Ann"], team.words["Ann"][1]) as window:
        window.wait_for("in step")
        with watching(team) as process:
            line_with(process, "Shared · only you here · all sent")
            assert ended(process)[1] == 0
        assert window.process.poll() is None


def test_a_password_that_nobody_can_be_asked_for_ends_it(team: Team) -> None:
    account, _ = team.words["Ann"]
    team.words["Ann"] = (account, "guessed")
    process = command(team, "sync", "--watch")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert f"The password of {account} is wrong" in err
    assert "Traceback" not in err
