"""Exports of the demo are read by the libraries they are for, and what these write is read."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-tools" / "bin" / "python"
pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason="no .venv-tools: packaging/test.sh makes it"
)
RUN = "2026-11-18 agent v7"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.review"
    assert main(["demo", str(path), "--no-open"]) == 0
    return path


def exported(demo: Path, name: str, *words: str) -> str:
    to = demo.parent / name
    assert main(["export", str(demo), str(to), *words]) == 0
    return str(to)


def read(kind: str, path: str, home: Path) -> Any:
    script = Path(__file__).with_name("tools_process.py")
    quiet = {"HF_HOME": str(home / "hub"), "HF_HUB_OFFLINE": "1", "HOME": str(home)}
    made = subprocess.run(
        [str(PYTHON), str(script), kind, path],
        env={**os.environ, **quiet},
        capture_output=True,
        check=False,
        text=True,
    )
    assert made.returncode == 0, made.stderr[-2000:]
    return json.loads(made.stdout.splitlines()[-1])


def test_inspect_reads_its_log_with_people_as_authors_of_edits(demo: Path, tmp_path: Path) -> None:
    found = read("inspect_log", exported(demo, "run.eval", "--run", RUN), tmp_path)
    assert (found["status"], found["summaries"], len(found["scores"])) == ("success", 73, 73)
    authors = {x for one in found["scores"].values() for _, some in one.values() for x in some}
    assert {None, "labeler 1", "labeler 2"} <= authors


def test_the_data_set_opens_with_its_splits_and_features(demo: Path, tmp_path: Path) -> None:
    words = ("--format", "huggingface", "--split", "7")
    found = read("data_set", exported(demo, "set", *words), tmp_path)
    assert set(found) == {"train", "validation", "test"}
    assert sum(x["rows"] for x in found.values()) == 158
    assert "labels" in found["test"]["columns"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("labels.jsonl", ("--what", "labels")),
        ("labels.csv", ("--what", "labels", "--fields", "input,response")),
        ("labels.parquet", ("--what", "labels")),
        ("evaluations.parquet", ()),
        ("chats.jsonl", ("--format", "openai-chat")),
        ("judge.jsonl", ("--format", "openai-judge")),
        ("pairs.jsonl", ("--format", "preferences")),
        ("rubric.json", ("--format", "prometheus")),
    ],
)
def test_data_files_open(demo: Path, tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    found = read("data_files", exported(demo, name, *words), tmp_path)
    assert found["rows"] > 0


def test_label_studio_finds_that_every_entry_fits_the_interface(
    demo: Path, tmp_path: Path
) -> None:
    words = ("--format", "label-studio", "--run", RUN)
    found = read("label_studio", exported(demo, "tasks.json", *words), tmp_path)
    assert found["tasks"] == 73
    assert found["fitting"] == found["entries"] > 73


def test_argilla_makes_records_of_them(demo: Path, tmp_path: Path) -> None:
    found = read("argilla", exported(demo, "records.json", "--format", "argilla"), tmp_path)
    assert found["records"] == 158
    assert found["responses"] > 100
    assert found["suggestions"] > 100


def records(file: str, folder: Path) -> list[dict[str, Any]]:
    project, to = folder / "p.review", folder / "back.jsonl"
    assert main(["import", str(project), file]) == 0
    assert main(["export", str(project), str(to)]) == 0
    return [json.loads(line) for line in to.read_text().splitlines()]


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_a_log_that_inspect_writes_comes_whole(tmp_path: Path, name: str) -> None:
    file = str(tmp_path / name)
    assert read("write_log", file, tmp_path) == 5
    found = records(file, tmp_path)
    assert [record["id"] for record in found] == ["0", "1", "2", "3", "4"]
    assert {record["run"] for record in found} == {"buses m/one 2026-01-02 03:04:05"}
    told = [{x["metric"]: x["value"] for x in record["scores"]} for record in found]
    assert told == [{"match": (n + 1) % 2, "style.tone": 0.5, "style.length": n} for n in range(5)]
    assert [record["messages"][1]["content"] for record in found[:2]] == ["Answer 0.", "Answer 1."]
    assert [record["tokens_out"] for record in found[1:]] == [1, 2, 3, 4]
    (label,) = found[1]["labels"]
    assert (label["labeler"], label["value"], label["comment"]) == ("ann", 1, "it is right")


@pytest.mark.parametrize("name", ["set.parquet", "set.csv", "set.jsonl"])
def test_a_data_set_that_datasets_writes_keeps_its_sides(tmp_path: Path, name: str) -> None:
    file = str(tmp_path / name)
    assert read("write_data_set", file, tmp_path)
    found = records(file, tmp_path)
    assert len(found) == 20
    assert [one["value"] for one in found[1]["scores"]] == [2]
    assert [one["value"] for one in found[1]["labels"]] == [4]


def labels_of(found: list[dict[str, Any]]) -> int:
    """Count what stands in rows, too: decisions do not."""
    labels = [label for record in found for label in record.get("labels", ())]
    return sum(label.get("kind") != "adjudication" for label in labels)


def test_rows_that_label_studio_converts_have_the_labels_of_its_tasks(
    demo: Path, tmp_path: Path
) -> None:
    tasks = exported(demo, "whole.json", "--format", "label-studio", "--run", RUN)
    given = labels_of(records(tasks, tmp_path))
    converted = read("convert_tasks", tasks, tmp_path)
    assert [Path(file).suffix for file in converted] == [".csv", ".json"]
    for number, file in enumerate(converted):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = records(file, folder)
        assert (len(found), labels_of(found)) == (73, given)
