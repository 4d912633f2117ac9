"""Read Reviewer's own records, a line or a list, and write rows as JSON Lines."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import from_json, to_json

from reviewer.domain.errors import FormatError
from reviewer.domain.record import LABEL_ROW, RECORD_KEYS, SUBJECTS, USAGE, native_names
from reviewer.formats import json_text
from reviewer.formats.annotations import ROW_OF_ANNOTATION
from reviewer.formats.format import RECORDS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.json_errors import in_words
from reviewer.formats.mapping import Mapping
from reviewer.formats.record import checked
from reviewer.formats.writing import TABLES, Writer, put_each

_OF_RECORDS = frozenset(RECORD_KEYS)
_OF_LABELS = frozenset(LABEL_ROW.keys)
_PARTS = "orig_instruction"
"""Beside it stand a judge's whole prompt and reply, which are no question and no answer."""
_ENTRIES = frozenset({"scores", "labels"})
_ANSWERS = ("response", "messages", "candidates")
EXCERPT = 200
LARGEST = 64 << 20
"""Bytes of the largest line that is read; a larger one is reported."""


def read_lines(source: Source) -> Iterator[Incoming]:
    """Read JSON Lines; empty lines are passed over.

    Raises:
        FormatError: The file is empty, or its compression is damaged.
    """
    number = 0
    empty = True
    while line := source.readline(LARGEST):
        number += 1
        if len(line) >= LARGEST and not line.endswith(b"\n"):
            empty = False
            yield _too_long(source, line, number)
            continue
        try:
            fields = from_json(line, cache_strings="keys")
        except ValueError as error:
            if not line.strip():
                continue
            item = _second_try(line, number, error)
        else:
            item = checked(fields, number, careful=False)
        empty = False
        yield item
    if empty:
        raise FormatError(f"{source.path.name} is empty; one JSON record a line is expected.")


def read_list(source: Source, under: str = "") -> Iterator[Incoming]:
    """Read a JSON list of records, which may stand inside an object.

    Raises:
        FormatError: The file is empty, holds no list, or its compression is damaged.
    """
    empty = True
    for item in json_text.elements(source, under):
        empty = False
        if isinstance(item, BadRow):
            yield item
        else:
            yield checked(item.value, item.line, careful=True)
    if empty:
        raise FormatError(f"{source.path.name} holds an empty list; there is nothing to import.")


def _too_long(source: Source, line: bytes, number: int) -> BadRow:
    start = excerpt(line)
    while line and not line.endswith(b"\n"):
        line = source.readline(1 << 20)
    reason = f"the line is longer than {LARGEST >> 20} MB; split it or leave out what nobody reads"
    return BadRow(number, "", start, reason)


def _second_try(line: bytes, number: int, first: ValueError) -> Incoming:
    """Read what the fast parser refuses, such as unpaired surrogates, and name what is wrong."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        byte = line[error.start]
        reason = (
            f"byte 0x{byte:02X} at position {error.start + 1} is no UTF-8; "
            "it looks like Latin-1 or Windows-1252: save the file as UTF-8"
        )
        return BadRow(number, "", excerpt(line), reason)
    try:
        fields: Any = json.loads(text)
    except json.JSONDecodeError as error:
        return BadRow(number, "", excerpt(line), _syntax(text, error))
    except (ValueError, RecursionError):
        return BadRow(
            number,
            "",
            excerpt(line),
            "its values are nested too deeply, or a number has thousands of digits",
        )
    if str(first).startswith("recursion"):
        return BadRow(number, "", excerpt(line), "values are nested more than 200 levels deep")
    return checked(fields, number, careful=True)


def _syntax(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
        return "the record is cut off before its end"
    return in_words(error, text, where=f"from position {error.pos + 1} on")


def excerpt(line: bytes) -> str:
    """Give the start of a line that cannot be read, for reports."""
    return line[:EXCERPT].decode(errors="replace").rstrip()


def line(fields: Fields) -> bytes:
    """Write one object; numbers as short as they read back the same, 4.0 as 4.0."""
    return to_json(fields) + b"\n"


def label_fields(run: str, identity: str, label: Fields) -> Fields:
    """Give a label as a record of its own, which an import takes without its evaluation."""
    return {"run": run, "id": identity, **label}


def is_native(rows: Sequence[Any]) -> bool:
    """Tell whether records are our own: some fit, and hardly any speaks against it.

    A row that lacks something but holds only our keys is a broken one of ours, and a broken row
    must not turn a whole file into another tool's.
    """
    own = sum(_is_record(row) or _is_label(row) for row in rows)
    foreign = sum(_is_foreign(row) for row in rows)
    return own > 0 and foreign * 10 <= own


def is_single(row: Any) -> bool:  # noqa: ANN401
    """Tell whether an object is one evaluation, ours or not, rather than what holds several."""
    if not isinstance(row, dict) or not isinstance(row.get("id"), str | int | float):
        return False
    return any(key in native_names(row) for key in SUBJECTS)


def _is_foreign(row: Any) -> bool:  # noqa: ANN401
    if not isinstance(row, dict) or _is_record(row) or _is_label(row):
        return False
    return not row.keys() <= _OF_RECORDS | _OF_LABELS


def _is_label(row: Any) -> bool:  # noqa: ANN401
    return isinstance(row, dict) and all(
        key in row for key in ("id", "metric", "labeler", "value")
    )


def _is_record(row: Any) -> bool:  # noqa: ANN401
    if not is_single(row):
        return False
    if _PARTS in row or (row.keys() >= ROW_OF_ANNOTATION and _ENTRIES.isdisjoint(row)):
        return False
    spelled, row = row, native_names(row)
    entries = [*(row.get("scores") or ()), *(row.get("labels") or ())] if _has_lists(row) else None
    if entries is None or not all(isinstance(e, dict) and "metric" in e for e in entries):
        return False
    # keys beside ours: our own file with something extra, or another tool's that shares a name?
    return (
        row.keys() <= _OF_RECORDS
        or bool(entries)
        or ("response" in row and not _has_numbers(row, deep=row is not spelled))
        or (any(key in spelled for key in _ANSWERS) and "run" in row)
    )


def _has_lists(row: dict[str, Any]) -> bool:
    return all(isinstance(row.get(key), list | None) for key in ("scores", "labels", "messages"))


def _has_numbers(row: dict[str, Any], *, deep: bool) -> bool:
    """Tell whether unknown keys hold numbers, which may be scores; `deep` within objects, too."""
    unknown = [row[key] for key in row.keys() - _OF_RECORDS - {USAGE}]
    return any(_holds_number(value, deep=deep) for value in unknown)


def _holds_number(value: Any, *, deep: bool) -> bool:  # noqa: ANN401
    if deep and isinstance(value, dict):
        return any(_holds_number(x, deep=True) for x in value.values())
    return isinstance(value, int | float)


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    if sniffed.shape in ("list", "object"):
        return read_list(source, sniffed.records)
    return read_lines(source)


def _recognise(look: Look) -> str | None:
    whole = look.shape in ("lines", "list") or (look.shape == "object" and look.records != ".")
    own = whole and is_native(look.rows)
    return f"{look.words} with the keys of Reviewer's records" if own else None


FORMAT = Format(
    name="native",
    title="Reviewer records (JSON Lines)",
    suffixes=(".jsonl", ".jsonl.gz", ".json"),
    recognised_by="one JSON object a line, or a JSON list, with the keys of our records",
    shapes=RECORDS,
    recognise=_recognise,
    read=_read,
)


WRITER = Writer(
    name=FORMAT.name,
    title=FORMAT.title,
    suffixes=FORMAT.suffixes,
    holds=TABLES,
    write=lambda rows, _about, out: put_each(map(line, rows), out),
)
