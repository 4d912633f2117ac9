"""What a project from elsewhere may not do with keys and commands of this computer."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from reviewer import paths
from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, Endpoint
from reviewer.services.computer import secrets, trust
from reviewer.services.evaluating import bots, judges
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
