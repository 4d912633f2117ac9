"""What a format of files is: what it is called, how a file of it is recognised, and its reader.

Each is declared in the module that reads it, and named in `registry`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from reviewer.formats.delimited import Dialect
from reviewer.formats.incoming import Incoming, Source
from reviewer.formats.mapping import Mapping

Shape = Literal["table", "lines", "documents", "list", "object"]
RECORDS: frozenset[Shape] = frozenset({"lines", "documents", "list", "object"})
"""The shapes of JSON: one object a line, one after another, in a list, inside one object."""


class Look(NamedTuple):
    """What the beginning of a file shows, before its format is known.

    Attributes:
        words: The shape in words, such as `one JSON object a line`.
        rows: The first values of a file of JSON.
        header: The names of the columns of a table.
        records: Where the records of one object are.
    """

    shape: Shape
    words: str
    rows: tuple[Any, ...] = ()
    header: tuple[str, ...] = ()
    dialect: Dialect = Dialect()
    records: str = ""


class Sniffed(NamedTuple):
    """What a file seems to hold: the name of its format, its shape, and how that was found."""

    format: str
    shape: Shape
    reason: str
    dialect: Dialect = Dialect()
    records: str = ""
    sentences: tuple[str, ...] = ()


class Reader(Protocol):
    """What reads an open file from its start, without holding more than a few rows."""

    def __call__(
        self, source: Source, sniffed: Sniffed, mapping: Mapping | None, /
    ) -> Iterator[Incoming]:
        """Give the file's rows in its order.

        Raises:
            FormatError: The file is empty, damaged or does not fit the mapping.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format as listed for people, with what reads it.

    Attributes:
        name: What `--format` takes.
        title: What people call it.
        suffixes: The usual ends of file names.
        recognised_by: How a file of it is recognised, in words.
        shapes: What a file of it may look like.
        recognise: Says by what a file is of it, None where it is not; the first format that
            does is taken.
        writes: It can be exported.
        mapped: A mapping says what its columns mean.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognised_by: str
    shapes: frozenset[Shape]
    recognise: Callable[[Look], str | None]
    read: Reader
    writes: bool = False
    mapped: bool = False
