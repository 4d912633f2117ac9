import copy
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.formats.incoming import Incoming, LabelRow, Record
from reviewer.formats.own_columns import (
    Columns,
    ScoreColumn,
    from_cell,
    guarded,
    is_ours,
    parsed_label,
    parsed_score,
    to_cell,
    unguarded,
)
from reviewer.formats.own_csv import (
    header_line,
    label_line,
    labels_header_line,
    read,
    record_line,
)

plain = st.text(st.characters(codec="utf-8"), max_size=12)
texts = plain | st.sampled_from(
    ["=1+1", "+49 30", "-5", "@x", "'quoted", "\tx", "\rx", "null", "true", "4", "4.0", '"', '""',
     "{}", "[1]", '"a"', "", " ", "a,b", "a\nb", 'say "hi"', "a\r\nb", "1e5", "\ufeffx", "007"]
)  # fmt: skip
names = texts.filter(bool)
scalars = (
    st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
free = st.recursive(
    st.none() | scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
times = st.datetimes().map(lambda moment: moment.isoformat())


def optional(required: dict[str, Any], others: dict[str, Any]) -> Any:
    return st.fixed_dictionaries(required, optional=others)


scores = optional(
    {"metric": names, "value": scalars},
    {"scorer": names, "scorer_version": names, "reasoning": texts, "at": times,
     "turn": st.integers(0, 3), "passed": st.booleans(),
     "meta": st.dictionaries(texts, free, max_size=1)},
)  # fmt: skip
labels = optional(
    {"metric": names, "labeler": names, "value": scalars},
    {"at": times, "blind": st.booleans(), "comment": texts, "kind": st.just("adjudication"),
     "seconds": st.floats(0, 9)},
)  # fmt: skip
turns = optional({"role": st.just("user"), "content": texts}, {})
records = optional(
    {"id": names, "input": texts, "response": texts},
    {
        "run": texts, "case": texts, "category": texts, "tags": st.lists(texts, max_size=2),
        "expected": st.none() | texts, "context": texts | st.dictionaries(texts, free, max_size=2),
        "latency_ms": st.integers(0, 9) | st.floats(0, 9), "error": st.none() | texts,
        "template_matched": st.booleans(), "occurred_at": times,
        "messages": st.lists(turns, max_size=2),
        "scores": st.lists(scores, max_size=3), "labels": st.lists(labels, max_size=3),
        "meta": st.dictionaries(texts, free, max_size=2), "ticket": free,
    },
)  # fmt: skip


class Text(io.BytesIO):
    path = Path("file.csv")
    size = 0

    def position(self) -> int:
        return self.tell()


def back(text: str) -> list[Incoming]:
    return list(read(Text(text.encode())))


def exact(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def written(rows: list[dict[str, Any]]) -> str:
    columns = Columns.of(rows)
    return header_line(columns) + "".join(record_line(row, columns) for row in rows)


@settings(max_examples=100)
@given(st.lists(records, min_size=1, max_size=3))
def test_evaluations_come_back_exactly_and_are_written_the_same_again(
    rows: list[dict[str, Any]],
) -> None:
    before = copy.deepcopy(rows)
    text = written(rows)
    found = back(text)
    assert all(isinstance(item, Record) and not item.refused for item in found), found
    again = [item.fields for item in found if isinstance(item, Record)]
    assert [exact(row) for row in again] == [exact(row) for row in before]
    assert written(again) == text


@settings(max_examples=60)
@given(
    st.lists(labels.map(lambda entry: {"run": "r", "id": "1", **entry}), min_size=1, max_size=3)
)
def test_labels_come_back_exactly(rows: list[dict[str, Any]]) -> None:
    text = labels_header_line() + "".join(map(label_line, rows))
    found = back(text)
    assert all(isinstance(item, LabelRow) and not item.refused for item in found)
    assert [exact(item.fields) for item in found if isinstance(item, LabelRow)] == [
        *map(exact, rows)
    ]


@given(st.text())
def test_no_cell_starts_a_formula(text: str) -> None:
    cell = guarded(text)
    assert unguarded(cell) == text
    dangerous = cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell != ""
    assert (
        not dangerous or cell.lstrip("+-").replace(".", "").replace("e", "").strip("+-").isalnum()
    )


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=cmd()", "'=cmd()"),
        ("-5", "-5"),
        ("-5+1", "'-5+1"),
        ("'a", "''a"),
        ("+4.5e3", "+4.5e3"),
        ("a=b", "a=b"),
    ],
)
def test_formulas_get_one_apostrophe_and_numbers_none(text: str, cell: str) -> None:
    assert guarded(text) == cell


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (4, "4"),
        (4.0, "4.0"),
        (True, "true"),
        (None, "null"),
        ("4", '"4"'),
        ("yes", "yes"),
        ("", '""'),
    ],
)
def test_cells_tell_numbers_from_texts(value: object, cell: str) -> None:
    assert to_cell(value) == cell
    assert exact(from_cell(cell)) == exact(value)


def test_people_find_scores_and_labels_in_columns_of_their_own() -> None:
    rows = [
        {
            "id": "1",
            "run": "r",
            "response": "a",
            "scores": [{"metric": "pii:social", "value": 4, "reasoning": "why", "scorer": "j@2"}],
            "labels": [{"metric": "m", "labeler": "Ann", "value": 5, "blind": True}],
        }
    ]
    header, row = csv.reader(io.StringIO(written(rows)))
    assert header == [
        "id", "run", "response", "score:pii%3Asocial@j%402", "reasoning:pii%3Asocial@j%402",
        "label:m:Ann", "blind:m:Ann", "scores", "labels",
    ]  # fmt: skip
    assert row == ["1", "r", "a", "4", "why", "5", "true", "", ""]


def test_the_columns_show_the_latest_of_a_history() -> None:
    entries = [
        {"metric": "m", "labeler": "Ann", "value": 5, "at": "2026-11-02"},
        {"metric": "m", "labeler": "Ann", "value": 2, "at": "2026-11-01"},
    ]
    (row,) = csv.DictReader(io.StringIO(written([{"id": "1", "labels": entries}])))
    assert row["label:m:Ann"] == "5"
    assert json.loads(row["labels"]) == entries


def test_a_value_edited_beside_its_history_is_told() -> None:
    entry = {"metric": "m", "labeler": "Ann", "value": 5, "at": "2026-11-02"}
    text = written([{"id": "1", "response": "a", "labels": [entry]}])
    (item,) = back(text.replace(",5,", ",3,"))
    assert isinstance(item, Record)
    assert item.fields["labels"] == [entry]
    assert item.refused[0].field == "label:m:Ann"
    assert "clear its cell in labels" in item.refused[0].reason


def test_a_value_edited_where_no_history_stands_counts() -> None:
    text = written(
        [{"id": "1", "response": "a", "labels": [{"metric": "m", "labeler": "A", "value": 5}]}]
    )
    (item,) = back(text.replace(",5,", ",3,"))
    assert isinstance(item, Record)
    assert item.fields["labels"] == [{"metric": "m", "labeler": "A", "value": 3}]


@given(names, st.none() | names, st.none() | names)
def test_column_names_come_back(metric: str, scorer: str | None, version: str | None) -> None:
    column = ScoreColumn(metric, scorer, version)
    assert parsed_score(column.suffix) == column


@given(names, names)
def test_label_columns_come_back(metric: str, labeler: str) -> None:
    columns = Columns.of([{"labels": [{"metric": metric, "labeler": labeler}]}])
    assert parsed_label(columns.labels[0].suffix) == columns.labels[0]


def test_headers_of_other_tables_are_not_ours() -> None:
    assert is_ours(Columns().header())
    assert not is_ours(["id", "run", "response"])
    assert not is_ours(["id", "run", "scores", "labels", "score"])


def test_a_spreadsheets_byte_order_mark_and_line_ends_are_no_matter(tmp_path: Path) -> None:
    from reviewer.formats.sniffing import open_stream, sniff

    rows = [{"id": "1", "response": "a\nb"}, {"id": "2", "response": "c"}]
    path = tmp_path / "saved.csv"
    path.write_bytes(b"\xef\xbb\xbf" + written(rows).replace("\n", "\r\n").encode())
    assert sniff(path).format == "csv"
    with open_stream(path) as source:
        found = [item.fields for item in read(source) if isinstance(item, Record)]
    assert found == [{"id": "1", "response": "a\r\nb"}, {"id": "2", "response": "c"}]


def test_entries_without_a_column_are_carried_all_the_same() -> None:
    record = {
        "id": "1",
        "response": "a",
        "scores": [
            {"metric": "m", "scorer": "j", "error": "timeout", "value": None},
            {"metric": "n"},
        ],
        "labels": [{"metric": "m", "labeler": "A", "kind": "withdrawn", "value": None}],
    }
    columns = Columns(keys=("response",))
    text = header_line(columns) + record_line(record, columns)
    (item,) = back(text)
    assert isinstance(item, Record)
    assert exact(item.fields) == exact(record)
