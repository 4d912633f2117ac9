"""A kind of bot is one module: a declaration more, and everything offers, holds and uses it."""

import importlib
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.judging import Bot
from reviewer.scoring.bot_kinds import KINDS
from reviewer.services.bots import bots
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects

Capture = pytest.CaptureFixture[str]
MODULE = """
from reviewer.domain.errors import ReviewerError
from reviewer.scoring.bots.kind import BotAnswer, Kind, Setting


class Parrot:
    def __init__(self, ending):
        self.ending = ending

    async def answer(self, case):
        return BotAnswer(response=case.question + self.ending, latency_ms=1.0)


async def make(bot, means):
    return Parrot(bot.text("ending"))


def check(bot):
    if len(bot.text("ending")) > 9:
        raise ReviewerError("The ending is longer than a parrot remembers.")


KIND = Kind(
    name="parrot", title="Parrot", help="says the question again",
    settings=(Setting(name="ending", title="Ending", needed=True),),
    make=make, check=check, free=True,
)
"""


@pytest.fixture
def parrot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "birds").mkdir()
    (tmp_path / "birds" / "parrot_bot.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path / "birds"))
    monkeypatch.setitem(KINDS, "parrot", importlib.import_module("parrot_bot").KIND)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())


def told(capsys: Capture, *words: str | Path) -> Any:
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("parrot")
def test_the_command_line_keeps_foretells_and_runs_it(
    project: Path, tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "polly.json"
    file.write_text(json.dumps({"kind": "parrot", "ending": " – indeed."}))
    assert main(["judges", str(project), "add-bot", "polly", str(file)]) == 2
    assert "longer than a parrot remembers" in capsys.readouterr().err
    file.write_text(json.dumps({"kind": "parrot"}))
    assert main(["judges", str(project), "add-bot", "polly", str(file)]) == 2
    assert "needs the setting 'ending'" in capsys.readouterr().err
    file.write_text(json.dumps({"kind": "parrot", "ending": "!"}))
    assert main(["judges", str(project), "add-bot", "polly", str(file)]) == 0
    assert "The bot polly is there (parrot)." in capsys.readouterr().err
    words = ("evaluate", project, "--bot", "polly", "--tests", "faq-bot questions")
    planned = told(capsys, *words, "--dry-run")
    assert planned["jobs"][0]["cost_usd"] == 0
    assert told(capsys, *words)["run"] == "polly 1"
    with closing(Session.open(project)) as session:
        answers = session.project.conn.execute(
            "SELECT count(*) FROM evaluations e JOIN runs r ON r.id = e.run "
            "WHERE r.name = 'polly 1' AND e.response = e.input || '!'"
        ).fetchone()
    assert answers == (26,)


def test_a_kind_of_a_newer_version_is_named(project: Path) -> None:
    with (
        closing(Session.open(project)) as session,
        pytest.raises(ReviewerError, match="'parrot', which this version does not know"),
    ):
        bots.keep(session, Bot(name="polly", kind="parrot"))


def test_every_kind_says_what_it_is() -> None:
    for name, kind in KINDS.items():
        assert kind.name == name
        assert kind.title[:1].isupper()
        assert not kind.help.endswith(".")
        assert any(setting.needed for setting in kind.settings)
        assert len({x.name for x in kind.settings}) == len(kind.settings)
