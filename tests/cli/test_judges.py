"""`reviewer judges` through the command line itself."""

import json
import sys
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.paths import resources
from reviewer.services.upkeep import projects
from tests.servers.model_server import Answer, model_server

KEY = "sk-planted-0123456789"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    return projects.make_demo(tmp_path / "g.review", "guest-response", Silent())


def test_a_judge_is_added_tried_listed_and_removed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEAR_KEY", KEY)
    with model_server(Answer("ready")) as model:
        words = ["judges", str(project)]
        assert (
            main([*words, "add", "careful", "--endpoint", "near", "--url", model.url, "--model",
                  "m", "--variable", "NEAR_KEY", "--price", "1,2"]) == 0
        )  # fmt: skip
        assert "careful asks m at near. Nothing more is needed." in capsys.readouterr().err
        assert main([*words, "test", "careful"]) == 0
        assert "m at near answered in" in capsys.readouterr().err
        assert model.keys == [f"Bearer {KEY}"]
    assert main([*words, "list", "--json"]) == 0
    told = capsys.readouterr().out
    assert json.loads(told)["endpoints"][0]["key"] is True
    assert KEY not in told
    assert main([*words, "remove", "near"]) == 2
    assert "is asked by careful" in capsys.readouterr().err
    assert main([*words, "remove", "careful"]) == 0
    assert main([*words, "remove", "near"]) == 0
    assert KEY.encode() not in project.read_bytes()


def test_known_endpoints_need_no_address(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    words = ["judges", str(project), "add", "d", "--endpoint", "deepseek", "--model", "x"]
    assert main(words) == 0
    assert "Its key is still missing: --key-from VARIABLE stores it" in capsys.readouterr().err


def test_a_folder_of_settings_that_cannot_be_made_is_no_obstacle(
    project: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    words = ["judges", str(project), "add", "far", "--endpoint", "own", "--model", "m"]
    words += ["--url", "http://10.0.0.5/v1"]
    assert main(words) == 0
    assert "far asks m at own. Nothing more is needed." in capsys.readouterr().err
    assert main([*words, "--variable", "OWN_KEY"]) == 2
    assert "name http://10.0.0.5/v1 in the variable REVIEWER_TRUST" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add"], "needs a NAME"),
        (["add", "x"], "needs a --model"),
        (["add", "x", "--model", "m", "--endpoint", "mine"], "There is no endpoint 'mine'"),
        (
            ["add", "x", "--model", "m", "--endpoint", "mine", "--url", "mine.example"],
            "with http:// or https:// is expected",
        ),
        (
            ["add", "x@1", "--model", "m", "--endpoint", "ollama"],
            "is no name",
        ),
        (
            ["add", "x", "--model", "m", "--endpoint", "ollama", "--temperature", "3"],
            "0 to 2 is expected",
        ),
        (
            ["add", "x", "--model", "m", "--endpoint", "ollama", "--price", "cheap"],
            "two numbers are expected",
        ),
        (
            ["add", "x", "--model", "m", "--endpoint", "openai", "--key-from", "NOT_SET_HERE"],
            "NOT_SET_HERE is not set",
        ),
        (["test", "nobody"], "has no judge 'nobody'"),
        (["remove", "nobody"], "no judge, bot or endpoint 'nobody'"),
        (["add-bot", "b"], "A bot needs an FAQ table"),
        (["prompt", "relevance"], "Name the FILE"),
        (["prompt", "magic", "README.md"], "has no metric 'magic'"),
    ],
)
def test_wrong_use(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["judges", str(project), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_bots_and_prompts(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["judges", str(project)]
    assert main([*words, "add-bot", "strict", str(resources() / "examples" / "faq.csv")]) == 0
    assert main([*words, "add-bot", "mine", "--command", f"{sys.executable} bot.py"]) == 0
    document = str(resources() / "examples" / "faq-document.md")
    model = ["--endpoint", "ollama", "--model", "m"]
    assert main([*words, "add-bot", "whole", document, *model]) == 0
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    kinds = {x["name"]: x["kind"] for x in json.loads(capsys.readouterr().out)["bots"]}
    assert kinds == {"strict": "strict_match", "mine": "command", "whole": "full_context"}
    prompt = tmp_path / "p.j2"
    prompt.write_text("[user]\n{{ response }} {{ nonsense }}")
    assert main([*words, "prompt", "relevance", str(prompt)]) == 2
    assert "Line 2 of the prompt names 'nonsense'" in capsys.readouterr().err
    prompt.write_text("[user]\n{{ response }}")
    assert main([*words, "prompt", "relevance", str(prompt)]) == 0
    assert "relevance has version 1" in capsys.readouterr().err
