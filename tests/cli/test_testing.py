"""`reviewer tests` through the command line itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.services.upkeep import projects

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())


def told(capsys: Capture, *words: str | Path, code: int = 0) -> Any:
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_file_is_added_once(project: Path, capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "- {id: a, input: When?, complexity: hard, tags: [x]}\n- {id: b, input: Who?}\n"
    )
    first = told(capsys, "tests", project, "add", file)
    assert (first["test_set"], first["version"], first["added"]) == ("mine", 1, 2)
    again = told(capsys, "tests", project, "add", file)
    assert (again["version"], again["added"], again["unchanged"]) == (1, 0, 2)
    listed = told(capsys, "tests", project, "list", "--name", "mine", "--where", "complexity=hard")
    assert [x["id"] for x in listed["test_set"]["cases"]] == ["a"]
    assert listed["test_set"]["tags"] == {"x": ["a"]}
    assert [(x["name"], x["cases"]) for x in listed["test_sets"]] == [
        ("faq-bot questions", 26), ("mine", 2),
    ]  # fmt: skip
    medium = told(capsys, "tests", project, "list", "--name", "mine", "--where",
                  "complexity=medium")  # fmt: skip
    assert [x["id"] for x in medium["test_set"]["cases"]] == ["b"]


def test_bad_rows_are_told_and_kept_out(project: Path, capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "a", "input": "When?"}\n{"id": "b", "tags": 3}\n')
    found = told(capsys, "tests", project, "add", file, "--strict", code=1)
    assert found["rejected"] == [
        {"line": 2, "field": "input", "value": None,
         "reason": "there is nothing to look at: no input, no messages and no response"}
    ]  # fmt: skip
    assert main(["tests", str(project), "add", str(file)]) == 0
    said = capsys.readouterr()
    assert "mine v1: 1 added, 0 changed, 0 unchanged, 1 rejected." in said.out
    assert "mine.jsonl, line 2, input" in said.err


def test_the_check_says_what_is_missing(project: Path, capsys: Capture, tmp_path: Path) -> None:
    assert told(capsys, "tests", project, "check")["ok"] is True
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "a", "input": "When?"}\n{"id": "b", "input": "when"}\n')
    main(["tests", str(project), "add", str(file)])
    capsys.readouterr()
    found = told(capsys, "tests", project, "check", "--name", "mine", code=1)
    kinds = {x["kind"] for x in found["findings"]}
    assert {"no_expected", "near_duplicate", "absent_complexity", "no_edge_case"} <= kinds
    assert main(["tests", str(project), "check", "--name", "mine"]) == 1
    assert "2 cases of 2 without expected behaviour: a, b." in capsys.readouterr().out


def test_results_side_by_side(project: Path, capsys: Capture) -> None:
    found = told(capsys, "tests", project, "results", "--metric", "exact_match")
    assert [x["run"] for x in found["runs"]] == ["strict match", "full context"]
    assert found["cases"]["hours"]["strict match"]["overall"] == 1
    assert main(["tests", str(project), "results", "--tag", "vague"]) == 0
    out = capsys.readouterr().out
    assert "card-vague" in out
    assert "hours" not in out


def test_cases_of_a_run(project: Path, capsys: Capture) -> None:
    found = told(capsys, "tests", project, "add", "--run", "strict match", "--name", "again")
    assert (found["test_set"], found["added"]) == ("again", 26)
    assert main(["tests", str(project), "remove", "--name", "again"]) == 0
    assert "again" not in json.dumps(told(capsys, "tests", project))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add"], "needs a FILE or --run NAME"),
        (["add", "nowhere.csv"], "does not exist"),
        (["list", "--name", "x"], "no test set 'x'; it has: faq-bot questions"),
        (["list", "--where", "x"], "NAME=VALUE is expected"),
        (["list", "--where", "x=y"], "No case of faq-bot questions v1 fits"),
        (["results", "--metric", "x"], "There is no metric 'x'"),
        (["remove"], "Name the test set to remove"),
        (["check", "--version", "7"], "has no version 7"),
    ],
)
def test_wrong_use(project: Path, capsys: Capture, words: list[str], sentence: str) -> None:
    assert main(["tests", str(project), *words]) == 2
    assert sentence in capsys.readouterr().err
