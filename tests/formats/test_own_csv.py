import copy
import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
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
from reviewer.formats.own_csv import WRITER, header_line, read, record_line
from reviewer.formats.writing import About
from reviewer.services.transfer import label_rows
from tests.scorer_versions import counts, identity, versions

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
     "turn": st.integers(0, 3), "passed": st.booleans(), "model": texts, "error": texts,
     "parameters": st.dictionaries(texts, free, max_size=2),
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

few = st.sampled_from(["j", "1", "1 a=b", "j@1", "m", "a=1", 'x "y', " z", "ü:😀"])
rivals = optional(
    {"metric": st.sampled_from(["m", "n"]), "value": scalars, "scorer": few},
    {"scorer_version": few, "model": few, "turn": st.integers(0, 1), "error": texts,
     "at": st.sampled_from(["2026-11-01", "2026-11-02"]), "reasoning": texts,
     "parameters": st.dictionaries(
         st.sampled_from(["a", "seed", "model", "b c"]),
         st.sampled_from([0, 1, 1.0, "1", "x", True, None, [1], {"y": "z"}]), max_size=2)},
)  # fmt: skip
trials = optional({"id": names, "response": texts}, {"scores": st.lists(rivals, max_size=4)})


class Text(io.BytesIO):
    path = Path("file.csv")
    size = 0

    def position(self) -> int:
        return self.tell()

    @contextmanager
    def again(self) -> Iterator["Text"]:
        yield Text(self.getvalue())


def back(text: str) -> list[Incoming]:
    return list(read(Text(text.encode())))


def exact(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def scores_in(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [score for row in rows for score in row.get("scores") or ()]


def written(rows: list[dict[str, Any]]) -> str:
    columns = Columns.of(rows, versions(scores_in(rows)).values())
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


@settings(max_examples=150)
@given(st.lists(trials, min_size=1, max_size=3))
def test_versions_of_one_name_have_columns_of_their_own(rows: list[dict[str, Any]]) -> None:
    text = written(rows)
    found = back(text)
    assert all(isinstance(item, Record) and not item.refused for item in found), found
    again = [item.fields for item in found if isinstance(item, Record)]
    assert [exact(row) for row in again] == [exact(row) for row in rows]
    assert written(again) == text
    header, *lines = csv.reader(io.StringIO(text))
    assert len(set(header)) == len(header)
    known = versions(scores_in(rows))
    for row, cells in zip(rows, lines, strict=True):
        expected: dict[tuple[str, str], str] = {}
        for score in filter(counts, scores_in([row])):
            whose = known[identity(score)].name
            expected.setdefault((score["metric"], whose), to_cell(score["value"]))
        shown = {
            full_name(name): unguarded(cell)
            for name, cell in zip(header, cells, strict=True)
            if cell and name.startswith("score:")
        }
        assert shown == expected


def full_name(heading: str) -> tuple[str, str]:
    """The metric and the full name of the version that a column is of."""
    column = parsed_score(heading.removeprefix("score:"))
    whose = "@".join(filter(None, (column.scorer, column.version)))
    return column.metric, " ".join(filter(None, (whose, column.apart)))


@settings(max_examples=60)
@given(
    st.lists(labels.map(lambda entry: {"run": "r", "id": "1", **entry}), min_size=1, max_size=3)
)
def test_labels_come_back_exactly(rows: list[dict[str, Any]]) -> None:
    columns = label_rows.columns(())
    about = About(title="p", what="labels", columns=columns, metrics={}, wide=Columns)
    written = io.BytesIO()
    assert WRITER.write is not None
    made: list[dict[str, Any]] = [dict.fromkeys(x.name for x in columns) for _ in rows]
    for row, entry in zip(made, rows, strict=True):
        row |= {"run": "r", "id": "1"}
        label_rows.put_label(row, entry)
    assert WRITER.write(iter(made), about, written) == len(rows)
    found = back(written.getvalue().decode())
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


TRIAL = [
    {"metric": "rq", "value": 0.8, "scorer": "rq", "scorer_version": "1"},
    {"metric": "rq", "value": 0.6, "scorer": "rq", "scorer_version": "1",
     "parameters": {"normalize_numbers": False}},
]  # fmt: skip


def test_the_value_of_a_trial_stands_in_a_column_of_its_own() -> None:
    rows = [{"id": "1", "response": "a", "scores": TRIAL}, {"id": "2", "scores": TRIAL[:1]}]
    header, row, other = csv.reader(io.StringIO(written(rows)))
    assert header[3:-2] == [
        "score:rq@rq@1", "reasoning:rq@rq@1",
        "score:rq@rq@1 normalize_numbers=false", "reasoning:rq@rq@1 normalize_numbers=false",
    ]  # fmt: skip
    assert row[3:-2] == ["0.8", "", "0.6", ""]
    assert (json.loads(row[-2]), other[3:]) == (TRIAL, ["0.8", "", "", "", "", ""])


def test_the_columns_show_the_first_of_what_a_version_said() -> None:
    said = [
        {"metric": "m", "scorer": "j", "value": None, "error": "timeout"},
        {"metric": "m", "scorer": "j", "value": 4, "reasoning": "why", "turn": 0},
        {"metric": "m", "scorer": "j", "value": 3, "reasoning": "so"},
        {"metric": "m", "scorer": "j", "value": 5, "at": "2026-11-02"},
    ]
    (row,) = csv.DictReader(io.StringIO(written([{"id": "1", "scores": said}])))
    assert (row["score:m@j"], row["reasoning:m@j"]) == ("3", "so")


def test_a_trial_edited_in_its_column_alone_is_told() -> None:
    text = written([{"id": "1", "response": "a", "scores": TRIAL}])
    (item,) = back(text.replace(",0.6,", ",0.7,"))
    assert isinstance(item, Record)
    assert item.fields["scores"] == TRIAL
    (refused,) = item.refused
    assert refused.field == "score:rq@rq@1 normalize_numbers=false"
    assert "change it in scores for it to count" in refused.reason
    # nobody knows of which version it is without what stood beside it
    (item,) = back(re.sub(',"\\[.*\\]"', ",", text))
    assert isinstance(item, Record)
    assert item.fields["scores"] == TRIAL[:1]
    assert [x.field for x in item.refused] == ["score:rq@rq@1 normalize_numbers=false"]


BEFORE = """\
id,run,response,score:m@j@1,reasoning:m@j@1,score:n@j@1,reasoning:n@j@1,score:m@k@1 a=b,\
reasoning:m@k@1 a=b,scores,labels
1,r,a,2,,3,,,,"[{""metric"": ""m"", ""value"": 4, ""scorer"": ""j"", ""scorer_version"": ""1""}, \
{""metric"": ""m"", ""value"": 2, ""scorer"": ""j"", ""scorer_version"": ""1"", ""parameters"": \
{""numbers"": false}}, {""metric"": ""n"", ""value"": 5, ""scorer"": ""j"", ""scorer_version"": \
""1"", ""at"": ""2026-11-01""}, {""metric"": ""n"", ""value"": 3, ""scorer"": ""j"", \
""scorer_version"": ""1"", ""at"": ""2026-11-02""}]",
2,r,b,,,,,1,,,
"""
"""A file of an earlier version, where a column showed the last score of every parameter."""


def test_a_file_from_before_columns_of_their_own_is_read_as_it_was() -> None:
    first, second = back(BEFORE)
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert not first.refused + second.refused
    assert [x["value"] for x in first.fields["scores"]] == [4, 2, 5, 3]
    (plain,) = second.fields["scores"]
    assert plain == {"metric": "m", "value": 1, "scorer": "k", "scorer_version": "1 a=b"}
    (edited, _) = back(BEFORE.replace("1,r,a,2,,3,", "1,r,a,2,,1,"))
    assert isinstance(edited, Record)
    assert [x.field for x in edited.refused] == ["score:n@j@1"]


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
    from reviewer.formats.sniffing import sniff
    from reviewer.formats.streams import open_stream

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


def test_a_cell_nested_without_end_stays_a_text() -> None:
    deep = "[" * 50_000
    assert from_cell(deep) == deep
