"""The formats that can be read and written, and which reader a sniffed file gets."""

from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.formats import native, own_csv, tables
from reviewer.formats.incoming import Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.sniffing import Sniffed


@dataclass(frozen=True)
class Format:
    """A format as listed for people.

    Attributes:
        name: What `--format` takes.
        title: What people call it.
        suffixes: The usual ends of file names.
        reads: It can be imported.
        writes: It can be exported.
        recognised_by: How a file of it is recognised.
        mapped: A mapping says what its columns mean.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    reads: bool
    writes: bool
    recognised_by: str
    mapped: bool = False


FORMATS = (
    Format(
        "native",
        "Reviewer records (JSON Lines)",
        (".jsonl", ".jsonl.gz", ".json"),
        reads=True,
        writes=True,
        recognised_by="one JSON object a line, or a JSON list, with the keys of our records",
    ),
    Format(
        "csv",
        "Reviewer CSV",
        (".csv", ".csv.gz"),
        reads=True,
        writes=True,
        recognised_by="a header with id, run and columns such as score:METRIC@SCORER",
    ),
    Format(
        "table",
        "Other tables (CSV, TSV)",
        (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"),
        reads=True,
        writes=False,
        recognised_by="lines divided by commas, semicolons, tabs or vertical bars",
        mapped=True,
    ),
    Format(
        "json",
        "Other records (JSON, JSON Lines)",
        (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz"),
        reads=True,
        writes=False,
        recognised_by="JSON objects with other keys: one a line, or in a list",
        mapped=True,
    ),
)
BY_NAME = {known.name: known for known in FORMATS}


def read(source: Source, sniffed: Sniffed, mapping: Mapping | None = None) -> Iterator[Incoming]:
    """Read an open file as what it was found to be.

    Args:
        source: The file, at its start.
        sniffed: What it holds.
        mapping: What its columns mean, for the formats that need it.

    Raises:
        FormatError: The file is empty, damaged or does not fit the mapping.
    """
    if mapping is not None and BY_NAME[sniffed.format].mapped:
        return tables.read_table(source, mapping, sniffed)
    if sniffed.format == "csv":
        return own_csv.read(source)
    if sniffed.shape == "list":
        return native.read_list(source)
    return native.read_lines(source)


def writable(name: str | None, file_name: str) -> str | None:
    """Give the format to write by name, else by suffix; None where neither is one."""
    if name is not None:
        return name if name in BY_NAME and BY_NAME[name].writes else None
    lowered = file_name.lower()
    for known in FORMATS:
        if known.writes and lowered.endswith(known.suffixes):
            return known.name
    return None
