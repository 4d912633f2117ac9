"""What every reader hands over: records, single labels, and rows that cannot be used.

A reader is a generator over `Incoming` items in the file's order. It reads a `Source` once, from
its start, and holds no more than a few rows at a time.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

Fields = dict[str, Any]
"""A record's or label's keys, spelled as in the native format, with values as JSON has them."""


class Source(Protocol):
    """An open file, unpacked on the fly where it is compressed."""

    path: Path
    size: int
    """Bytes of the file on disk."""

    def position(self) -> int:
        """Give how many bytes of the file on disk are used up, for progress."""
        ...

    def read(self, size: int = -1, /) -> bytes:
        """Read unpacked bytes; at the end, nothing."""
        ...

    def readline(self, limit: int = -1, /) -> bytes:
        """Read one unpacked line with its line end, or at most `limit` bytes of it."""
        ...

    def again(self) -> AbstractContextManager["Source"]:
        """Open the same file in the same way, at its start.

        Raises:
            FormatError: It cannot be opened any more.
        """
        ...


@dataclass(slots=True)
class Refused:
    """A single value that was left out while its record was kept.

    Attributes:
        field: Where it stood, such as `scores[2].value`.
        value: What was found there.
        reason: What is wrong with it and what would be right.
        metric: Whose score or label it would have been, where that is known.
    """

    field: str
    value: Any
    reason: str
    metric: str = ""


@dataclass(slots=True)
class Record:
    """One evaluation in the keys of the native format, types checked, refused values removed."""

    line: int
    fields: Fields
    refused: list[Refused] = field(default_factory=list)


@dataclass(slots=True)
class LabelRow:
    """One label without its evaluation: `id`, `metric`, `labeler`, `value` and what belongs."""

    line: int
    fields: Fields
    refused: list[Refused] = field(default_factory=list)


@dataclass(slots=True)
class BadRow:
    """A row of which nothing can be used."""

    line: int
    field: str
    value: Any
    reason: str


class RawRow(NamedTuple):
    """One row of a file before any mapping."""

    line: int
    values: Fields
    key: str | None = None


Incoming = Record | LabelRow | BadRow
