"""Add the records of neighbouring files to the rows of a table."""

from pathlib import Path

from reviewer.domain.errors import FormatError
from reviewer.formats import json_text
from reviewer.formats.incoming import BadRow
from reviewer.formats.mapping import Join
from reviewer.formats.paths import Row, fields_of, fill, find
from reviewer.formats.streams import open_stream

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
            self._files[place] = _read(path, join)
        return self._files[place]


def _read(path: Path, join: Join) -> dict[str, Row]:
    found: dict[str, Row] = {}
    with open_stream(path) as source:
        first = source.peek(64).lstrip()[:1]
        in_list = bool(join.records) or first == b"["
        items = (
            json_text.elements(source, join.records) if in_list else json_text.documents(source)
        )
        for item in items:
            if isinstance(item, BadRow):
                raise FormatError(f"{path.name}, line {item.line}: {item.reason}.")
            key = fill(join.key, item.value, {}) if isinstance(item.value, dict) else None
            if key is not None:
                found[key] = item.value
    return found
