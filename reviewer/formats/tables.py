"""Read foreign tables and lists of records through a mapping, row by row, with joined files."""

from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from reviewer.domain.errors import FormatError
from reviewer.formats import delimited, json_text, layouts
from reviewer.formats.cells import excerpt_of
from reviewer.formats.delimited import Dialect
from reviewer.formats.extraction import Extractor, Found
from reviewer.formats.format import ITEMS, Format, Look, Reader, Rows, Sniffed
from reviewer.formats.format import RECORDS as RECORD_SHAPES
from reviewer.formats.incoming import (
    BadRow,
    Fields,
    Incoming,
    LabelRow,
    RawRow,
    Record,
    Source,
)
from reviewer.formats.mapping import Join, Mapping
from reviewer.formats.paths import Row, fields_of, fill, find
from reviewer.formats.record import checked
from reviewer.formats.streams import open_stream, stem_of

_KEPT_FILES = 64


class Joined:
    """The other files of a mapping; each is read once and held while it is needed.

    Args:
        joins: What the mapping says.
        folder: Where the table lies; the other files are found from there.
    """

    def __init__(self, joins: tuple[Join, ...], folder: Path) -> None:
        self._joins = joins
        self._folder = folder
        self._files: dict[tuple[Path, str, str], dict[str, Row]] = {}

    def extend(self, row: Row) -> None:
        """Add to a row, under each join's name, the record that belongs to it."""
        for join in self._joins:
            for name in join.name:
                path = self._path(join.file, row, name)
                key = fill(join.on, row, {"name": name})
                if path is None or key is None:
                    continue
                record = self._records(path, join).get(key)
                if record is not None:
                    row[name] = record

    def _path(self, template: str, row: Row, name: str) -> Path | None:
        """Fill in the file's name; a cell may name a file beside the others, never a folder."""
        for field in fields_of(template):
            value = str(name if field == "name" else find(row, field))
            if "/" in value or "\\" in value or value.startswith(".."):
                return None
        filled = fill(template, row, {"name": name})
        if filled is None:
            return None
        path = self._folder / filled
        packed = path.with_name(path.name + ".gz")
        return packed if packed.exists() and not path.exists() else path

    def _records(self, path: Path, join: Join) -> dict[str, Row]:
        place = (path, join.key, join.records)
        if place not in self._files:
            if len(self._files) >= _KEPT_FILES:
                self._files.pop(next(iter(self._files)))
            found: dict[str, Row] = {}
            with open_stream(path) as source:
                first = source.peek(64).lstrip()[:1]
                in_list = bool(join.records) or first == b"["
                for item in (
                    json_text.elements(source, join.records)
                    if in_list
                    else json_text.documents(source)
                ):
                    if isinstance(item, BadRow):
                        raise FormatError(f"{path.name}, line {item.line}: {item.reason}.")
                    key = fill(join.key, item.value, {}) if isinstance(item.value, dict) else None
                    if key is not None:
                        found[key] = item.value
            self._files[place] = found
        return self._files[place]


def raw_rows(
    source: Source, sniffed: Sniffed, mapping: Mapping | None = None
) -> Iterator[RawRow | BadRow]:
    """Read the rows of a table or list of records as they are.

    Args:
        source: The file, at its start.
        sniffed: What it holds, from `sniffing.sniff`.
        mapping: Overrides the delimiter, the header and the path to the records.
    """
    if sniffed.shape == "table":
        for row in delimited.rows(source, _dialect(sniffed, mapping)):
            yield row if isinstance(row, BadRow) else RawRow(row.line, dict(row.cells))
        return
    for item in _items(source, sniffed, mapping):
        if isinstance(item, BadRow):
            yield item
        elif isinstance(item.value, dict):
            yield RawRow(item.line, item.value, item.key)
        else:
            yield BadRow(
                item.line, "", excerpt_of(item.value), "an object with keys and values is expected"
            )


def _dialect(sniffed: Sniffed, mapping: Mapping | None) -> Dialect:
    found = sniffed.dialect
    if mapping is None:
        return found
    quote = found.quote if mapping.quote is None else mapping.quote
    return Dialect(mapping.delimiter or found.delimiter, quote, mapping.header)


def _items(
    source: Source, sniffed: Sniffed, mapping: Mapping | None
) -> Iterator[json_text.Item | BadRow]:
    path = mapping.records if mapping is not None else ""
    if path:
        return json_text.elements(source, path)
    return json_text.items(source, sniffed.shape, sniffed.records)


def reading(rows: Rows, *, texts: bool | None = None) -> Reader:
    """Give what reads rows through a mapping as records or labels of ours.

    In the long layout the rows of one evaluation that follow one another become one record; where
    they stand apart, several records with one id come, which the import unites.

    Args:
        rows: Gives the plain rows.
        texts: Their cells are texts, some of which look like numbers; None where a table is one
            whose cells are, and a list of records is not.
    """
    return partial(_read, rows, texts=texts)


def _read(
    rows: Rows,
    source: Source,
    sniffed: Sniffed,
    mapping: Mapping | None,
    *,
    texts: bool | None,
) -> Iterator[Incoming]:
    if mapping is None:
        raise FormatError(f"{source.path.name} can only be read with a mapping.")
    as_texts = sniffed.shape == "table" if texts is None else texts
    extractor = Extractor(mapping, texts=as_texts, file=stem_of(source.path))
    plain = rows(source, sniffed, mapping)
    even = sniffed.shape not in ITEMS
    extracted = _found(source, plain, extractor, mapping, even=even)
    if mapping.layout == "long" and mapping.has_text:
        yield from _merged(extracted, mapping)
        return
    for line, found in extracted:
        yield from [found] if isinstance(found, BadRow) else _finished(line, found, mapping)


def _found(
    source: Source,
    rows: Iterator[RawRow | BadRow],
    extractor: Extractor,
    mapping: Mapping,
    *,
    even: bool,
) -> Iterator[tuple[int, Found | BadRow]]:
    """Take what the mapping names out of rows; `even` ones have the same columns, all of them."""
    joined = Joined(mapping.join, source.path.parent)
    index = 0
    missing: set[str] | None = None
    for row in rows:
        if isinstance(row, BadRow):
            yield row.line, row
            continue
        if missing is None and even:
            missing = _missing_columns(extractor, row.values, source.path.name)
        joined.extend(row.values)
        if extractor.wanted(row.values):
            yield row.line, extractor.row(row.values, index, row.key)
            index += 1


def _missing_columns(extractor: Extractor, row: Row, name: str) -> set[str]:
    missing = extractor.missing(row)
    if missing:
        named = ", ".join(sorted(missing))
        raise FormatError(
            f"{name} has no column {named}, which the mapping names; "
            f"it has {', '.join(list(row)[:30])}."
        )
    return missing


def _finished(line: int, found: Found, mapping: Mapping) -> Iterator[Incoming]:
    """Check what came out of a row; a table of labels alone gives one label at a time."""
    if not mapping.has_text:
        if "labels" in found.fields:
            yield from _label_rows(line, found)
        else:
            yield from (BadRow(line, one.field, one.value, one.reason) for one in found.refused)
        return
    item = checked(found.fields, line)
    if isinstance(item, Record):
        item.refused[:0] = found.refused
    yield item


def _label_rows(line: int, found: Found) -> Iterator[Incoming]:
    place: Fields = {key: found.fields[key] for key in ("run", "id") if key in found.fields}
    refused = deque(found.refused)
    for label in found.fields["labels"]:
        item = checked({**place, **label}, line)
        if isinstance(item, LabelRow) and refused:
            item.refused.extend(refused)
            refused.clear()
        yield item


def _merged(parts: Iterator[tuple[int, Found | BadRow]], mapping: Mapping) -> Iterator[Incoming]:
    """Unite the rows of one evaluation as long as they follow one another."""
    held: tuple[int, Found] | None = None
    for line, found in parts:
        if isinstance(found, BadRow):
            yield found
            continue
        if held is not None and _same(held[1].fields, found.fields):
            _unite(held[1], found)
            continue
        if held is not None:
            yield from _finished(*held, mapping)
        held = line, found
    if held is not None:
        yield from _finished(*held, mapping)


def _same(one: Fields, other: Fields) -> bool:
    return (one.get("run"), one.get("id")) == (other.get("run"), other.get("id"))


def _unite(held: Found, found: Found) -> None:
    for key in ("scores", "labels"):
        if key in found.fields:
            there = held.fields.setdefault(key, [])
            # each of several labelers has a row of its own, beside the same score
            there += [entry for entry in found.fields.pop(key) if entry not in there]
    for key, value in found.fields.items():
        held.fields.setdefault(key, value)
    held.refused.extend(found.refused)


def _recognise(look: Look) -> str:
    return look.words


read_table = reading(raw_rows)
"""Reads a table or list of records through a mapping."""


TABLE = Format(
    name="table",
    title="Other tables (CSV, TSV)",
    suffixes=(".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"),
    recognised_by="lines divided by commas, semicolons, tabs or vertical bars",
    shapes=frozenset({"table"}),
    recognise=_recognise,
    read=read_table,
    rows=raw_rows,
    texts=True,
)
RECORDS = Format(
    name="json",
    title="Other records (JSON, JSON Lines)",
    suffixes=(".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz"),
    recognised_by="JSON objects with other keys: one a line, or in a list",
    shapes=RECORD_SHAPES,
    recognise=_recognise,
    read=read_table,
    rows=raw_rows,
    remarks=layouts.remarks,
)
