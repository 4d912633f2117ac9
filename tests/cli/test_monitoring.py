"""`reviewer monitor` through the command line itself."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from tests.services.monitoring.production import empty, imported, record, write


@pytest.fixture
def project(tmp_path: Path) -> Path:
    rows = [record(str(k), float(k < 90)) for k in range(100)]
    return imported(tmp_path / "p.review", write(tmp_path / "r.jsonl", rows))


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["monitor", *words, "--once", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_metrics_status_and_uncertain(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, str(project), "--sample-rate", "1")
    assert found["schema"] == 1
    assert (found["sample_count"], found["pass_rate"]) == (100, 0.9)
    assert (found["status"], found["uncertain"]) == ("healthy", True)
    assert len(found["samples"]) == 100
    assert main(["monitor", str(project), "--once"]) == 0
    said = capsys.readouterr().out
    assert "Monitor of agent-rubric: healthy, uncertain" in said
    assert "Pass rate 90.0 % (95 % 82.6 to 94.5, n 100) over all samples." in said


def test_without_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = empty(tmp_path / "p.review")
    found = document(capsys, str(path))
    assert found["status"] == "insufficient_data"
    assert "sample_count" not in found
    assert main(["monitor", str(path), "--once"]) == 0
    said = capsys.readouterr().out
    assert "insufficient data" in said
    assert "No record is sampled yet." in said


def test_what_was_set_stays_and_the_seed_decides(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = document(capsys, str(project), "--sample-rate", "0.3", "--seed", "4")
    again = document(capsys, str(project))
    assert [x["id"] for x in again["samples"]] == [x["id"] for x in first["samples"]]
    assert 15 < first["sample_count"] < 45
    other = document(capsys, str(project), "--seed", "5")
    assert {x["id"] for x in other["samples"]} != {x["id"] for x in first["samples"]}
    assert document(capsys, str(project), "--window", "10")["sample_count"] == 10


def test_runs_are_named_and_stay(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(project, write(tmp_path / "s.jsonl", [record("x", 0.0), record("y", 0.0)]))
    found = document(capsys, str(project), "--sample-rate", "1", "--run", "s")
    assert (found["sample_count"], found["runs"], found["left_out"]) == (2, ["s"], [])
    assert document(capsys, str(project))["runs"] == ["s"]
    assert main(["monitor", str(project), "--once"]) == 0
    assert "Sampled is the run s alone." in capsys.readouterr().out
    both = document(capsys, str(project), "--run", "r", "--run", "s")
    assert (both["sample_count"], both["runs"]) == (102, ["r", "s"])
    for words in ("all", "production"):
        assert document(capsys, str(project), "--run", words)["sample_count"] == 102


def test_a_folder_is_watched_once(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write(folder / "new.jsonl", [record(f"n{k}", 0.0) for k in range(100)])
    document(capsys, str(project), "--sample-rate", "1")
    assert (
        main(["monitor", str(project), "--once", "--watch", str(folder), "--sample-rate", "1"])
        == 0
    )
    said = capsys.readouterr().err
    assert "new.jsonl: 100 new records." in said
    assert "healthy → critical" in said
    assert main(["check", str(project), "--monitor", "critical"]) == 1
    assert "critical: pass rate 45.0 %" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--sample-rate", "2"], "The sample rate is 2"),
        (["--window", "soon"], "The window is 'soon'"),
        (["--rubric", "x"], "There is no rubric 'x'"),
        (["--judge", "nobody", "--sample-rate", "1"], "The project has no judge 'nobody'"),
        (["--watch", "nowhere"], "There is no folder"),
        (["--run", "nowhere"], "There is no run 'nowhere' with the rubric agent-rubric"),
    ],
)
def test_wrong_use(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["monitor", str(project), "--once", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_the_status_is_told_although_the_judge_is_not_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document(capsys, str(project), "--sample-rate", "1")
    words = ["monitor", str(project), "--once", "--json", "--judge", "nobody"]
    assert main(words) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["sample_count"] == 100
    assert "no judge 'nobody'" in told.err
    assert main([*words[:-1], "none"]) == 0


def test_a_project_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", str(tmp_path / "p.review"), "--once"]) == 2
    assert "There is no project file" in capsys.readouterr().err


def test_it_runs_until_it_is_stopped(project: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    child = subprocess.Popen(
        [sys.executable, "-m", "reviewer", "monitor", str(project), "--sample-rate", "1",
         "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
        text=True,
    )  # fmt: skip
    assert child.stderr is not None
    lines = []
    for line in child.stderr:
        lines.append(line)
        if "pass rate" in line:
            break
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, (lines, err)
    assert "Watching for new records; Ctrl-C ends it." in lines[0]
    assert json.loads(out)["sample_count"] == 100
