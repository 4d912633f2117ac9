"""Projects that are copied in use, damaged, mended and taken along, through the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.services.labelling import entering
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from tests.journeys.shell import RESOURCES, SYSTEMS, Shell, example_rubric, lines

ROOT = RESOURCES.parent


def damage(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(8192)
        stream.write(b"\xff" * 20_000)


@pytest.mark.parametrize("system", [None, *SYSTEMS])
def test_what_ships_comes_back_byte_for_byte(shell: Shell, system: str | None) -> None:
    chosen = ("--system", system) if system else ()
    assert shell.document("demo", "p.review", "--no-open", *chosen)["project"] == "p.review"
    runs = shell.document("runs", "p.review")["runs"]
    assert len(runs) >= 2
    assert all(run["evaluations"] and run["scorers"] for run in runs)
    first = shell.document("export", "p.review", "first.jsonl")
    assert first["rows"] == sum(run["evaluations"] for run in runs)
    assert first["bytes"] == Path("first.jsonl").stat().st_size
    Path("rubrics").mkdir()
    for number, run in enumerate(runs):
        name = f"{number}.jsonl"
        assert shell.run("export", "p.review", name, "--run", run["name"]) == 0
        rubric = run["rubric"]
        toml = RESOURCES / "demo" / f"{rubric}.toml"
        given = toml if toml.is_file() else example_rubric(rubric)
        assert shell.run("import", "q.review", name, "--rubric", given, "--strict") == 0, shell.err
    shell.document("export", "q.review", "second.jsonl")
    assert Path("second.jsonl").read_bytes() == Path("first.jsonl").read_bytes()
    again = shell.document("import", "q.review", "first.jsonl")
    assert (again["unchanged"], again["scores"], again["labels"]) == (first["rows"], 0, 0)


def test_labels_leave_as_a_table_and_come_back(shell: Shell) -> None:
    shell.run("demo", "p.review", "--no-open", "--system", "harness")
    labels = shell.document("export", "p.review", "labels.csv", "--what", "labels")
    gaps = shell.document("export", "p.review", "gaps.csv", "--what", "disagreements")
    assert labels["rows"] > gaps["rows"] > 0
    source = RESOURCES / "examples" / "harness.jsonl"
    bare = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    for record in bare:
        record.pop("labels", None)
    Path("bare.jsonl").write_text(lines(*bare), encoding="utf-8")
    assert (
        shell.run("import", "q.review", "bare.jsonl", "--rubric", example_rubric("harness")) == 0
    )
    done = shell.document("import", "q.review", "labels.csv")
    assert done["labels"] == labels["rows"]
    assert done["rejected"] == done["rejected_values"] == 0


def test_filters_narrow_stats_and_export_alike(shell: Shell) -> None:
    shell.run("demo", "p.review", "--no-open", "--system", "harness")
    everything = shell.document("stats", "p.review", "--run", "all")
    run = shell.document("runs", "p.review")["runs"][0]["name"]
    one = shell.document("stats", "p.review", "--run", run)
    n = one["satisfaction"]["n_auto"]
    assert 0 < n < everything["satisfaction"]["n_auto"]
    assert one["filters"]["run"] == [run]
    assert shell.document("export", "p.review", "one.csv", "--run", run)["rows"] == n
    assert shell.run("export", "p.review", "none.jsonl", "--category", "no such thing") == 2
    assert "No evaluation has the category 'no such thing'; there are: documents" in shell.err


def test_people_can_read_the_figures(shell: Shell) -> None:
    shell.run("demo", "p.review", "--no-open")
    assert shell.run("stats", "p.review") == 0
    assert "accuracy" in shell.out
    assert "Agreement of judge and people" in shell.out
    assert "quadratic kappa" in shell.out
    assert "nan" not in shell.out.lower()
    assert shell.run("runs", "p.review") == 0
    assert "agent v7" in shell.out


def test_a_project_is_copied_while_somebody_labels(shell: Shell) -> None:
    shell.run("demo", "p.review", "--no-open", "--system", "harness")
    with closing(Session.open(Path("p.review"), "ann")) as session:
        key = reading.key_of(session, "assistant 1.3/q-001") or 1
        metric = session.rubric_of(key).labelled_metrics[0]
        entering.commit(session, key, metric.name, metric.key_values[0])
        made = shell.document("backup", "p.review", "copy.review")
        entering.commit(session, key, metric.name, metric.key_values[-1])
    assert made["file"] == "copy.review"
    assert made["bytes"] == Path("copy.review").stat().st_size
    sound = shell.document("doctor", "copy.review")
    assert (sound["ok"], sound["problems"], sound["repaired_from"]) == (True, [], None)
    with closing(Session.open(Path("copy.review"), "ann")) as session:
        assert reading.view(session, key).own[metric.name].value == metric.key_values[0]


def test_a_damaged_project_is_set_aside_for_its_backup(shell: Shell) -> None:
    shell.run("demo", "p.review", "--no-open", "--system", "harness")
    backup = shell.document("backup", "p.review")["file"]
    damage(Path("p.review"))
    assert shell.run("stats", "p.review") == 2
    assert "reviewer doctor" in shell.err
    done = shell.document("doctor", "p.review")
    assert done["ok"]
    assert done["problems"]
    assert done["repaired_from"] == backup
    assert shell.document("stats", "p.review")["metrics"]
    assert list(Path().glob("p.review.broken-*"))


def test_a_damaged_project_without_a_backup_gives_what_can_be_read(shell: Shell) -> None:
    shell.run("demo", "p.review", "--no-open", "--system", "harness")
    before = shell.document("stats", "p.review")["metrics"]
    damage(Path("p.review"))
    done = shell.document("doctor", "p.review")
    assert (done["ok"], done["repaired_from"]) == (True, None)
    assert {x["what"] for x in done["lost"]} == {"rubric", "rubric text"}
    assert "Of settings something may be lost" in shell.err
    after = shell.document("stats", "p.review")["metrics"]
    labelled = {x: y["n_labelled"] for x, y in before.items() if y["n_labelled"]}
    assert {x: after[x]["n_labelled"] for x in labelled} == labelled


def test_of_a_file_without_a_readable_row_nothing_is_touched(shell: Shell) -> None:
    shell.run("demo", "p.review", "--no-open", "--system", "harness")
    file = Path("p.review")
    file.write_bytes(file.read_bytes()[:100] + b"\xff" * 20_000)
    before = file.read_bytes()
    assert not shell.document("doctor", "p.review", code=1)["ok"]
    assert "holds no whole backup" in shell.err
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [None, b"", b"no SQLite at all" * 300])
def test_a_file_without_a_project_is_offered_its_backup(
    shell: Shell, content: bytes | None
) -> None:
    shell.run("demo", "p.review", "--no-open", "--system", "harness")
    backup = shell.document("backup", "p.review")["file"]
    Path("p.review").unlink()
    if content is not None:
        Path("p.review").write_bytes(content)
    offered = shell.document("doctor", "p.review", code=1)
    assert (offered["ok"], offered["offer"], offered["set_aside"]) == (False, backup, None)
    assert "--repair" in shell.err
    assert Path("p.review").exists() is (content is not None)
    done = shell.document("doctor", "p.review", "--repair")
    assert (done["ok"], done["repaired_from"]) == (True, backup)
    assert shell.document("stats", "p.review")["metrics"]
    if content is not None:
        assert Path(done["set_aside"]).read_bytes() == content
    else:
        assert done["set_aside"] is None


@pytest.mark.skipif(sys.platform == "win32", reason="sends an interrupt as a terminal does")
def test_ctrl_c_leaves_nothing_half(shell: Shell) -> None:
    text = lines(
        *({"id": f"r{n}", "input": "q" * 200, "response": "a" * 600} for n in range(60_000))
    )
    Path("many.jsonl").write_text(text, encoding="utf-8")
    shell.run("demo", "p.review", "--no-open", "--system", "harness")
    before = shell.document("runs", "p.review")
    command = [sys.executable, "-m", "reviewer", "import", "p.review", "many.jsonl"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as child:
        wait_until_written(Path("p.review-wal"))
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert len(said.strip().splitlines()) == 1
    assert "Traceback" not in said
    assert shell.document("runs", "p.review") == before
    assert shell.document("doctor", "p.review")["ok"]


def wait_until_written(log: Path) -> None:
    deadline = time.monotonic() + 60
    while not (log.is_file() and log.stat().st_size > 2_000_000):
        assert time.monotonic() < deadline, "the import did not begin"
        time.sleep(0.01)


def test_a_shared_place_is_said_on_standard_error(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shell.run("demo", "p.review", "--no-open") == 0
    monkeypatch.setattr("reviewer.store.connecting.warning", lambda _: "It lies on a share.")
    for command in (["runs"], ["stats"], ["export", "e.jsonl"], ["backup", "b.review"]):
        shell.document(command[0], "p.review", *command[1:])
        assert "It lies on a share." in shell.err
    shell.run("import", "p.review", RESOURCES / "demo" / "guest-response.jsonl")
    assert shell.err.count("It lies on a share.") == 1
    assert not list(shell.folder.glob("*.open"))


def test_a_folder_that_cannot_be_written_is_said(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    assert shell.run("demo", "p.review", "--no-open") == 2
    assert "cannot be written" in shell.err
    assert not list(shell.folder.iterdir())


def test_a_demo_that_fails_leaves_no_file(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([importing.run])

    def run(*given: Any) -> object:
        try:
            return next(answers)(*given)
        except StopIteration:
            raise ProjectError("The disk is full.") from None

    monkeypatch.setattr("reviewer.services.transfer.importing.run", run)
    assert shell.run("demo", "p.review", "--no-open") == 2
    assert not list(shell.folder.iterdir())
