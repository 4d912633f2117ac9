"""What a project from elsewhere may not do with keys and commands of this computer."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from reviewer import paths
from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, Endpoint
from reviewer.services.bots import bots
from reviewer.services.computer import secrets, trust
from reviewer.services.judging import judges
from reviewer.services.monitoring import watching
from reviewer.services.project.session import Session
from tests.building import build_project

ELSEWHERE = Endpoint(name="near", base_url="https://gate.example/v1", variable="OPENAI_API_KEY")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.delenv(trust.VARIABLE, raising=False)
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setattr(paths, "config_folder", lambda: folder)


def test_an_unknown_address_gets_no_key() -> None:
    with pytest.raises(ReviewerError, match=r"key of OPENAI_API_KEY to https://gate\.example/v1"):
        secrets.key_of(ELSEWHERE)
    state = secrets.state(ELSEWHERE)
    assert (state.place, state.is_there) == ("unconfirmed", False)


@pytest.mark.parametrize(
    "address",
    ["https://api.openai.com/v1", "http://127.0.0.1:8000/v1", "http://localhost:1234/v1", None],
)
def test_providers_and_this_computer_are_known(address: str | None) -> None:
    place = Endpoint(name="near", base_url=address, variable="OPENAI_API_KEY")
    assert secrets.key_of(place) == "sk-planted-0123456789"


@pytest.mark.parametrize(
    "address",
    [
        "http://api.openai.com/v1",
        "https://api.openai.com.example/v1",
        "https://api.openai.com@gate.example/v1",
        "https://127.0.0.1.example/v1",
    ],
)
def test_what_only_looks_like_a_provider_is_not(address: str) -> None:
    with pytest.raises(ReviewerError, match="nobody has confirmed"):
        secrets.key_of(Endpoint(name="near", base_url=address, variable="OPENAI_API_KEY"))


def test_an_address_kept_here_is_confirmed(tmp_path: Path) -> None:
    session = Session.open(build_project(tmp_path / "p.review"))
    judges.keep_endpoint(session, ELSEWHERE)
    session.close()
    assert secrets.key_of(ELSEWHERE) == "sk-planted-0123456789"
    other = Endpoint(name="near", base_url="https://gate.example/v2", variable="OPENAI_API_KEY")
    assert secrets.state(other).place == "unconfirmed"
    assert "sk-planted" not in (paths.config_folder() / trust.FILE).read_text()


def test_the_environment_may_name_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(trust.VARIABLE, "https://other.example, https://gate.example/v1")
    assert secrets.key_of(ELSEWHERE) == "sk-planted-0123456789"


async def _ready(session: Session, bot: Bot) -> None:
    async with AsyncExitStack() as stack:
        await bots.ready(session, bot, stack)


def test_a_command_runs_only_where_it_was_kept(tmp_path: Path) -> None:
    session = Session.open(build_project(tmp_path / "p.review"))
    bot = Bot(name="mine", kind="command", settings={"words": [sys.executable, "-c", "pass"]})
    with pytest.raises(ReviewerError, match="nobody has confirmed on this computer"):
        asyncio.run(_ready(session, bot))
    bots.keep(session, bot)
    asyncio.run(_ready(session, bot))
    session.close()


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A configuration folder that can be neither made nor written."""
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "reviewer"
    monkeypatch.setattr(paths, "config_folder", lambda: folder)
    return folder


COMMAND = Bot(name="mine", kind="command", settings={"words": ["echo", "hi"]})
WEB = Bot(
    name="web",
    kind="http",
    settings={
        "url": "https://gate.example/ask",
        "body": {"q": "{{ question }}"},
        "path": "a",
        "headers": {"Authorization": "Bearer {{ key }}"},
        "variable": "OPENAI_API_KEY",
    },
)


@pytest.mark.parametrize(
    ("act", "instead"),
    [
        (lambda x: judges.keep_endpoint(x, ELSEWHERE), "https://gate.example/v1"),
        (lambda x: bots.keep(x, COMMAND), "echo hi"),
        (lambda x: bots.keep(x, WEB), "https://gate.example/ask"),
        (lambda x: watching.begin(x, "guest"), ""),
    ],
)
def test_what_cannot_be_confirmed_is_a_sentence_and_keeps_nothing(
    tmp_path: Path, nowhere: Path, act: Callable[[Session], None], instead: str
) -> None:
    with closing(Session.open(build_project(tmp_path / "p.review"), "ann")) as session:
        with pytest.raises(ReviewerError) as told:
            act(session)
        named = f", or name {instead} in the variable REVIEWER_TRUST" if instead else ""
        assert str(told.value) == (
            f"What is confirmed on this computer is kept in {nowhere / trust.FILE}, which "
            f"cannot be written: not a directory. Make it writable{named}."
        )
        assert judges.endpoints(session) == ()
        assert judges.bots(session) == ()
        assert watching.standing(session, "guest") is None


def test_what_needs_no_confirming_is_kept_anywhere(
    tmp_path: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = Endpoint(name="far", base_url="http://10.0.0.5/v1", needs_key=False)
    monkeypatch.setenv(trust.VARIABLE, "echo hi")
    with closing(Session.open(build_project(tmp_path / "p.review"))) as session:
        judges.keep_endpoint(session, local)
        bots.keep(session, COMMAND)
        assert judges.endpoints(session) == (local,)
        assert judges.bots(session) == (COMMAND,)
    assert not nowhere.exists()


def test_processes_that_confirm_at_once_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import sys; from reviewer.services.computer import trust; input()\n"
        "for n in range(40): trust.confirm_command([sys.argv[1], str(n)])"
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    works = [
        subprocess.Popen([sys.executable, "-c", code, name], stdin=subprocess.PIPE)
        for name in ("a", "b", "c")
    ]
    for work in works:
        assert work.stdin is not None
        work.stdin.write(b"\n")
        work.stdin.close()
    assert [work.wait(60) for work in works] == [0, 0, 0]
    kept = json.loads((tmp_path / "reviewer" / trust.FILE).read_text())
    assert len(kept) == len(set(kept)) == 120
