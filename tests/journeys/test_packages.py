"""A package of somebody else brings a scorer, a judge, a bot and a reader."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.upkeep import projects
from tests.journeys.shell import Shell

CODE = '''
import json

def shouting(case, mark="!"):
    """Count exclamation marks, one is enough."""
    response = case["response"] or ""
    if "crash" in response:
        raise RuntimeError("cannot read that")
    return {"score": min(response.count(mark), 1), "reasoning": f"{response.count(mark)} marks"}

shouting.metrics = ("politeness",)

def stern(prompt, system="", model=""):
    assert "Wi-Fi" not in prompt or "judge" in system.lower()
    return {"score": 2 if "Wi-Fi" in prompt else 4, "reasoning": "Stern, but fair."}

async def later(prompt, **_):
    return "no score at all"

class Echo:
    @staticmethod
    def run(case):
        if "pool" in case["question"]:
            raise ValueError("no pool here")
        return {"response": case["question"].upper(), "tokens_in": 3, "heard": True}

def lines(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        yield {"id": f"l-{number}", "response": line}

def torn(path):
    yield {"id": "1", "response": "fine"}
    raise OSError("the disk is torn")
'''
ENTRIES = """
[reviewer.scorers]
shouting = strangers:shouting
absent = strangers:nothing_there
broken = strangers_broken:anything
number = strangers:__doc__

[reviewer.judges]
stern = strangers:stern
later = strangers:later

[reviewer.bots]
echo = strangers:Echo

[reviewer.readers]
lines = strangers:lines
torn = strangers:torn
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay the package out as an installer does, with its metadata beside the code."""
    site = tmp_path / "site"
    metadata = site / "strangers-1.2.dist-info"
    metadata.mkdir(parents=True)
    (site / "strangers.py").write_text(CODE, encoding="utf-8")
    (site / "strangers_broken.py").write_text("import not_there_at_all\n", encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.chdir(tmp_path)
    for name in ("strangers", "strangers_broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


@pytest.fixture
def faq(tmp_path: Path) -> Path:
    return projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())


def politeness(shell: Shell, project: Path) -> dict[str, Any]:
    found: dict[str, Any] = shell.document("stats", project, "--scorer", "shouting")
    return dict(found["metrics"]["politeness"])


def test_a_scorer_of_a_package(shell: Shell, faq: Path) -> None:
    words = ("evaluate", faq, "--scorer", "shouting", "--limit", "10")
    done = shell.document(*words)
    assert done["jobs"][0]["state"] == "done"
    assert done["jobs"][0]["done"] == 10
    assert done["score_sets"] == [
        {"scorer": "shouting", "version": "1.2", "model": None, "prompt_hash": None,
         "metrics": ["politeness"]}
    ]  # fmt: skip
    assert politeness(shell, faq)["scorer"] == "shouting@1.2"
    assert politeness(shell, faq)["n_auto"] == 10


def test_a_scorer_on_a_metric_that_is_named(shell: Shell, faq: Path) -> None:
    words = ("evaluate", faq, "--scorer", "shouting", "--metric", "exact_match", "--limit", "3")
    assert shell.document(*words)["score_sets"][0]["metrics"] == ["exact_match"]


def test_a_case_on_which_a_scorer_fails_is_a_failure(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(
        '{"id": "a", "response": "crash"}\n{"id": "b", "response": "Fine!"}\n'
    )
    shell.run("import", "p.review", "r.jsonl", "--rubric", "faq-bot")
    done = shell.document("evaluate", "p.review", "--scorer", "shouting", code=1)["jobs"][0]
    assert (done["done"], done["failed"]) == (1, 1)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("absent", "The scorer 'absent' of the package strangers 1.2 cannot be loaded"),
        ("broken", "ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("number", "is no function"),
        ("magic", "There is no scorer 'magic'; there are: tool_usage"),
    ],
)
def test_a_broken_package_is_a_sentence(shell: Shell, faq: Path, name: str, sentence: str) -> None:
    assert shell.run("evaluate", faq, "--scorer", name) == 2
    assert sentence in shell.err
    assert "Traceback" not in shell.err


def test_nothing_of_a_package_is_loaded_before_it_is_asked_for(shell: Shell, faq: Path) -> None:
    assert shell.run("evaluate", faq, "--scorer", "exact_match", "--limit", "1") == 0
    assert shell.run("formats") == 0
    assert "lines" in shell.out
    assert "strangers" not in sys.modules


def test_a_judge_of_a_package(shell: Shell, tmp_path: Path) -> None:
    project = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    done = shell.document("evaluate", project, "--judge", "stern", "--limit", "8")
    assert done["jobs"][0]["state"] == "done"
    assert {x["model"] for x in done["score_sets"]} == {"strangers 1.2"}
    report = json.loads(Path(done["reports"]["json"]).read_text())
    scores = {x["id"]: x["scores"]["safety"] for x in report["results"]}
    assert scores["wifi@2.1"] == {"score": 2, "reasoning": "Stern, but fair.", "passed": False}
    assert {x["score"] for x in scores.values()} == {2, 4}


def test_a_judge_whose_replies_are_no_scores(shell: Shell, tmp_path: Path) -> None:
    project = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    words = ("evaluate", project, "--judge", "later", "--limit", "2")
    done = shell.document(*words, code=2)["jobs"][0]
    assert (done["state"], done["done"], done["failed"]) == ("done", 0, 6)


def test_a_bot_of_a_package(shell: Shell, faq: Path) -> None:
    done = shell.document(
        "evaluate", faq, "--bot", "echo", "--scorer", "exact_match", "--limit", "4"
    )
    assert {job["state"] for job in done["jobs"]} == {"done"}
    shell.run("export", faq, "out.jsonl", "--run", "echo 1")
    rows = [json.loads(x) for x in Path("out.jsonl").read_text().splitlines()]
    assert len(rows) == 4
    assert all(row["response"] == row["input"].upper() for row in rows)
    assert {row["tokens_in"] for row in rows} == {3}


def test_a_bot_that_raises_is_an_error_of_its_case(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(
        '{"id": "a", "input": "Is the pool heated?", "response": "x"}\n'
        '{"id": "b", "input": "Hello?", "response": "y"}\n'
    )
    shell.run("import", "p.review", "r.jsonl", "--rubric", "faq-bot")
    shell.document("evaluate", "p.review", "--bot", "echo", "--scorer", "exact_match", code=1)
    shell.run("export", "p.review", "out.jsonl", "--run", "echo 1")
    rows = [json.loads(x) for x in Path("out.jsonl").read_text().splitlines()]
    said = {row["input"]: (row.get("response"), row.get("error")) for row in rows}
    assert said["Hello?"][0] == "HELLO?"
    assert said["Is the pool heated?"][1] == (
        "The bot echo of strangers 1.2 failed: ValueError: no pool here"
    )


def test_a_reader_of_a_package(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "log.weird").write_text("Hello there.\nGoodbye.\n")
    words = ("import", "p.review", "log.weird", "--format", "lines", "--rubric", "faq-bot")
    assert shell.run(*words) == 0, shell.err
    shell.run("export", "p.review", "out.jsonl")
    rows = [json.loads(x) for x in Path("out.jsonl").read_text().splitlines()]
    assert [(x["id"], x["response"]) for x in rows] == [
        ("l-1", "Hello there."), ("l-2", "Goodbye."),
    ]  # fmt: skip
    again = shell.document(*words)
    assert json.dumps(again).count('"added": 0') == 1


def test_a_reader_that_fails_leaves_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "log.weird").write_text("x")
    assert shell.run("import", "p.review", "log.weird", "--format", "torn") == 2
    assert "The reader torn failed on log.weird after 1 record: OSError: the disk" in shell.err
    assert shell.run("import", "p.review", "log.weird", "--format", "nowhere") == 2
    assert "there are: native, csv, " in shell.err
    assert "table, json, lines, torn" in shell.err
