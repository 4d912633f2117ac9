"""Reading native records: what is kept, what is refused, and how the reports say so."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats import native
from reviewer.formats.incoming import BadRow, Incoming, LabelRow, Record
from reviewer.formats.record import checked
from reviewer.formats.streams import open_stream


def read(tmp_path: Path, content: bytes | str, name: str = "file.jsonl") -> list[Incoming]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with open_stream(path) as source:
        reader = native.read_list if name.endswith(".json") else native.read_lines
        return list(reader(source))


def one(tmp_path: Path, fields: dict[str, Any]) -> Incoming:
    return read(tmp_path, json.dumps(fields) + "\n")[0]


def record(tmp_path: Path, **fields: Any) -> Record:
    item = one(tmp_path, {"id": "a", "input": "Is it open?", **fields})
    assert isinstance(item, Record), item
    return item


def bad(tmp_path: Path, content: str | bytes) -> BadRow:
    item = read(tmp_path, content)[0]
    assert isinstance(item, BadRow), item
    return item


def test_every_line_is_a_record_with_its_number(tmp_path: Path) -> None:
    items = read(tmp_path, '{"id":"a","input":"x"}\n\n  \n{"id":"b","response":"y"}')
    assert [(item.line, item.fields["id"]) for item in items if isinstance(item, Record)] == [
        (1, "a"), (4, "b"),
    ]  # fmt: skip


def test_numbers_become_texts_where_a_text_is_meant(tmp_path: Path) -> None:
    item = one(tmp_path, {"id": 17, "input": "x", "category": 3, "expected_keywords": [900, "x"]})
    assert isinstance(item, Record)
    assert item.fields == {
        "id": "17", "input": "x", "category": "3", "expected_keywords": ["900", "x"],
    }  # fmt: skip
    assert item.refused == []


def test_what_is_expected_may_be_an_object(tmp_path: Path) -> None:
    item = record(tmp_path, expected={"a": [1]}, error=["late"])
    assert json.loads(item.fields["expected"]) == {"a": [1]}
    assert json.loads(item.fields["error"]) == ["late"]


def test_names_that_others_use_are_read_as_ours(tmp_path: Path) -> None:
    item = one(
        tmp_path,
        {
            "id": "a", "query": "When?", "output": "At 3.", "expected_behavior": "Says 3.",
            "documents": ["d"], "usage": {"prompt_tokens": 5, "completion_tokens": 2},
        },
    )  # fmt: skip
    assert isinstance(item, Record)
    assert item.fields == {
        "id": "a", "input": "When?", "response": "At 3.", "expected": "Says 3.",
        "context": ["d"], "usage": {"prompt_tokens": 5, "completion_tokens": 2},
        "tokens_in": 5, "tokens_out": 2,
    }  # fmt: skip


def test_of_two_names_for_one_thing_ours_wins_and_the_other_is_kept(tmp_path: Path) -> None:
    item = record(tmp_path, question="Where?", prompt="Who?")
    assert (item.fields["input"], item.fields["question"]) == ("Is it open?", "Where?")


@pytest.mark.parametrize(
    ("field", "value", "place", "reason"),
    [
        ("expected_keywords", [{"a": 1}], "expected_keywords[0]", "an object was found, a text"),
        ("expected_tools", "query", "expected_tools", "a text was found, a list of texts"),
        ("tools_used", ["a", ["b"]], "tools_used[1]", "a list was found, a text"),
        ("context", 5, "context", "a number was found, a text or an object"),
        ("sources", [{"id": "s"}, {"title": "t"}], "sources[1]", "an object with an id"),
    ],
)
def test_a_field_of_the_wrong_kind_is_told_and_kept_beside(
    tmp_path: Path, field: str, value: object, place: str, reason: str
) -> None:
    item = record(tmp_path, **{field: value})
    assert item.fields["unreadable"] == {field: value}
    assert [x.field for x in item.refused] == [place]
    assert item.refused[0].reason.startswith(reason)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400", "1" * 400])
def test_a_number_that_is_none_is_refused_and_its_record_kept(tmp_path: Path, value: str) -> None:
    line = f'{{"id":"a","input":"x","latency_ms":{value},"meta":{{"deep":[{value}]}}}}'
    item = read(tmp_path, line)[0]
    assert isinstance(item, Record)
    assert item.fields == {"id": "a", "input": "x", "unreadable": {"latency_ms": None}}
    assert [refused.field for refused in item.refused] == ["latency_ms", "meta"]


def test_an_unpaired_surrogate_costs_its_value_only(tmp_path: Path) -> None:
    item = read(tmp_path, r'{"id":"a","input":"x","response":"\ud83d","category":"c"}')[0]
    assert isinstance(item, Record)
    assert item.fields == {
        "id": "a", "input": "x", "category": "c", "unreadable": {"response": None},
    }  # fmt: skip
    assert "surrogate" in item.refused[0].reason
    paired = read(tmp_path, r'{"id":"a","input":"\ud83d\ude00"}')[0]
    assert isinstance(paired, Record)
    assert paired.fields["input"] == "😀"


def test_a_broken_line_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    items = read(
        tmp_path, '{"id":"a","input":"x"}\n{"id":"b", input:"x"}\n{"id":"c","input":"x"}\n'
    )
    assert isinstance(items[1], BadRow)
    assert items[1].line == 2
    assert "position 12" in items[1].reason
    assert isinstance(items[2], Record)


def test_a_last_line_that_is_cut_off_says_so(tmp_path: Path) -> None:
    assert "cut off" in bad(tmp_path, '{"id":"a","input":"x').reason
    assert "cut off" in bad(tmp_path, '{"id":"a","scores":[{"metric":').reason


def test_a_null_byte_is_named(tmp_path: Path) -> None:
    assert "null byte" in bad(tmp_path, b'{"id":"a","input":"x\x00y"}\n').reason


def test_bytes_of_another_encoding_are_named(tmp_path: Path) -> None:
    lines = b'{"id":"a","input":"x"}\n' * 20_000 + '{"id":"b","input":"Café"}\n'.encode("latin-1")
    last = read(tmp_path, lines)[-1]
    assert isinstance(last, BadRow)
    assert (last.line, "0xE9" in last.reason, "Latin-1" in last.reason) == (20_001, True, True)


def test_values_nested_too_deep_are_named(tmp_path: Path) -> None:
    deep = '{"id":"a","input":"x","meta":{"m":' + "[" * 500 + "]" * 500 + "}}"
    assert "levels deep" in bad(tmp_path, deep).reason
    assert isinstance(bad(tmp_path, "[" * 100_000), BadRow)


def test_a_line_of_50_megabytes_is_read(tmp_path: Path) -> None:
    text = "word " * (10 << 20)
    item = one(tmp_path, {"id": "a", "input": "x", "response": text})
    assert isinstance(item, Record)
    assert len(item.fields["response"]) == len(text)


def test_a_line_beyond_the_limit_is_named_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "LARGEST", 1000)
    items = read(tmp_path, '{"id":"a","input":"' + "x" * 5000 + '"}\n{"id":"b","input":"y"}\n')
    assert isinstance(items[0], BadRow)
    assert "longer than" in items[0].reason
    assert isinstance(items[1], Record)
    assert items[1].line == 2


@pytest.mark.parametrize("content", [b"", b"\n\n", b"   \n"])
def test_an_empty_file_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError, match=r"file.jsonl is empty"):
        read(tmp_path, content)


def test_a_gzip_file_that_is_cut_off_is_a_sentence(tmp_path: Path) -> None:
    whole = gzip.compress(b'{"id":"a","input":"x"}\n' * 50_000)
    with pytest.raises(FormatError, match="cut off"):
        read(tmp_path, whole[: len(whole) // 2], "file.jsonl.gz")


@pytest.mark.parametrize(
    ("fields", "place", "reason"),
    [
        ({"input": "x"}, "id", "there is none"),
        ({"id": "", "input": "x"}, "id", "it is empty"),
        ({"id": None, "input": "x"}, "id", "null was found"),
        ({"id": "a"}, "input", "nothing to look at"),
        ({"id": "a", "messages": "hi"}, "messages", "a list of turns"),
        ({"id": "a", "messages": [{"role": "bot"}]}, "messages[0].role", "system, user"),
        ({"id": "a", "messages": [{"role": "user", "content": [{"type": "video"}]}]},
         "messages[0].content[0].type", "text, image"),
        ({"id": "a", "messages": [{"role": "assistant", "tool_calls": [{}]}]},
         "messages[0].tool_calls[0].name", "name of a tool"),
        ({"id": "a", "candidates": [{"id": "1"}, {"id": "1"}]}, "candidates[1].id", "no other"),
        ([1], "", "an object is expected"),
    ],
)  # fmt: skip
def test_what_makes_a_record_unusable(
    tmp_path: Path, fields: Any, place: str, reason: str
) -> None:
    row = bad(tmp_path, json.dumps(fields))
    assert (row.line, row.field) == (1, place)
    assert reason in row.reason


def test_single_wrong_entries_are_taken_out(tmp_path: Path) -> None:
    item = record(
        tmp_path,
        scores=[{"metric": "m", "value": 1}, {"value": 2}, {"metric": "m", "value": [3]}, "five",
                {"metric": "m", "value": 4, "confidence": 7, "at": "yesterday"}],
        labels=[{"metric": "m", "labeler": "ann", "value": 1, "kind": "guess"},
                {"metric": "m", "value": 1}, {"metric": "m", "labeler": "bob", "value": 2}],
        tags=["a", [3]], evaluated_at="soon", cache="hot", sources=[{"id": "s"}, {"title": "t"}],
    )  # fmt: skip
    assert item.fields["scores"] == [{"metric": "m", "value": 1}, {"metric": "m", "value": 4}]
    assert item.fields["labels"] == [{"metric": "m", "labeler": "bob", "value": 2}]
    assert item.fields["sources"] == [{"id": "s"}]
    assert not {"tags", "evaluated_at", "cache"} & item.fields.keys()
    places = [refused.field for refused in item.refused]
    assert places == [
        "tags[1]", "evaluated_at", "cache", "scores[1].metric", "scores[2].value", "scores[3]",
        "scores[4].confidence", "scores[4].at", "labels[0].kind", "labels[1].labeler",
        "sources[1]",
    ]  # fmt: skip


def test_unknown_keys_and_nulls_stay_where_they_are(tmp_path: Path) -> None:
    item = record(tmp_path, note="n", category=None, custom={"x": [1]})
    assert list(item.fields) == ["id", "input", "note", "category", "custom"]
    assert item.refused == []


def test_labels_alone(tmp_path: Path) -> None:
    item = one(tmp_path, {"id": 5, "metric": "m", "labeler": "ann", "value": 3, "run": "r"})
    assert isinstance(item, LabelRow)
    assert item.fields == {"id": "5", "metric": "m", "labeler": "ann", "value": 3, "run": "r"}
    wrong = one(tmp_path, {"id": "a", "metric": "m", "labeler": [4], "value": 3})
    assert isinstance(wrong, BadRow)
    assert wrong.field == "labeler"


def test_a_list_of_records(tmp_path: Path) -> None:
    items = read(tmp_path, '[\n {"id":"a","input":"x"},\n {"id":"b"}\n]', "file.json")
    assert isinstance(items[0], Record)
    assert isinstance(items[1], BadRow)
    assert (items[0].line, items[1].line) == (2, 3)
    with pytest.raises(FormatError, match="empty list"):
        read(tmp_path, "[ ]", "file.json")


def test_a_value_that_is_nested_too_deeply_is_named_as_such() -> None:
    deep: list[Any] = []
    for _ in range(400):
        deep = [deep]
    item = checked({"id": "a", "input": "b", "meta": {"deep": deep}}, 1)
    assert isinstance(item, Record)
    assert [one.reason for one in item.refused] == ["it is nested too deeply to be kept"]
