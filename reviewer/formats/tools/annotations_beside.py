"""Annotations of Phoenix's spans, which its client exports apart from these.

Each names a span, or a trace: JSON as the server gives it (a list, `data`, or one a line), or the
table that the client makes (`annotation_name`, `result.score`). They are read with the spans, from
files beside whose name holds `annotations`, one that several of them have as it stood last.
Written after the client's sources; no real one was at hand.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import FormatError
from reviewer.formats import delimited, json_text, parquet
from reviewer.formats.cells import number_of
from reviewer.formats.delimited import Dialect
from reviewer.formats.format import Sniffed
from reviewer.formats.incoming import BadRow
from reviewer.formats.paths import Json, as_text
from reviewer.formats.streams import open_plain, open_stream, read_head
from reviewer.formats.tools.span_attributes import identity, iso_time

Row = dict[str, Any]
MOST_BYTES: Final = 64 << 20
_SUFFIXES: Final = (".json", ".jsonl", ".csv", ".parquet")
_OF: Final = ("span_id", "trace_id")
_KIND: Final = "annotator_kind"


def files(path: Path) -> list[Path]:
    """Give the files of annotations beside a file of spans."""
    named = (
        one
        for one in sorted(path.absolute().parent.glob("*annotations*"))
        if one.suffix.lower() in _SUFFIXES and one.name != path.name and one.is_file()
    )
    return [one for one in named if _KIND.encode() in read_head(one) or _has_column(one)]


def _has_column(file: Path) -> bool:
    """Tell whether a Parquet file has what annotations have; its columns stand at its end."""
    if file.suffix.lower() != ".parquet":
        return False
    try:
        row = next(_rows(file), None)
    except FormatError:
        return False
    return isinstance(row, dict) and _KIND in row


def of_spans(path: Path) -> dict[str, list[Row]]:
    """Give the annotations beside a file of spans, by the span or trace that each is of.

    Raises:
        FormatError: A file of them is too large or damaged.
    """
    latest: dict[str, Row] = {}
    for file in files(path):
        if file.stat().st_size > MOST_BYTES:
            raise FormatError(
                f"{file.name} holds more than {MOST_BYTES >> 20} MB of annotations; divide it and "
                f"the spans in {path.name}, each part in a folder of its own."
            )
        for row in filter(_is_annotation, map(_sound(file), _rows(file))):
            number = as_text(row.get("id")) or f"{file.name} {len(latest)}"
            latest[number] = max(latest.get(number, row), row, key=_changed)
    found: dict[str, list[Row]] = {}
    for row in latest.values():
        of = next(identity(row[key]) for key in _OF if row.get(key))
        found.setdefault(of, []).append(_nested(row))
    return found


def _changed(row: Row) -> str:
    return iso_time(row.get("updated_at") or row.get("created_at"))


def _sound(file: Path) -> Callable[[Json | BadRow], Json]:
    def sound(row: Json | BadRow) -> Json:
        if isinstance(row, BadRow):
            raise FormatError(f"{file.name}, line {row.line}: {row.reason}.")
        return row

    return sound


def _rows(file: Path) -> Iterator[Json | BadRow]:
    if file.suffix.lower() == ".parquet":
        with open_plain(file) as source:
            for one in parquet.raw_rows(source, Sniffed("parquet", "binary", "")):
                yield one if isinstance(one, BadRow) else one.values
        return
    with open_stream(file) as source:
        if file.suffix.lower() == ".csv":
            for row in delimited.rows(source, Dialect()):
                yield row if isinstance(row, BadRow) else dict(row.cells)
            return
        is_list = read_head(file).lstrip().startswith(b"[")
        for item in json_text.items(source, "list" if is_list else "documents"):
            value = item if isinstance(item, BadRow) else item.value
            inner = value.get("data") if isinstance(value, dict) else None
            yield from inner if isinstance(inner, list) else [value]


def _is_annotation(row: Json) -> bool:
    return (
        isinstance(row, dict)
        and any(row.get(key) for key in _OF)
        and any(row.get(key) for key in ("name", "annotation_name"))
        and _KIND in row
    )


def _nested(row: Row) -> Row:
    """Give a row of the client's table as the server gives an annotation."""
    if isinstance(row.get("result"), dict):
        return row
    names = ("score", "label", "explanation")
    told = {name: row.get(f"result.{name}", row.get(name)) for name in names}
    if isinstance(told["score"], str):
        told["score"] = number_of(told["score"])
    told["label"] = told["label"] or None
    return {**row, "name": row.get("name") or row.get("annotation_name"), "result": told}
