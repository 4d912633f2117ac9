import json
from pathlib import Path
from typing import Any

from tests.formats.tools.reading import read, real

EXAMPLES = "doccano+doccano/backend/data_export/pipeline/examples"


def written(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_real_classes_are_labels_of_nobody_named() -> None:
    records, bad = read(real(f"{EXAMPLES}/text_classification/example.jsonl"), "doccano")
    assert not bad
    assert [record["labels"][0]["value"] for record in records] == [
        "negative", "positive", "positive",
    ]  # fmt: skip
    assert {label["labeler"] for x in records for label in x["labels"]} == {"annotator 1"}


def test_real_translations_are_what_was_expected() -> None:
    records, bad = read(real(f"{EXAMPLES}/sequence_to_sequence/example.jsonl"), "doccano")
    assert not bad
    assert [record["expected"] for record in records][1] == "おはようございます。"
    assert not any("labels" in record for record in records)


def test_entities_are_highlights_and_several_classes_one_answer(tmp_path: Path) -> None:
    entity = {"id": 3, "label": "ORG", "start_offset": 0, "end_offset": 2}
    file = written(
        tmp_path / "all.jsonl",
        {"id": 1, "text": "EU rejects it", "label": [[0, 2, "ORG"]], "Comments": ["unclear"]},
        {"id": 2, "text": "EU rejects it", "entities": [entity], "relations": [{"id": 1}]},
        {"id": 3, "text": "EU rejects it", "label": ["b", "a"], "meta": {"page": 4}},
        {"id": 4, "text": "EU rejects it", "label": []},
        {"id": 5, "text": "EU rejects it", "label": ["a", "b"]},
    )
    records, bad = read(file, "doccano")
    assert not bad
    mark = {"kind": "highlight", "labeler": "annotator 1", "start": 0, "end": 2, "note": "ORG"}
    assert records[0]["marks"] == records[1]["marks"] == [mark]
    assert records[0]["labels"][0]["comment"] == "unclear"
    assert records[1]["meta"] == {"relations": [{"id": 1}]}
    assert (records[2]["labels"][0]["value"], records[2]["meta"]) == ("a + b", {"page": 4})
    assert "labels" not in records[3]


def test_a_line_of_another_kind_is_told(tmp_path: Path) -> None:
    good = {"text": "a", "label": ["x"]}
    file = written(tmp_path / "all.jsonl", *[good] * 60, {"text": "a", "label": 3})
    records, bad = read(file, "doccano")
    assert len(records) == 60
    assert [(one.line, one.reason) for one in bad] == [
        (61, "an object with text and a list of labels is expected")
    ]


def test_ids_may_count_from_zero(tmp_path: Path) -> None:
    rows = [{"id": n, "text": "a", "label": ["x"]} for n in range(3)]
    records, bad = read(written(tmp_path / "all.jsonl", *rows), "doccano")
    assert not bad
    assert [record["id"] for record in records] == ["0", "1", "2"]
