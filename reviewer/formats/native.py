"""Read Reviewer's own records, a line or a list, and write rows as JSON Lines."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json, to_json

from reviewer.domain.errors import FormatError
from reviewer.formats import json_text
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.json_text import in_words
from reviewer.formats.record import checked

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


def read_list(source: Source) -> Iterator[Incoming]:
    """Read a JSON list of records.

    Raises:
        FormatError: The file is empty, holds no list, or its compression is damaged.
    """
    empty = True
    for item in json_text.elements(source):
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
