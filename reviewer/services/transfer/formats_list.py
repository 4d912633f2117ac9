"""The formats that the program reads and writes, for listing."""

from typing import Any, NamedTuple

from reviewer.formats import registry
from reviewer.services.computer import plugins


class Listed(NamedTuple):
    """A format as people see it: all can be read, some written."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    writes: bool
    recognised_by: str


def formats() -> tuple[Listed, ...]:
    """Give every format, our own first; readers of installed packages last."""
    own = (
        Listed(x.name, x.title, x.suffixes, x.writes, x.recognised_by) for x in registry.FORMATS
    )
    brought = (
        Listed(
            name,
            f"{name} (of an installed package)",
            suffixes=(),
            writes=False,
            recognised_by=f"--format {name}",
        )
        for name in plugins.names("reader")
    )
    return (*own, *brought)


def to_json(entry: Listed) -> dict[str, Any]:
    """Give a format's entry in the command line's document."""
    return {
        "name": entry.name,
        "title": entry.title,
        "suffixes": list(entry.suffixes),
        "reads": True,
        "writes": entry.writes,
        "recognised_by": entry.recognised_by,
    }
