import json
from pathlib import Path
from typing import Any

from tests.formats.tools.reading import read

REASON = "It says nothing about the pool, which was asked for."


def record(**more: object) -> dict[str, Any]:
    """Write a record as version 2 does."""
    return {
        "id": "r1",
        "fields": {"prompt": "Is it heated?", "response": "Perhaps."},
        "metadata": {"source": "mail"},
        "suggestions": {"quality": {"value": 2, "score": 0.9, "agent": "judge-1"}},
        "responses": {
            "quality": [{"value": 4, "user_id": "u1"}, {"value": 5, "user_id": "u2"}],
            "topics": [{"value": ["b", "a"], "user_id": "u1"}],
            "why": [{"value": REASON, "user_id": "u1"}],
        },
        "vectors": {"v": [0.1]},
        "status": "completed",
        "_server_id": "77",
        **more,
    }


def test_responses_are_labels_and_suggestions_auto_scores(tmp_path: Path) -> None:
    file = tmp_path / "records.json"
    file.write_text(json.dumps([record()]))
    (found,), bad = read(file, "argilla")
    assert not bad
    assert (found["id"], found["input"], found["response"]) == ("r1", "Is it heated?", "Perhaps.")
    assert found["labels"] == [
        {"metric": "quality", "labeler": "u1", "value": 4, "comment": REASON},
        {"metric": "topics", "labeler": "u1", "value": "a + b"},
        {"metric": "quality", "labeler": "u2", "value": 5},
    ]
    assert found["scores"] == [
        {"metric": "quality", "value": 2, "scorer": "judge-1", "confidence": 0.9}
    ]
    assert found["meta"] == {"source": "mail", "status": "completed", "_server_id": "77"}


def test_the_first_version_has_states_and_rankings(tmp_path: Path) -> None:
    ranking = [{"value": "a", "rank": 2}, {"value": "b", "rank": 1}, {"value": "c", "rank": 2}]
    responses = [
        {"user_id": "u1", "status": "submitted", "values": {"rank": {"value": ranking}},
         "updated_at": "2026-01-01T00:00:00"},
        {"user_id": "u2", "status": "draft", "values": {"label": {"value": "no"}}},
        {"user_id": "u3", "status": "discarded", "values": None},
        {"user_id": None, "status": "submitted", "values": {"label": {"value": "Not applicable"}}},
    ]  # fmt: skip
    suggestions = [
        {"question_name": "label", "value": "yes", "type": "model", "agent": None, "score": 12},
        {"question_name": "label", "value": "no", "type": "human", "agent": "Ada"},
    ]
    row = {"fields": {"text": "Hi"}, "responses": responses, "suggestions": suggestions,
           "external_id": "x-1"}  # fmt: skip
    file = tmp_path / "feedback.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps(row | {"external_id": "x-2"}) + "\n")
    (found, _), bad = read(file, "argilla")
    assert not bad
    assert found["id"] == "x-1"
    assert [(x["metric"], x["labeler"], x["value"]) for x in found["labels"]] == [
        ("rank", "u1", "b > a = c"),
        ("label", "annotator 4", None),
        ("label", "Ada", "no"),
    ]
    assert found["labels"][1]["kind"] == "not_applicable"
    assert found["marks"] == [{"kind": "skip", "labeler": "u3"}]
    assert [draft["value"] for draft in found["meta"]["drafts"]] == ["no"]
    (score,) = found["scores"]
    assert (score["scorer"], score["value"], score["meta"]) == ("suggestion", "yes", {"score": 12})


def test_flattened_and_column_forms_say_the_same(tmp_path: Path) -> None:
    flat = {"id": "r1", "prompt": "Is it heated?", "response": "Perhaps.",
            "quality.responses": [4], "quality.responses.users": ["u1"],
            "quality.responses.status": ["submitted"], "quality.suggestion": 2,
            "quality.suggestion.agent": "judge-1", "quality.suggestion.score": None}  # fmt: skip
    columns = {"id": "r1", "prompt": "Is it heated?", "response": "Perhaps.",
               "quality": [{"user_id": "u1", "value": 4, "status": "submitted"}],
               "quality-suggestion": 2, "quality-suggestion-metadata": {"agent": "judge-1"},
    }  # fmt: skip
    for number, row in enumerate((flat, columns)):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps([row]))
        (found,), bad = read(file, "argilla")
        assert not bad
        assert found["labels"] == [{"metric": "quality", "labeler": "u1", "value": 4}]
        assert found["scores"] == [{"metric": "quality", "value": 2, "scorer": "judge-1"}]
        assert (found["input"], found["response"]) == ("Is it heated?", "Perhaps.")


def test_older_classifications_have_one_annotator(tmp_path: Path) -> None:
    row = {"id": 1, "text": "Great", "prediction": [["neg", 0.8], ["pos", 0.2]],
           "prediction_agent": "model a", "annotation": "pos", "annotation_agent": "ada",
           "status": "Validated"}  # fmt: skip
    file = tmp_path / "old.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps(row | {"annotation": None}) + "\n")
    (found, other), bad = read(file, "argilla")
    assert not bad
    assert found["labels"] == [{"metric": "label", "labeler": "ada", "value": "pos"}]
    assert found["scores"][0]["value"] == "neg"
    assert found["scores"][0]["confidence"] == 0.8
    assert "labels" not in other
    assert found["meta"]["prediction"] == [["neg", 0.8], ["pos", 0.2]]


def test_a_record_of_another_kind_is_told_and_nulls_are_none(tmp_path: Path) -> None:
    empty = record(responses=None, suggestions=None, metadata=None)
    file = tmp_path / "records.json"
    file.write_text(json.dumps([record()] * 60 + [{"a": 1}, empty, record(id=None)]))
    records, bad = read(file, "argilla")
    assert [one.reason for one in bad] == [
        "a record with fields, responses and suggestions is expected"
    ]
    assert "labels" not in records[60]
    assert records[61]["id"] == "77"
