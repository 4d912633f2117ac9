import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.samples import PLAIN
from tests.formats.tools.reading import read

ROW: dict[str, Any] = json.loads(PLAIN["mlflow"][1].splitlines()[0])


def written(folder: Path, *rows: dict[str, Any], name: str = "traces.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def assessed(*assessments: dict[str, Any], **more: object) -> dict[str, Any]:
    return ROW | {"assessments": list(assessments)} | more


def assessment(kind: str, who: str | None = "x", **more: object) -> dict[str, Any]:
    return {"assessment_name": "tone", "source": {"source_type": kind, "source_id": who},
            "feedback": {"value": 3}, **more}  # fmt: skip


def test_each_assessment_is_on_the_side_of_its_source(tmp_path: Path) -> None:
    (record, *_), bad = read(written(tmp_path, ROW, ROW | {"trace_id": "2"}), "mlflow")
    assert not bad
    assert record["labels"] == [
        {"metric": "tone", "labeler": "ann", "value": 3.0, "comment": "Fits.",
         "at": "2026-11-27T18:50:40.257Z"},
    ]  # fmt: skip
    (score,) = record["scores"]
    assert (score["value"], score["scorer"], score["reasoning"]) == (4.0, "openai:/m", "Fits.")
    assert [(x["role"], x["content"]) for x in record["messages"]] == [
        ("user", "Is it heated?"), ("assistant", "Yes."),
    ]  # fmt: skip
    assert (record["tokens_in"], record["tokens_out"], record["cost_usd"]) == (12, 5, 0.25)
    assert (record["latency_ms"], record["model"], record["cluster"]) == (99, "m", "s1")
    assert record["meta"]["team"] == "a"


@pytest.mark.parametrize(
    "one",
    [
        assessment("SOURCE_TYPE_UNSPECIFIED"),
        assessment("HUMAN", valid=False),
        {"assessment_name": "facts", "expectation": {"value": ["a"]}, "source": {}},
    ],
)
def test_what_is_of_nobody_or_no_opinion_stays_beside(tmp_path: Path, one: dict[str, Any]) -> None:
    (record,), bad = read(written(tmp_path, assessed(one)), "mlflow")
    assert not bad
    assert record["meta"]["assessments"] == [one]
    assert not record.keys() & {"labels", "scores", "expected"}


def test_an_expected_response_is_expected_and_a_failed_judge_an_error(tmp_path: Path) -> None:
    wanted = {"assessment_name": "expected_response", "expectation": {"value": "Yes."}}
    failed = assessment("LLM_JUDGE", feedback={"error": {"error_message": "no line"}})
    (record,), _ = read(written(tmp_path, assessed(wanted, failed)), "mlflow")
    assert record["expected"] == "Yes."
    assert (record["scores"][0]["value"], record["scores"][0]["error"]) == (None, "no line")


def test_columns_of_an_evaluation_repeat_assessments_and_tell_yes_from_one(tmp_path: Path) -> None:
    row = assessed(assessment("CODE", feedback={"value": 1.0}),
                   **{"tone/value": True, "tone/rationale": "x", "mine": "kept"})  # fmt: skip
    (record,), _ = read(written(tmp_path, row), "mlflow")
    assert record["scores"][0]["value"] is True
    assert record["meta"]["mine"] == "kept"
    assert not record["meta"].keys() & {"tone/value", "tone/rationale"}


def test_a_tool_that_a_program_called_stands_behind_the_question(tmp_path: Path) -> None:
    tool = {"span_id": "b", "name": "look", "start_time_unix_nano": 1795805436000000000,
            "attributes": {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"at": "pool"}',
                           "mlflow.spanOutputs": '"30"'}}  # fmt: skip
    (record,), _ = read(written(tmp_path, ROW | {"spans": [tool, *ROW["spans"]]}), "mlflow")
    assert [turn["role"] for turn in record["messages"]] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip


def test_a_trace_of_json_is_read_as_well(tmp_path: Path) -> None:
    info = {key: ROW[key] for key in ("trace_id", "assessments", "tags", "trace_metadata")}
    info |= {"trace_location": {}, "request_preview": "Q?", "response_preview": "A."}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"info": info, "data": {"spans": ROW["spans"]}}, indent=1))
    (record,), bad = read(path, "mlflow")
    assert not bad
    assert [x["labeler"] for x in record["labels"]] == ["ann"]


def test_rows_of_another_kind_are_told(tmp_path: Path) -> None:
    path = written(tmp_path, *[ROW] * 60, ROW | {"spans": [{"attributes": 7}], "tags": "no"})
    with path.open("a") as out:
        out.write("7\n")
    records, bad = read(path, "mlflow")
    assert len(records) == 61
    assert bad[0].reason == "a trace is expected: an object"
