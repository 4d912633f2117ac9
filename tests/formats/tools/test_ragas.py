import json
from collections import Counter
from pathlib import Path

import pytest

from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import means, read, real

ANNOTATED = "explodinggradients+ragas/docs/_static/annotated_data.json"
EDITED = "explodinggradients+ragas/docs/_static/edited_chain_runs.json"


def test_real_annotations_have_the_judge_s_side_and_a_person_s() -> None:
    records, bad = read(real(ANNOTATED), "ragas")
    assert not bad
    assert len(records) == 21
    assert means(records) == {"helpfulness": (21, 9 / 21)}
    assert all("reasoning" in record["scores"][0] for record in records)
    assert Counter("labels" in record for record in records) == {True: 16, False: 5}
    assert {x.name: x.scale for x in open_file(real(ANNOTATED)).declared()} == {
        "helpfulness": "binary"
    }


def test_what_a_real_person_edited_differs_from_the_judge() -> None:
    records, _ = read(real(EDITED), "ragas")
    sides = Counter((x["scores"][0]["value"], x["labels"][0]["value"]) for x in records)
    assert sides == {(1, 1): 12, (0, 0): 4, (1, 0): 1, (0, 1): 1}
    edited = [record for record in records if "comment" in record["labels"][0]]
    assert len(edited) == 6
    assert all(record["expected"] for record in records)


def test_results_become_scores_and_retrieved_texts_sources(tmp_path: Path) -> None:
    file = tmp_path / "scores.jsonl"
    rows = [
        {"user_input": "?", "response": "!", "retrieved_contexts": ["a", "b"], "reference": "!",
         "faithfulness": 0.5, "my_own": 0.25, "query_style": "x"},
        {"question": "?", "answer": "!", "contexts": ["a"], "ground_truth": "!",
         "faithfulness": None},
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    records, bad = read(file, "ragas")
    assert not bad
    first, second = records
    assert {x["metric"]: x["value"] for x in first["scores"]} == {
        "faithfulness": 0.5, "my_own": 0.25
    }  # fmt: skip
    assert first["sources"] == [{"id": "1", "text": "a"}, {"id": "2", "text": "b"}]
    assert first["meta"] == {"query_style": "x"}
    assert second["scores"][0]["error"] == "no value was given"
    assert (second["input"], second["response"], second["expected"]) == ("?", "!", "!")


SINGLE = {"user_input": "Q?", "retrieved_contexts": ["c", "d"], "response": "A", "reference": "R"}


def format_of(folder: Path, *rows: object) -> str:
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return open_file(file).sniffed.format


def test_results_of_metrics_without_a_model_are_recognised(tmp_path: Path) -> None:
    values = {"non_llm_string_similarity": 0.875, "exact_match": 0.0, "string_present": 1.0}
    file = tmp_path / "single.jsonl"
    file.write_text(json.dumps(SINGLE | values) + "\n" + json.dumps(SINGLE | values) + "\n")
    records, bad = read(file, "ragas")
    assert not bad
    assert {x["metric"]: x["value"] for x in records[0]["scores"]} == values


def test_results_of_conversations_have_their_turns_and_calls(tmp_path: Path) -> None:
    row = {
        "user_input": [
            {"content": "hi", "type": "human"},
            {"content": "let me", "type": "ai", "tool_calls": [{"name": "f", "args": {"x": 1}}]},
            {"content": "res", "type": "tool"},
            {"content": "done", "type": "ai"},
        ],
        "reference": "done",
        "reference_tool_calls": [{"name": "f", "args": {"x": 0}}],
        "tool_call_accuracy": 0.0,
    }
    file = tmp_path / "multi.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n")
    records, bad = read(file, "ragas")
    assert not bad
    turns = records[0]["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert turns[1]["tool_calls"] == [{"name": "f", "arguments": {"x": 1}}]
    assert (records[0]["expected"], records[0]["scores"][0]["value"]) == ("done", 0.0)
    assert records[0]["meta"] == {"reference_tool_calls": row["reference_tool_calls"]}


@pytest.mark.parametrize(
    "other",
    [
        {"human_rating": 4},
        {"human_rating": 0.5},
        {"rating": 1.0},
        {"annotator": "ann"},
        {"latency_s": 0.2},
        {"toxicity": 1},
        {"note": "too long"},
    ],
)
def test_results_to_which_somebody_added_columns_are_asked_for(
    tmp_path: Path, other: dict[str, object]
) -> None:
    row = SINGLE | {"faithfulness": 0.5}
    assert format_of(tmp_path, row, row) == "ragas"
    assert format_of(tmp_path, row, row | other) == "json"


def test_annotations_of_nulls_and_a_cut_file_are_told(tmp_path: Path) -> None:
    row = {"metric_input": {"user_input": [{"type": "human", "content": "?"}], "response": "!"},
           "metric_output": 0.5, "prompts": None, "is_accepted": None}  # fmt: skip
    nulls = dict.fromkeys(row) | {"metric_input": None, "metric_output": None}
    file = tmp_path / "annotations.json"
    file.write_text(json.dumps({"tone": [row, nulls, 5, row]})[:-20])
    records, bad = read(file, "ragas")
    assert [turn["role"] for turn in records[0]["messages"]] == ["user"]
    assert len(records) == 1
    assert len(bad) == 3
