"""The data dictionary of an export: every column, of what kind it is, and what it means."""

from pathlib import Path

from reviewer.formats.own_columns import to_line
from reviewer.formats.writing import About, typed

NAME = "dictionary.csv"
_TYPES = {
    "text": "text", "number": "number", "whole": "whole number", "truth": "true or false",
    "json": "JSON",
}  # fmt: skip


def content(about: About) -> bytes:
    """Give the dictionary as CSV."""
    lines = [to_line(("column", "type", "meaning"))]
    lines += [to_line((x.name, _TYPES[x.kind], x.meaning)) for x in typed(about.columns)]
    return "".join(lines).encode()


def write(to: Path, about: About) -> None:
    """Write the dictionary into a folder."""
    to.write_bytes(content(about))
