import csv
import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.formats.sniffing import sniff
from tests.formats.tools.reading import DATA, read, real

FOLDER = "HumanSignal+label-studio-sdk/tests/custom/converter/data"
SENTENCE = "It is stated on the page."


def result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "a", "type": kind, "value": value}


def annotation(number: int, who: object, results: list[Any], **more: object) -> dict[str, Any]:
    times = {"created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:05:05Z"}
    return {"id": number, "completed_by": who, "result": results, "lead_time": 12.5,
            **times, **more}  # fmt: skip


ANSWERS = [
    result("sentiment", "choices", {"choices": ["Positive"]}),
    result("topics", "choices", {"choices": ["y", "x"]}),
    result("quality", "rating", {"rating": 4}),
    result("share", "number", {"number": 0.5}),
    result("why", "textarea", {"text": [SENTENCE]}),
    result("tax", "taxonomy", {"taxonomy": [["A", "B"]]}),
    result("ner", "labels", {"start": 4, "end": 8, "text": "pool", "labels": ["THING"]}),
]


def task(annotations: list[Any], **more: object) -> dict[str, Any]:
    data = {"question": "Is it heated?", "answer": "The pool is.", "length": 3}
    return {"id": 5, "data": data, "annotations": annotations, **more}


def written(file: Path, tasks: object) -> Path:
    file.write_text(json.dumps(tasks))
    return file


def values(record: dict[str, Any]) -> dict[tuple[str, str], object]:
    return {(x["metric"], x["labeler"]): x["value"] for x in record["labels"]}


@pytest.mark.parametrize("name", ["csv_test.json", "csv_test_history.json"])
def test_real_tasks_have_their_annotators_and_predictions(name: str) -> None:
    expected = json.loads((DATA / "expectations.json").read_text()) if DATA.exists() else {}
    records, bad = read(real(f"{FOLDER}/test_export_csv/{name}"), "label-studio")
    known = expected[f"{FOLDER}/test_export_csv/{name}"]
    assert not bad
    assert len(records) == known["tasks"]
    labels = [label for record in records for label in record["labels"]]
    assert len(labels) == known["annotations"]
    assert {label["labeler"] for label in labels} == set(known["completed_by"])
    assert all(label["seconds"] > 0 and label["at"] for label in labels)
    scores = [score for record in records for score in record.get("scores", ())]
    assert len(scores) == known["predictions"]
    assert {score["scorer"] for score in scores} <= {"model 0"}


def test_a_real_conversation_is_what_was_held_in_the_task() -> None:
    records, bad = read(real(f"{FOLDER}/test_export_json_min/chat_data.json"), "label-studio")
    assert not bad
    assert [turn["role"] for turn in records[0]["messages"]] == ["user", "assistant"] * 2
    assert records[0]["messages"][0]["at"].startswith("2025-10-28T04:45:17")
    assert records[0]["context"].startswith("Crisis Check-In")
    assert records[0]["case"] == "226650350"


def test_every_kind_of_answer_is_a_label_of_its_annotator(tmp_path: Path) -> None:
    people = [annotation(1, 7, ANSWERS), annotation(2, {"id": 8, "email": "b@x.org"}, ANSWERS)]
    file = written(tmp_path / "tasks.json", [task(people, agreement=100)])
    (record,), bad = read(file, "label-studio")
    assert not bad
    assert (record["id"], record["input"]) == ("5", "Is it heated?")
    assert record["response"] == "The pool is."
    for labeler in ("annotator 7", "b@x.org"):
        told = {name: value for (name, who), value in values(record).items() if who == labeler}
        assert told == {
            "sentiment": "Positive", "topics": "x + y", "quality": 4, "share": 0.5,
            "tax": "A / B", "ner": "THING",
        }  # fmt: skip
    first, second, *_ = record["labels"]
    assert (first["comment"], first["seconds"]) == (SENTENCE, 12.5)
    assert "seconds" not in second
    assert record["marks"][0] == {
        "kind": "highlight", "labeler": "annotator 7", "start": 4, "end": 8, "note": "THING",
        "at": "2026-01-02T03:05:05Z",
    }  # fmt: skip
    assert record["meta"] == {"length": 3, "task": {"agreement": 100}}


def test_skips_decisions_rejections_and_predictions_are_told(tmp_path: Path) -> None:
    review = {"accepted": False, "created_by": 3, "created_at": "2026-01-03T00:00:00Z"}
    choice = result("sentiment", "choices", {"choices": ["Unsure"]})
    prediction = {"model_version": "m1", "score": 0.7, "result": [
        result("quality", "rating", {"rating": 2}), result("why", "textarea", {"text": ["Bad."]}),
    ]}  # fmt: skip
    file = written(
        tmp_path / "tasks.json",
        [
            task(
                [
                    annotation(1, 1, ANSWERS[2:3], ground_truth=True),
                    annotation(2, None, ANSWERS[:1], was_cancelled=True),
                    annotation(3, 4, [choice], reviews=[review]),
                    annotation(4, 9, ANSWERS[4:5]),
                ],
                predictions=[prediction, {"result": [], "model_version": None}],
            )
        ],
    )
    (record,), bad = read(file, "label-studio")
    assert not bad
    assert [(x["labeler"], x["value"], x.get("kind")) for x in record["labels"]] == [
        ("annotator 1", 4, None),
        ("annotator 1", 4, "adjudication"),
        ("annotator 4", None, "not_applicable"),
    ]
    assert record["labels"][2]["comment"] == "Unsure"
    assert [(x["kind"], x["labeler"]) for x in record["marks"]] == [
        ("skip", "annotator 2"),
        ("flag", "reviewer 3"),
    ]
    (score,) = record["scores"]
    assert (score["scorer"], score["value"], score["confidence"]) == ("m1", 2, 0.7)
    assert score["reasoning"] == "Bad."
    kept = {entry["id"]: entry for entry in record["meta"]["annotations"]}
    assert kept[2]["answers"] == {"sentiment": "Positive"}
    assert kept[4]["remarks"] == {"why": SENTENCE}


def test_a_ground_truth_without_an_answer_is_told(tmp_path: Path) -> None:
    region = result("box", "rectangle", {"x": 1, "y": 2})
    people = [annotation(1, 7, [region], ground_truth=True), annotation(2, 8, [region])]
    (record,), _ = read(written(tmp_path / "tasks.json", [task(people)]), "label-studio")
    assert [x.get("ground_truth") for x in record["meta"]["annotations"]] == [True, None]


def row(**more: object) -> dict[str, Any]:
    """Write an annotation as the converter of the tool's library does."""
    return {"question": "Is it heated?", "answer": "The pool is.", "judge_score": 3, "id": 5,
            "sentiment": "Positive", "topics": {"choices": ["x", "y"]}, "quality": [{"rating": 4}],
            "why": SENTENCE, "annotator": 7, "annotation_id": 10, "lead_time": 12.5,
            "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:05:05Z",
            **more}  # fmt: skip


OTHER = row(sentiment="Negative", topics="x", quality=[{"rating": 2}], why="No, it says so.",
            annotator="b@x.org", annotation_id=11)  # fmt: skip


def test_short_rows_of_json_tell_data_and_answers_apart(tmp_path: Path) -> None:
    file = written(tmp_path / "min.json", [row(), OTHER])
    records, bad = read(file, "label-studio-min")
    assert not bad
    assert [record["id"] for record in records] == ["5", "5"]
    assert values(records[0]) == {
        ("sentiment", "annotator 7"): "Positive",
        ("topics", "annotator 7"): "x + y",
        ("quality", "annotator 7"): 4,
    }
    assert records[0]["labels"][0]["comment"] == SENTENCE
    assert values(records[1])["quality", "b@x.org"] == 2
    assert records[0]["meta"] == {"judge_score": 3}


def test_rows_of_a_csv_are_read_like_those_of_json(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    with file.open("w", newline="") as target:
        writer = csv.DictWriter(target, sorted(row()), quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        for one in (row(), OTHER):
            writer.writerow(
                {key: x if isinstance(x, str | int | float) else json.dumps(x)
                 for key, x in one.items()}
            )  # fmt: skip
    records, bad = read(file, "label-studio-min")
    assert not bad
    assert values(records[0]) == {
        ("quality", "annotator 7"): 4,
        ("sentiment", "annotator 7"): "Positive",
        ("topics", "annotator 7"): "x + y",
    }
    assert records[1]["labels"][0]["comment"] == "No, it says so."
    assert records[0]["input"] == records[1]["input"] == "Is it heated?"
    assert records[0]["meta"] == records[1]["meta"]


NUMBERED = """id,question,response,price,grade,annotator,annotation_id,lead_time
1,Where?,There.,9,4,ann,11,2.5
"""


def test_rows_without_annotation_show_which_columns_are_answers(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(NUMBERED + "2,When?,Then.,8,,,,\n")
    records, _ = read(file, "label-studio-min")
    (label,) = records[0]["labels"]
    assert (label["metric"], label["value"]) == ("grade", 4)
    assert "labels" not in records[1]
    assert [record["meta"]["price"] for record in records] == ["9", "8"]
    assert sniff(file).sentences == ()


def test_numbers_that_may_be_answers_are_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(NUMBERED)
    (record,), _ = read(file, "label-studio-min")
    assert "labels" not in record
    assert "price, grade may be data or answers" in sniff(file).sentences[0]


def test_an_annotation_that_holds_its_task_and_a_single_task_open(tmp_path: Path) -> None:
    one = annotation(1, 7, ANSWERS[:1]) | {"task": {"id": 5, "data": {"text": "Hello there"}}}
    for number, content in enumerate((one, task([annotation(1, 7, ANSWERS[:1])]))):
        (record,), bad = read(written(tmp_path / f"{number}.json", content), "label-studio")
        assert not bad
        assert values(record) == {("sentiment", "annotator 7"): "Positive"}


def test_what_is_missing_or_null_makes_a_poorer_record(tmp_path: Path) -> None:
    bare = task([{"result": [{"value": {"choices": ["a"]}}, {"value": None}, None]}, None])
    other = {"data": {}, "annotations": 1}
    records, bad = read(written(tmp_path / "t.json", [bare] * 60 + [other]), "label-studio")
    assert values(records[0]) == {("label", "annotator 1"): "a"}
    assert [one.reason for one in bad] == ["a task with data and annotations is expected"]
