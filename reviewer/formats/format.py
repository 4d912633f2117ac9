"""What a format of files is: what it is called, how a file of it is recognised, and its reader.

Each is declared in the module that reads it, and named in `registry`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol

from reviewer.domain.rubric import Metric
from reviewer.formats.delimited import Dialect
from reviewer.formats.incoming import BadRow, Incoming, RawRow, Source
from reviewer.formats.mapping import Mapping as ColumnMapping

Shape = Literal[
    "table", "lines", "documents", "list", "object", "rows", "yaml", "archive", "binary"
]
RECORDS: frozenset[Shape] = frozenset({"lines", "documents", "list", "object"})
"""The shapes of JSON: one object a line, one after another, in a list, inside one object."""
NUMBERED: frozenset[Shape] = RECORDS - {"lines"}
"""Those of which a line may hold many records, so that a record's number tells its place."""
ITEMS: frozenset[Shape] = RECORDS | {"rows"}
"""And the rows of a table in which a tool keeps what it writes as JSON elsewhere."""
PACKED: frozenset[Shape] = frozenset({"archive", "binary"})
"""The shapes that are no text: a ZIP archive, and whatever else only its own reader knows."""
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Look(NamedTuple):
    """What the beginning of a file shows, before its format is known.

    Attributes:
        words: The shape in words, such as `one JSON object a line`.
        rows: The first values of a file of JSON.
        header: The names of the columns of a table.
        records: Where the longest list of objects inside one object is, `.` where there is none.
        top: What one object holds, as far as the beginning tells: objects within it the same way,
            of a list its first values, of a text its start.
        names: The files in an archive.
        head: The first bytes of a file that is neither a table nor JSON.
        path: The file itself, for what stands beside it.
    """

    shape: Shape
    words: str
    rows: tuple[Any, ...] = ()
    header: tuple[str, ...] = ()
    dialect: Dialect = Dialect()
    records: str = ""
    top: Mapping[str, Any] = NOTHING
    names: tuple[str, ...] = ()
    head: bytes = b""
    path: Path = Path()


class Sniffed(NamedTuple):
    """What a file seems to hold: the name of its format, its shape, and how that was found.

    Attributes:
        table: What it holds as a table of any kind, where a tool's reader takes its rows.
        blanks: Whether that reader gets the keys of cells without a value, too.
    """

    format: str
    shape: Shape
    reason: str
    dialect: Dialect = Dialect()
    records: str = ""
    sentences: tuple[str, ...] = ()
    table: "Sniffed | None" = None
    blanks: bool = False


class Reader(Protocol):
    """What reads an open file from its start, without holding more than a few rows.

    Another process may be asked to call it, so that it can be pickled.
    """

    def __call__(
        self, source: Source, sniffed: Sniffed, mapping: ColumnMapping | None, /
    ) -> Iterator[Incoming]:
        """Give the file's rows in its order.

        Raises:
            FormatError: The file is empty, damaged or does not fit the mapping.
        """
        ...


class Rows(Protocol):
    """What gives the rows of a table or list as they are, before any mapping."""

    def __call__(
        self, source: Source, sniffed: Sniffed, mapping: ColumnMapping | None = None, /
    ) -> Iterator[RawRow | BadRow]:
        """Give the file's rows in its order; the mapping may say how they are divided.

        Raises:
            FormatError: The file is damaged.
        """
        ...


class Declared(Protocol):
    """What tells the scales that a file itself declares for its metrics."""

    def __call__(self, source: Source, sniffed: Sniffed, /) -> Sequence[Metric]:
        """Give the metrics whose scale, words or limit the file states."""
        ...


class Subject(Protocol):
    """What tells what a file's evaluation was of, such as a task."""

    def __call__(self, source: Source, sniffed: Sniffed, /) -> str:
        """Name it; empty where the file does not tell."""
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
        rows: Gives its plain rows, where a mapping says what their columns mean.
        declared: Gives the metrics that a file itself declares.
        texts: Its cells are texts, some of which look like numbers.
        remarks: Says what a person should know of how a file is read, such as what is left out.
        subject: Names what was evaluated, after which a proposed rubric is called.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognised_by: str
    shapes: frozenset[Shape]
    recognise: Callable[[Look], str | None]
    read: Reader
    rows: Rows | None = None
    declared: Declared | None = None
    texts: bool = False
    remarks: Callable[[Look], tuple[str, ...]] | None = None
    subject: Subject | None = None
