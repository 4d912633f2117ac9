"""What tools write as JSON comes in from a table as well, with the same records."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from reviewer.formats import registry
from reviewer.formats.incoming import BadRow, Incoming, LabelRow, Record
from reviewer.services.transfer import file_plans
from reviewer.services.transfer.file_plans import open_file
from tests.formats.samples import PLAIN, Rows, lines

CHAT = {"id": "c", "conversations": [{"from": "human", "value": "Hi?"},
                                     {"from": "gpt", "value": "Hello."}]}  # fmt: skip
TABLES_OF_THEIR_OWN = ("label-studio-min",)
"""Formats with tables that are not their JSON's keys in columns."""
OF_ONE_DOCUMENT = ("atif",)


def rows_of(name: str) -> Rows:
    """Give what stands one after another in a format's sample."""
    text = PLAIN[name][1].decode()
    try:
        value = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]
    while isinstance(value, dict):
        value = next(x for x in value.values() if isinstance(x, dict | list) and x)
    rows: Rows = value
    # a group of columns of which none is ever filled cannot be kept
    return [{key: x for key, x in row.items() if x != {}} for row in rows]


FORMATS = [
    x.name for x in registry.FORMATS
    if "rows" in x.shapes and x.name not in (*TABLES_OF_THEIR_OWN, *OF_ONE_DOCUMENT)
]  # fmt: skip


def as_parquet(rows: Rows, stem: Path) -> Path:
    names = dict.fromkeys(key for row in rows for key in row)
    path = stem.parent / f"{stem.name}.parquet"
    pq.write_table(pa.table({name: _column([row.get(name) for row in rows]) for name in names}),
                   path)  # fmt: skip
    return path


def _column(values: list[Any]) -> pa.Array:
    """Make a column, of JSON where its values are of several kinds, which a column cannot hold."""
    try:
        return pa.array(values)
    except pa.ArrowInvalid:
        return pa.array([None if x is None else json.dumps(x) for x in values])


def _cell(value: object, nested: Callable[[Any], str]) -> object:
    return "" if value is None else nested(value) if isinstance(value, dict | list) else value


def _cells(rows: Rows, nested: Callable[[Any], str]) -> list[list[object]]:
    names = list(dict.fromkeys(key for row in rows for key in row))
    return [list(names), *([_cell(row.get(x), nested) for x in names] for row in rows)]


def as_csv(rows: Rows, stem: Path) -> Path:
    path = stem.parent / f"{stem.name}.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(_cells(rows, lambda x: json.dumps(x, ensure_ascii=False)))
    return path


def as_frame(rows: Rows, stem: Path) -> Path:
    """Write a CSV as data frames are written: numbered, with what Python prints of lists."""
    path = stem.parent / f"{stem.name}.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        for number, cells in enumerate(_cells(rows, str), start=-1):
            writer.writerow(["" if number < 0 else number, *cells])
    return path


def as_workbook(rows: Rows, stem: Path) -> Path:
    path = stem.parent / f"{stem.name}.xlsx"
    with xlsxwriter.Workbook(path, {"strings_to_urls": False}) as book:
        sheet = book.add_worksheet()
        for number, cells in enumerate(_cells(rows, json.dumps)):
            sheet.write_row(number, 0, cells)
    return path


WAYS = (as_parquet, as_csv, as_frame, as_workbook)


def _items(path: Path, name: str) -> list[Incoming]:
    opened = open_file(path)
    assert opened.sniffed.format == name, opened.sniffed
    file_plans.plan(opened)
    opened.declared()
    with opened.items() as (_, items):
        return list(items)


def fields_of(path: Path, name: str) -> list[dict[str, Any]]:
    items = _items(path, name)
    assert not [x for x in items if isinstance(x, BadRow)]
    return [x.fields for x in items if isinstance(x, Record | LabelRow)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FORMATS)
def test_a_tools_rows_are_the_same_from_a_table(
    tmp_path: Path, name: str, way: Callable[[Rows, Path], Path]
) -> None:
    rows = rows_of(name)
    stem = tmp_path / PLAIN[name][0].partition(".json")[0]
    plain = stem.parent / f"{stem.name}.jsonl"
    plain.write_bytes(lines(rows))
    expected = fields_of(plain, name)
    assert expected
    assert fields_of(way(rows, stem), name) == expected


def test_a_flat_frame_of_spans_gives_whole_traces(tmp_path: Path) -> None:
    said = [{"message.role": "user", "message.content": "Is it heated?"}]
    gave = [{"message.role": "assistant", "message.content": "Yes."}]
    rows: Rows = [
        {"context.span_id": f"s{n}{kind}", "context.trace_id": f"t{n}", "name": kind.lower(),
         "parent_id": "" if kind == "CHAIN" else f"s{n}CHAIN", "span_kind": kind,
         "start_time": "2026-01-02T03:04:05+00:00", "end_time": "2026-01-02T03:04:06.5+00:00",
         "status_code": "OK",
         "attributes.llm.input_messages": said if kind == "LLM" else None,
         "attributes.llm.output_messages": gave if kind == "LLM" else None,
         "attributes.llm.token_count.prompt": 12.0 if kind == "LLM" else None}
        for n in range(70) for kind in ("CHAIN", "LLM")
    ]  # fmt: skip
    for way in WAYS:
        found = fields_of(way(rows, tmp_path / "spans"), "phoenix")
        assert [x["id"] for x in found] == [f"t{n}" for n in range(70)]
        assert [(x["role"], x["content"]) for x in found[69]["messages"]] == [
            ("user", "Is it heated?"), ("assistant", "Yes."),
        ]  # fmt: skip
        assert {(x["latency_ms"], x["tokens_in"]) for x in found} == {(1500.0, 12.0)}


def test_flat_records_of_argilla_keep_who_answered(tmp_path: Path) -> None:
    rows: Rows = [
        {"id": f"r{n}", "prompt": "Is it heated?", "response": "Yes.",
         "quality.responses": [4, 5], "quality.responses.users": ["u1", "u2"],
         "quality.responses.status": ["submitted", "submitted"],
         "quality.suggestion": 3, "quality.suggestion.agent": "judge"}
        for n in range(3)
    ]  # fmt: skip
    for way in WAYS:
        found = fields_of(way(rows, tmp_path / "answers"), "argilla")
        assert [(x["labeler"], x["value"]) for x in found[0]["labels"]] == [("u1", 4), ("u2", 5)]
        assert found[0]["scores"][0]["scorer"] == "judge"
        assert "meta" not in found[0]


def test_only_numbers_written_as_programs_do_are_numbers(tmp_path: Path) -> None:
    """A column in which one cell is none is a column of texts, and so are its numbers."""
    rows: Rows = [
        {"id": "007", "text": "1", "label": ["Kind"], "code": "1_000", "size": 1.5, "open": True},
        {"id": "008", "text": "[1]", "label": ["Kind"], "code": "nan", "size": 2, "open": False},
        {"id": "009", "text": "true", "label": [], "code": "", "size": 3, "open": True},
    ]
    path = as_csv(rows, tmp_path / "texts")
    opened = open_file(path)
    assert opened.sniffed.format == "table", "there are keys that doccano has not"
    path = as_csv([{key: row[key] for key in ("id", "text", "label")} for row in rows],
                  tmp_path / "texts")  # fmt: skip
    found = fields_of(path, "doccano")
    assert [(x["id"], x["response"]) for x in found] == [
        ("007", "1"), ("008", "[1]"), ("009", "true"),
    ]  # fmt: skip


def test_a_row_that_cannot_be_read_is_told_with_its_line(tmp_path: Path) -> None:
    path = as_csv([CHAT, CHAT, CHAT], tmp_path / "chats")
    text = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*text[:2], "c,too,many", text[3]]), "utf-8")
    found = _items(path, "sharegpt")
    assert [type(x) for x in found] == [Record, BadRow, Record]
    assert found[1].line == 3
    assert "it has 3 cells where the header has 2" in getattr(found[1], "reason", "")


def test_a_list_that_is_cut_off_breaks_its_row_alone(tmp_path: Path) -> None:
    rows: Rows = [{"id": f"c{n}", "conversations": json.dumps(CHAT["conversations"])}
                  for n in range(60)]  # fmt: skip
    for n in (1, 55):
        rows[n]["conversations"] = rows[n]["conversations"][:40]
    for way in WAYS:
        found = _items(way(rows, tmp_path / "chats"), "sharegpt")
        bad = [x for x in found if isinstance(x, BadRow)]
        assert [(x.field, x.reason) for x in bad] == [
            ("conversations", "this cell's list or object is damaged or cut off")
        ] * 2
        assert len(found) == 60


def test_a_mapping_or_a_format_makes_it_a_table_again(tmp_path: Path) -> None:
    path = as_csv([CHAT, CHAT], tmp_path / "chats")
    mapping = tmp_path / "m.toml"
    mapping.write_text('[fields]\nid = "id"\nresponse = "conversations"\n')
    assert open_file(path).sniffed.format == "sharegpt"
    for opened in (open_file(path, mapping), open_file(path, mapping, "table")):
        assert opened.sniffed.format == "table"
        with opened.items() as (_, items):
            assert [x.fields["id"] for x in items if isinstance(x, Record)] == ["c", "c"]
    assert open_file(path, format_name="table").sniffed.format == "table"
    assert file_plans.sample(path).columns == ("id", "conversations")


def test_a_table_that_no_tool_knows_stays_one(tmp_path: Path) -> None:
    rows: Rows = [{"question": "Q?", "answer": f"{n}", "score": n} for n in range(5)]
    assert [open_file(way(rows, tmp_path / "mine")).sniffed.format for way in WAYS] == [
        "parquet", "table", "table", "workbook",
    ]  # fmt: skip


def test_keys_that_first_rows_have_no_value_for_are_known_by_their_columns(tmp_path: Path) -> None:
    trace = {"timestamp": "2026-01-02T03:04:05Z", "name": "chat", "userId": "u", "input": "Q?",
             "output": "A.", "latency": 1.5}  # fmt: skip
    rows: Rows = [trace | {"id": f"t{n}", "sessionId": "s" if n else None} for n in range(3)]
    for way in WAYS:
        found = fields_of(way(rows, tmp_path / "traces"), "langfuse")
        assert [x.get("cluster") for x in found] == [None, "s", "s"]


def test_rows_of_label_studio_in_any_order_are_read_as_its_table(tmp_path: Path) -> None:
    rows: Rows = [{"annotation_id": 10 + n, "annotator": 7, "id": n, "lead_time": 1.5,
                   "question": f"Is it heated, number {n}?", "sentiment": "Kind"}
                  for n in range(3)]  # fmt: skip
    first: Rows = [{key: row[key] for key in ("id", "question", "sentiment", "annotation_id",
                                              "annotator", "lead_time")}
                   for row in rows]  # fmt: skip
    for kept in (rows, first):
        expected = fields_of(as_csv(kept, tmp_path / "csv"), "label-studio-min")
        assert expected[0]["input"] == "Is it heated, number 0?"
        assert [x["metric"] for x in expected[0]["labels"]] == ["sentiment"]
        assert fields_of(as_parquet(kept, tmp_path / "pq"), "label-studio-min") == expected
    numbers = as_parquet([row | {"grade": 4} for row in rows], tmp_path / "grades")
    assert "grade may be data or answers" in open_file(numbers).sniffed.sentences[0]
