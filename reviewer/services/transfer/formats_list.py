"""The formats that the program reads and writes, for listing."""

from typing import Any

from reviewer.formats.registry import FORMATS, Format
from reviewer.services.computer import plugins


def formats() -> tuple[Format, ...]:
    """Give every format, our own first; readers of installed packages last."""
    return (*FORMATS, *map(_brought, plugins.names("reader")))


def _brought(name: str) -> Format:
    return Format(
        name=name,
        title=f"{name} (of an installed package)",
        suffixes=(),
        reads=True,
        writes=False,
        recognised_by=f"--format {name}",
    )


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
