"""The formats that the program reads and writes, for listing."""

from typing import Any

from reviewer.formats.registry import FORMATS, Format


def formats() -> tuple[Format, ...]:
    """Give every format, our own first."""
    return FORMATS


def to_json(entry: Format) -> dict[str, Any]:
    """Give a format's entry in the command line's document."""
    return {
        "name": entry.name,
        "title": entry.title,
        "suffixes": list(entry.suffixes),
        "reads": entry.reads,
        "writes": entry.writes,
        "recognised_by": entry.recognised_by,
    }
