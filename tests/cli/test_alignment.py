"""`judges split`, `leaderboard` and `examples` through the command line itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from tests.building import build_project, record
from tests.services.aligning.judged_projects import two_judges

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(tmp_path / "judged.review", evaluations=two_judges())


def document(captured: Captured, *words: str | Path) -> Any:
    captured.readouterr()
    assert main(["judges", *map(str, words), "--json"]) == 0
    return json.loads(captured.readouterr().out)


def test_the_halves_are_made_once_and_told(project: Path, capsys: Captured) -> None:
    first = document(capsys, project, "split", "--seed", "4")
    assert first == {"schema": 1, "seed": 4, "dev": 40, "held_out": 40, "added": 80}
    assert document(capsys, project, "split")["added"] == 0
    assert main(["judges", str(project), "split"]) == 0
    assert capsys.readouterr().err == (
        "40 labelled responses for making prompts, 40 held out (seed 4).\n"
    )
    assert main(["judges", str(project), "split", "--seed", "5"]) == 2
    assert "divided with the seed 4 and stay so" in capsys.readouterr().err


def test_the_leaderboard_looks_and_counts(project: Path, capsys: Captured) -> None:
    words = (project, "leaderboard", "--metric", "accuracy")
    free = document(capsys, *words, "--part", "dev")["metrics"]["accuracy"]
    assert (free["looks"], free["best"]) == (0, None)
    found = document(capsys, *words)
    board = found["metrics"]["accuracy"]
    assert (found["run"], found["level"], found["seed"]) == ("agent v7", 0.95, 0)
    assert (board["looks"], board["new_looks"], board["best"]) == (2, 2, "judge@2")
    assert {x["judge"] for x in board["look_history"]} == {"judge@1", "judge@2"}
    assert document(capsys, *words)["metrics"]["accuracy"]["new_looks"] == 0
    low, high = board["judges"][0]["held_out"]["interval"]
    narrow = document(capsys, *words, "--level", "0.5")["metrics"]["accuracy"]
    inside = narrow["judges"][0]["held_out"]["interval"]
    assert low < inside[0] < inside[1] <= high
    other = document(capsys, *words, "--seed", "9")["metrics"]["accuracy"]
    assert other["judges"][0]["held_out"]["interval"] != [low, high]
    assert other["judges"][0]["held_out"]["value"] == board["judges"][0]["held_out"]["value"]


def test_the_leaderboard_is_a_table_for_people(project: Path, capsys: Captured) -> None:
    assert main(["judges", str(project), "leaderboard", "--statistic", "percent"]) == 0
    said = capsys.readouterr().out
    assert "Accuracy on agent v7: percent the same" in said
    assert "people among themselves" in said
    assert "Held-out half: 40 labelled responses, looked at twice." in said
    assert "best" in said


def test_a_project_without_judges_says_so(tmp_path: Path, capsys: Captured) -> None:
    path = build_project(tmp_path / "bare.review", evaluations=[record(1, scores=[])])
    assert main(["judges", str(path), "leaderboard"]) == 0
    assert capsys.readouterr().out == ("No judge scored a metric that people label in this run.\n")


def test_examples_are_listed_for_one_metric(project: Path, capsys: Captured) -> None:
    words = (project, "examples", "--metric", "accuracy")
    found = document(capsys, *words)["examples"]
    assert found
    assert set(found[0]) == {
        "id", "query", "response", "score", "reasoning", "auto", "gap", "decided", "cause",
    }  # fmt: skip
    assert main(["judges", str(project), "examples"]) == 2
    assert "Name the metric that the examples are for" in capsys.readouterr().err
    assert main(["judges", *map(str, words)]) == 0
    assert "none of them held out" in capsys.readouterr().out
