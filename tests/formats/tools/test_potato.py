import json
from pathlib import Path

from tests.formats.tools.reading import read, read_labels

WHY = "It says nothing about the pool, which was asked for."


def test_an_export_gives_labels_for_the_records_of_the_task(tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    rows = [
        {"instance_id": "i1", "user_id": "ada", "spans": {}, "links": {}, "labels": {
            "sentiment": {"positive": "positive"}, "quality": {"scale_1": "1"},
            "topics": {"b": True, "a": "on", "c": False}, "why": {"text_box": WHY}}},
        {"instance_id": "i2", "user_id": "ada", "labels": {"why": {"text_box": WHY}}},
        {"instance_id": "i2", "user_id": "", "labels": {"sentiment": {"Unsure": "Unsure"}}},
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = read_labels(file, "potato")
    assert labels[:3] == [
        {"id": "i1", "metric": "sentiment", "labeler": "ada", "value": "positive", "comment": WHY},
        {"id": "i1", "metric": "quality", "labeler": "ada", "value": 1},
        {"id": "i1", "metric": "topics", "labeler": "ada", "value": "a + b"},
    ]
    assert (labels[3]["kind"], labels[3]["comment"]) == ("comment", WHY)
    assert (labels[4]["labeler"], labels[4]["kind"]) == ("annotator 1", "not_applicable")


def test_the_saved_state_of_an_annotator_opens(tmp_path: Path) -> None:
    state = {
        "user_id": "ada",
        "instance_id_ordering": ["i1", "i2"],
        "instance_id_to_label_to_value": {
            "i1": [[{"schema": "sentiment", "name": "positive"}, "positive"]],
            "i2": {"sentiment": {"labels": {"negative": True}}},
            "i3": None,
        },
    }
    file = tmp_path / "user_state.json"
    file.write_text(json.dumps(state, indent=1))
    assert [(x["id"], x["value"]) for x in read_labels(file, "potato")] == [
        ("i1", "positive"), ("i2", "negative"),
    ]  # fmt: skip


def test_older_lines_have_texts_and_the_folder_names_who_labelled(tmp_path: Path) -> None:
    folder = tmp_path / "ada"
    folder.mkdir()
    row = {"id": "i1", "displayed_text": "The pool is.",
           "label_annotations": {"quality": {"scale_5": "5"}},
           "span_annotations": {"ner": [{"start": 4, "end": 8, "annotation": "THING"}]},
           "behavioral_data": {"time_string": "Time spent: 5s"}}  # fmt: skip
    file = folder / "annotated_instances.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps(row | {"id": "i2"}) + "\n")
    records, bad = read(file, "potato")
    assert not bad
    assert records[0]["response"] == "The pool is."
    assert records[0]["labels"] == [{"metric": "quality", "labeler": "ada", "value": 5}]
    assert records[0]["marks"][0]["note"] == "THING"


def test_an_older_table_has_a_column_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "annotated_instances.tsv"
    file.write_text(
        "user\tinstance_id\tdisplayed_text\tlabel:::Good\tlabel:::Bad\tsure:::scale_5\twhy:::text_box\n"
        f"ada\ti1\tThe pool is.\tlabel:::Good\t\t4\t{WHY}\n"
        "bob\ti1\tThe pool is.\t\tBad\t1\t\n"
    )
    records, bad = read(file, "potato-table")
    assert not bad
    assert [[(x["labeler"], x["metric"], x["value"]) for x in r["labels"]] for r in records] == [
        [("ada", "label", "Good"), ("ada", "sure", 4)],
        [("bob", "label", "Bad"), ("bob", "sure", 1)],
    ]
    assert records[0]["labels"][0]["comment"] == WHY
    assert {record["id"] for record in records} == {"i1"}
