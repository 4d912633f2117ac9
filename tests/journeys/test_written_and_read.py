"""What other tools' formats can carry comes back from them as it was written."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.formats.incoming import Record
from reviewer.services.transfer.file_plans import open_file
from tests.building import build_project, record
from tests.journeys.shell import Shell

Fields = dict[str, Any]
AT = "2026-11-01T00:00:00Z"
CALL = {"id": "k1", "name": "find", "arguments": {"q": "pool"}}
TURNS: list[Fields] = [
    {"role": "user", "content": "Is there a pool?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "yes", "tool_call_id": "k1", "name": "find"},
    {"role": "assistant", "content": "=1+1 is no formula, \u202eand there is."},
]
SCORE = {"metric": "accuracy", "value": 2, "scorer": "judge", "scorer_version": "v3",
         "reasoning": "too, short\nby far"}  # fmt: skip


def label(labeler: str, value: int, **more: object) -> Fields:
    return {"metric": "accuracy", "labeler": labeler, "value": value, "at": AT, **more}


LABELS = [label("ann", 4, comment='fine, "mostly"'), label("bo", 5)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    talk = record(1, scores=[SCORE], messages=TURNS, labels=LABELS, tags=["pool", "spa"])
    del talk["input"], talk["response"]
    plain = record(2, scores=[SCORE], labels=[label("ann", 3)], expected="At nine.")
    return build_project(tmp_path / "p.review", evaluations=[talk, plain])


def read(file: Path, format_name: str) -> list[Fields]:
    opened = open_file(file)
    assert opened.sniffed.format == format_name
    with opened.items() as (_, items):
        found = list(items)
    assert all(isinstance(item, Record) and not item.refused for item in found)
    return [item.fields for item in found if isinstance(item, Record)]


def written(shell: Shell, project: Path, name: str, *words: str) -> Path:
    assert shell.run("export", project, name, *words) == 0, shell.err
    return shell.folder / name


@pytest.mark.parametrize(
    ("name", "words", "format_name"),
    [
        ("a.xlsx", (), "workbook-records"),
        ("a.parquet", (), "parquet-records"),
        ("a.csv", (), "csv"),
        ("set", ("--format", "huggingface"), "parquet-records"),
    ],
)
def test_tables_bring_whole_records_back(
    shell: Shell, project: Path, name: str, words: tuple[str, ...], format_name: str
) -> None:
    lines = written(shell, project, "a.jsonl").read_text().splitlines()
    file = written(shell, project, name, *words)
    parts = sorted((file / "data").glob("*.parquet")) if file.is_dir() else [file]
    back = [fields for part in parts for fields in read(part, format_name)]
    assert sorted(back, key=lambda x: x["id"]) == [json.loads(line) for line in lines]


def test_an_inspect_log_brings_turns_calls_scores_and_labels_back(
    shell: Shell, project: Path
) -> None:
    talk, plain = read(written(shell, project, "a.eval"), "inspect")
    assert talk["messages"] == TURNS
    assert [turn["content"] for turn in plain["messages"]] == [
        record(2)["input"], record(2)["response"],
    ]  # fmt: skip
    assert (plain["expected"], plain["category"]) == ("At nine.", record(2)["category"])
    assert (talk["scores"], talk["labels"]) == ([SCORE], LABELS)
    assert plain["labels"] == [label("ann", 3)]


def test_a_decision_in_an_inspect_log_stays_one(shell: Shell, project: Path) -> None:
    lead = label("lead", 1, kind="adjudication", comment="no")
    (shell.folder / "more.jsonl").write_text(json.dumps({"id": "c-0001", **lead}) + "\n")
    assert shell.run("import", project, "more.jsonl") == 0, shell.err
    talk, _ = read(written(shell, project, "a.eval"), "inspect")
    assert talk["labels"] == [lead]


def test_label_studio_brings_people_values_comments_and_reasons_back(
    shell: Shell, project: Path
) -> None:
    talk, plain = read(written(shell, project, "a.json", "--format", "label-studio"),
                       "label-studio")  # fmt: skip
    assert (talk["labels"], plain["labels"]) == (LABELS, [label("ann", 3)])
    (score,) = plain["scores"]
    assert score == {name: SCORE[name] for name in ("metric", "value", "scorer", "reasoning")}
    assert (plain["input"], plain["response"]) == (record(2)["input"], record(2)["response"])
    assert talk["response"] == TURNS[-1]["content"]


def test_argilla_brings_values_of_both_sides_back(shell: Shell, project: Path) -> None:
    talk, plain = read(written(shell, project, "a.json", "--format", "argilla"), "argilla")
    assert [x["value"] for x in talk["labels"]] == [4, 5]
    assert len({x["labeler"] for x in talk["labels"] + plain["labels"]}) == 2
    assert [(x["value"], x["scorer"]) for x in talk["scores"]] == [(2, "judge")]
    assert plain["response"] == record(2)["response"]


def test_training_chats_bring_their_turns_back(shell: Shell, project: Path) -> None:
    talk, plain = read(written(shell, project, "a.jsonl", "--format", "openai-chat"),
                       "openai-chat")  # fmt: skip
    assert [turn["content"] for turn in talk["messages"]] == [x["content"] for x in TURNS]
    (call,) = talk["messages"][1]["tool_calls"]
    assert (call["id"], call["name"]) == ("k1", "find")
    assert talk["messages"][2]["tool_call_id"] == "k1"
    assert plain["messages"][-1] == {"role": "assistant", "content": record(2)["response"]}


def test_rubric_data_brings_its_parts_back(shell: Shell, project: Path) -> None:
    (found,) = read(written(shell, project, "a.json", "--format", "prometheus"), "prometheus")
    assert (found["input"], found["response"]) == (record(2)["input"], record(2)["response"])
    assert (found["expected"], found["scores"][0]["value"]) == ("At nine.", 3)
