import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import BadRow, Incoming, LabelRow, Record
from reviewer.formats.mapping import mapping_of
from reviewer.formats.sniffing import sniff
from reviewer.formats.streams import open_stream
from reviewer.formats.tables import read_table


def read(folder: Path, content: str | list[Any], mapping: str) -> list[Incoming]:
    path = folder / "answers.dat"
    path.write_text(content if isinstance(content, str) else json.dumps(content), newline="")
    with open_stream(path) as source:
        return list(read_table(source, sniff(path), mapping_of(mapping)))


def only(items: list[Incoming]) -> Record:
    (item,) = items
    assert isinstance(item, Record), item
    return item


def test_a_wide_table(tmp_path: Path) -> None:
    mapping = """
    [fields]
    id = "nr"
    input = "question"
    response = "answer"
    tags = "tags"
    latency_ms = { from = "seconds", scale = { from = [0, 1], to = [0, 1000] } }
    occurred_at = "when"
    [[scores]]
    metric = ["accuracy", "tone"]
    value = "{metric}_score"
    reasoning = "{metric}_why"
    scorer = "judge"
    [[labels]]
    metric = "accuracy"
    value = "ann"
    labeler = "Ann"
    comment = "note"
    """
    table = (
        "nr,question,answer,tags,seconds,when,accuracy_score,accuracy_why,tone_score,ann,note,rest\n"
        "7,Where?,There.,a;b,1.5,2026-11-01,4,good,,5,fine,kept\n"
    )
    record = only(read(tmp_path, table, mapping))
    assert record.refused == []
    assert record.fields == {
        "id": "7",
        "input": "Where?",
        "response": "There.",
        "tags": ["a", "b"],
        "latency_ms": 1500.0,
        "occurred_at": "2026-11-01",
        "scores": [{"metric": "accuracy", "value": 4, "reasoning": "good", "scorer": "judge"}],
        "labels": [{"metric": "accuracy", "labeler": "Ann", "value": 5, "comment": "fine"}],
        "meta": {"rest": "kept"},
    }


def test_a_long_table_becomes_one_record_an_item(tmp_path: Path) -> None:
    mapping = """
    layout = "long"
    [fields]
    id = "item"
    response = "text"
    [[scores]]
    metric_column = "metric"
    value = "auto"
    [[labels]]
    metric_column = "metric"
    value = "human"
    labeler_column = "who"
    """
    table = (
        "item,text,metric,auto,human,who\n"
        "a,hello,m1,1,2,Ann\na,hello,m2,2,,Ann\nb,bye,m1,3,4,Ben\n"
    )
    first, second = read(tmp_path, table, mapping)
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert [score["metric"] for score in first.fields["scores"]] == ["m1", "m2"]
    assert first.fields["labels"] == [{"metric": "m1", "labeler": "Ann", "value": 2}]
    assert second.fields["id"] == "b"
    assert second.fields["labels"][0]["labeler"] == "Ben"


def test_a_table_of_labels_alone_gives_labels(tmp_path: Path) -> None:
    mapping = """
    [fields]
    id = "item"
    run = "run"
    [[labels]]
    metric_column = "metric"
    value = "value"
    labeler_column = "who"
    at = "at"
    """
    table = "run,item,metric,value,who,at\nr,a,m,3,Ann,2026-11-01\nr,a,m,,Ben,\nr,b,m,2,,\n"
    first, second = read(tmp_path, table, mapping)
    assert first == LabelRow(
        2,
        {"run": "r", "id": "a", "metric": "m", "labeler": "Ann", "value": 3, "at": "2026-11-01"},
    )
    assert isinstance(second, BadRow)
    assert (second.line, second.field) == (4, "labeler")


def test_cells_without_a_value_are_refused_one_by_one(tmp_path: Path) -> None:
    mapping = """
    [fields]
    id = "id"
    response = "r"
    latency_ms = "ms"
    occurred_at = "t"
    [[scores]]
    metric = "m"
    value = "s"
    as = "number"
    """
    record = only(read(tmp_path, "id,r,ms,t,s\n1,a,fast,today,high\n", mapping))
    assert record.fields == {
        "id": "1", "response": "a", "unreadable": {"latency_ms": "fast", "occurred_at": "today"},
    }  # fmt: skip
    assert [(r.field, r.value) for r in record.refused] == [
        ("ms", "fast"), ("t", "today"), ("s", "high"),
    ]  # fmt: skip
    assert "latency_ms: a number is expected" in record.refused[0].reason


def test_a_row_with_nothing_to_look_at_is_a_bad_row(tmp_path: Path) -> None:
    found = read(tmp_path, "id,r\n1,\n2,b\n", '[fields]\nid = "id"\nresponse = "r"\n')
    assert isinstance(found[0], BadRow)
    assert "nothing to look at" in found[0].reason
    assert isinstance(found[1], Record)


def test_a_column_that_is_missing_is_named_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no column answer, which .* it has id, output"):
        read(tmp_path, "id,output\n1,a\n", '[fields]\nid = "id"\nresponse = "answer"\n')


def test_without_an_id_rows_are_numbered(tmp_path: Path) -> None:
    found = read(tmp_path, "q,r\na,b\nc,d\n", '[fields]\nresponse = "r"\n')
    assert [item.fields["id"] for item in found if isinstance(item, Record)] == ["1", "2"]


def test_several_labels_come_from_one_list(tmp_path: Path) -> None:
    mapping = """
    [fields]
    id = "k"
    response = "r"
    [[labels]]
    metrics_in = "ann"
    value = "ann.{metric}[]"
    labeler = "person {n}"
    as = "number"
    not_applicable = "N/A*"
    skip = "[?]"
    """
    rows = [{"k": 1, "r": "x", "ann": {"m": [2, "N/A (none)", None, "?", "bad"], "o": [1]}}]
    record = only(read(tmp_path, rows, mapping))
    assert record.fields["labels"] == [
        {"metric": "m", "labeler": "person 1", "value": 2},
        {"metric": "m", "labeler": "person 2", "value": None, "kind": "not_applicable",
         "comment": "N/A (none)"},
        {"metric": "o", "labeler": "person 1", "value": 1},
    ]  # fmt: skip
    assert [(r.field, r.value) for r in record.refused] == [("ann.m[4]", "bad")]


def test_scores_and_reasons_go_side_by_side(tmp_path: Path) -> None:
    mapping = """
    [fields]
    response = "r"
    [[scores]]
    metric_column = "checks[].name"
    value = "checks[].score"
    reasoning = "checks[].why"
    scorer = "tool"
    scorer_version = "v{n}"
    """
    rows = [
        {
            "r": "x",
            "checks": [{"name": "a", "score": 1, "why": "yes"}, {"name": "b", "score": 0.5}],
        }
    ]
    assert only(read(tmp_path, rows, mapping)).fields["scores"] == [
        {"metric": "a", "value": 1, "reasoning": "yes", "scorer": "tool", "scorer_version": "v1"},
        {"metric": "b", "value": 0.5, "scorer": "tool", "scorer_version": "v2"},
    ]


def test_what_a_path_leaves_of_a_list_or_an_object_is_kept(tmp_path: Path) -> None:
    mapping = """
    [fields]
    id = "doc.nr"
    response = "choices[0].text"
    [[scores]]
    metric = ["tone"]
    value = "judged.{metric}.score"
    scorer = "judge"
    [[scores]]
    metrics_in = "graded"
    value = "graded.{metric}.score"
    scorer = "judge"
    """
    row = {
        "doc": '{"nr": 7, "topic": "buses"}',
        "choices": [{"text": "There.", "index": 0}, {"text": "Here.", "index": 1}],
        "judged": {"tone": {"score": 4}, "style": {"score": 2}},
        "graded": {"speed": {"score": 3, "sure": 0.5}, "depth": {"score": 1}},
    }
    fields = only(read(tmp_path, [row], mapping)).fields
    assert [(x["metric"], x["value"]) for x in fields["scores"]] == [
        ("tone", 4), ("speed", 3), ("depth", 1)
    ]  # fmt: skip
    assert fields["meta"] == {
        "doc": {"topic": "buses"},
        "choices": [{"index": 0}, {"text": "Here.", "index": 1}],
        "judged": {"style": {"score": 2}},
        "graded": {"speed": {"sure": 0.5}},
    }


def test_neighbouring_files_are_joined(tmp_path: Path) -> None:
    (tmp_path / "judge_m1.jsonl").write_text('{"id": 1, "resp": "Score: 4"}\n')
    mapping = r"""
    [fields]
    id = "id"
    response = "text"
    [[join]]
    name = "judge"
    file = "judge_{model}.jsonl"
    [[scores]]
    metric = "m"
    value = "judge.resp"
    extract = 'Score: (\d)'
    """
    rows = [{"id": 1, "text": "x", "model": "m1"}, {"id": 2, "text": "y", "model": "../m1"}]
    first, second = read(tmp_path, rows, mapping)
    assert isinstance(first, Record)
    assert first.fields["scores"] == [{"metric": "m", "value": 4}]
    assert isinstance(second, Record)
    assert "scores" not in second.fields


def test_rows_that_are_no_objects_are_bad_rows(tmp_path: Path) -> None:
    found = read(tmp_path, [{"r": "a"}, 5], '[fields]\nresponse = "r"\n')
    assert isinstance(found[1], BadRow)
    assert found[1].value == 5


def test_unpaired_surrogates_are_refused_with_their_field(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"r": "ok", "q": "\\ud800"}\n')
    with open_stream(path) as source:
        mapping = mapping_of('[fields]\ninput = "q"\nresponse = "r"\n')
        items = list(read_table(source, sniff(path), mapping))
    assert only(items).refused[0].field == "input"


def test_a_dialog_in_a_text_becomes_turns(tmp_path: Path) -> None:
    mapping = '[split]\ntext = "d"\nuser = "U: "\nassistant = "A: "\n[fields]\nid = "i"\n'
    first, second = read(tmp_path, [{"i": 1, "d": "U: hi\nA: ho"}, {"i": 2, "d": "hi"}], mapping)
    assert isinstance(first, Record)
    assert [turn["role"] for turn in first.fields["messages"]] == ["user", "assistant"]
    assert isinstance(second, BadRow)


def test_ragged_rows_pass_through_with_their_line(tmp_path: Path) -> None:
    found = read(tmp_path, "id,r\n1,a\n2\n3,c\n", '[fields]\nid = "id"\nresponse = "r"\n')
    assert [type(item) for item in found] == [Record, BadRow, Record]
    assert found[1].line == 3
