import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.services.transfer.file_plans import open_file
from tests.formats.samples import PLAIN
from tests.formats.tools.reading import read

ROW: dict[str, Any] = json.loads(PLAIN["inspect-table"][1].splitlines()[0])


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "samples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_row_is_read_as_the_sample_of_a_log(tmp_path: Path) -> None:
    file = written(tmp_path, ROW, ROW | {"id": "8", "score_match": "I"})
    (record, other), bad = read(file, "inspect-table")
    assert not bad
    assert (record["id"], record["run"], record["expected"]) == ("7", "pool", "Yes")
    assert [(x["role"], x["content"]) for x in record["messages"]] == [
        ("user", "Is it heated?"), ("assistant", "I look."), ("tool", "30 °C"),
        ("assistant", "Yes."),
    ]  # fmt: skip
    assert record["messages"][1]["tool_calls"] == [{"name": "look", "arguments": "at: pool"}]
    (score,) = record["scores"]
    assert (score["metric"], score["value"], score["reasoning"]) == ("match", 1, "Fits.")
    assert (score["meta"]["verdict"], score["meta"]["answer"]) == ("C", "Yes")
    assert other["scores"][0]["value"] == 0
    assert (record["tokens_in"], record["tokens_out"], record["latency_ms"]) == (12, 5, 1500.0)
    assert record["meta"]["metadata"] == {"subject": "pools"}
    assert open_file(file).sniffed.sentences == ()
    (metric,) = open_file(file).declared()
    assert [level.value for level in metric.levels] == [0, 1]


def test_epochs_are_evaluations_of_their_own(tmp_path: Path) -> None:
    rows = [ROW | {"epoch": n, "created": "2026-01-02T03:04:05+00:00", "model": "m"}
            for n in (1, 2)]  # fmt: skip
    records, _ = read(written(tmp_path, *rows), "inspect-table")
    assert [x["id"] for x in records] == ["7_epoch_1", "7_epoch_2"]
    assert {x["run"] for x in records} == {"pool m 2026-01-02 03:04:05"}


def test_a_table_without_messages_says_so(tmp_path: Path) -> None:
    file = written(tmp_path, {key: x for key, x in ROW.items() if key != "messages"})
    (record,), _ = read(file, "inspect-table")
    assert [x["role"] for x in record["messages"]] == ["user"]
    (said,) = open_file(file).sniffed.sentences
    assert "the answers are missing" in said


@pytest.mark.parametrize("given", [{"score_match": {"a": 1}}, {"messages": 7}, {"input": None}])
def test_what_is_of_another_kind_makes_a_poorer_record(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    records, bad = read(written(tmp_path, *[ROW] * 60, ROW | given), "inspect-table")
    assert len(records) + len(bad) == 61
