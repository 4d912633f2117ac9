from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats import parquet
from reviewer.formats.incoming import BadRow, RawRow, Record
from reviewer.formats.opening import opened
from reviewer.formats.sniffing import sniff
from reviewer.services.transfer.file_plans import open_file


def written(path: Path, rows: list[dict[str, Any]], schema: pa.Schema | None = None) -> Path:
    pq.write_table(pa.Table.from_pylist(rows, schema), path)
    return path


def rows_of(path: Path) -> list[RawRow]:
    sniffed = sniff(path)
    with opened(path, sniffed) as source:
        return [row for row in parquet.raw_rows(source, sniffed) if isinstance(row, RawRow)]


def records_of(path: Path, format_name: str) -> list[Record]:
    file = open_file(path)
    assert file.sniffed.format == format_name
    with file.items() as (_, items):
        return [item for item in items if isinstance(item, Record)]


def test_other_tables_are_proposed_a_mapping(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": f"r{n}", "question": "Q?", "answer": f"{n}", "score": n % 5 + 1} for n in range(600)
    ]
    found = records_of(written(tmp_path / "a.parquet", rows), "parquet")
    assert [x.line for x in found] == list(range(1, 601))
    assert found[7].fields["response"] == "7"
    assert [x.fields["scores"][0]["value"] for x in found[:6]] == [1, 2, 3, 4, 5, 1]


def test_a_column_that_the_mapping_names_must_be_there(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [{"q": "Q?"}])
    mapping = tmp_path / "m.toml"
    mapping.write_text('[fields]\ninput = "question"\n')
    with (
        open_file(path, mapping).items() as (_, items),
        pytest.raises(FormatError, match="has no column question"),
    ):
        list(items)


def test_our_own_records_come_back(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "id": "r1",
            "input": "Q?",
            "messages": [
                {"role": "user", "content": "Q?", "tool_calls": None},
                {"role": "assistant", "content": "A.",
                 "tool_calls": [{"name": "find", "arguments": '{"q": 1}'}]},
            ],
            "scores": '[{"metric": "tone", "value": "good", "reasoning": "kind"}]',
            "labels": [{"metric": "tone", "labeler": "ann", "value": "bad", "at": None}],
            "latency_ms": 3.5,
            "occurred_at": datetime(2026, 1, 2, tzinfo=UTC),
        },
        {"id": "r2", "input": "Q?", "response": "A."},
    ]  # fmt: skip
    found = records_of(written(tmp_path / "a.parquet", rows), "parquet-records")
    first = found[0].fields
    assert not found[0].refused
    assert first["messages"][0] == {"role": "user", "content": "Q?"}
    assert first["scores"] == [{"metric": "tone", "value": "good", "reasoning": "kind"}]
    assert first["labels"] == [{"metric": "tone", "labeler": "ann", "value": "bad"}]
    assert first["occurred_at"] == "2026-01-02T00:00:00+00:00"
    assert found[1].fields["id"] == "r2"
    assert "scores" not in found[1].fields


def test_every_type_becomes_what_json_says(tmp_path: Path) -> None:
    schema = pa.schema(
        {
            "nano": pa.timestamp("ns"),
            "day": pa.date32(),
            "price": pa.decimal128(6, 2),
            "bytes": pa.binary(),
            "raw": pa.binary(),
            "map": pa.map_(pa.string(), pa.int64()),
            "nested": pa.list_(pa.struct({"a": pa.list_(pa.int8()), "b": pa.string()})),
            "nan": pa.float64(),
            "kind": pa.dictionary(pa.int8(), pa.string()),
            "span": pa.duration("ns"),
        }
    )
    row: dict[str, Any] = {
        "nano": 1_767_323_045_123_456_789,
        "day": date(2026, 1, 2),
        "price": Decimal("0.70"),
        "bytes": "é".encode(),
        "raw": b"\xff\x00",
        "map": [("a", 1), ("b", 2)],
        "nested": [{"a": [1, 2], "b": None}],
        "nan": float("nan"),
        "kind": "x",
        "span": 1_500_000_001,
    }
    (found,) = rows_of(written(tmp_path / "a.parquet", [row], schema))
    assert found.values == {
        "nano": "2026-01-02T03:04:05.123456",
        "day": "2026-01-02",
        "price": 0.7,
        "bytes": "é",
        "raw": "/wA=",
        "map": {"a": 1, "b": 2},
        "nested": [{"a": [1, 2]}],
        "nan": None,
        "kind": "x",
        "span": 1.5,
    }


def test_columns_of_one_name_are_told_apart_and_an_index_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table([["r1"], ["one"], ["two"], [0]], ["id", "text", "text", "__index_level_0__"])
    pq.write_table(table, path)
    assert rows_of(path)[0].values == {"id": "r1", "text": "one", "text#2": "two"}


def test_large_rows_come_few_at_a_time(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [{"text": f"{n}" * 5_000_000} for n in range(8)])
    with opened(path, sniff(path)) as source, pq.ParquetFile(source) as file:
        assert parquet.rows_at_once(file) == 1
    assert len(rows_of(path)) == 8


@pytest.mark.parametrize("damage", [lambda x: x[:-30], lambda x: x[:60] + b"\xff" * 60 + x[120:]])
def test_a_damaged_file_is_told(tmp_path: Path, damage: Any) -> None:
    rows = [{"id": f"r{n}", "question": f"What is {n}?"} for n in range(99)]
    path = written(tmp_path / "a.parquet", rows)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FormatError, match=r"a.parquet: the Parquet file is damaged"):
        rows_of(path)


def test_a_record_without_id_is_refused_alone(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": f"r{n}", "input": "Q?", "response": "A."} for n in range(60)
    ]
    path = written(tmp_path / "a.parquet", [*rows, {"id": None, "input": "Q?", "response": "A."}])
    file = open_file(path)
    with file.items() as (_, items):
        bad = [item for item in items if isinstance(item, BadRow)]
    assert [(row.line, row.field) for row in bad] == [(61, "id")]
