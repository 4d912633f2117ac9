"""What writes a file in a format, and what it may ask of the project that it writes of.

Each writer is declared in the module that writes it, and named in `registry`.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple

from reviewer.domain.rubric import Metric
from reviewer.domain.run import What
from reviewer.formats.own_columns import Columns
from reviewer.formats.values import halves

Fields = dict[str, Any]
ColumnKind = Literal["text", "number", "whole", "truth", "value", "json"]
TABLES: Final[frozenset[What]] = frozenset({"evaluations", "labels", "disagreements", "consensus"})
"""What a table can hold."""
EVALUATIONS: Final[frozenset[What]] = frozenset({"evaluations"})
TEXT = "_text"
"""The end of the column that holds the texts of a column of numbers or texts."""


class Column(NamedTuple):
    """A column of a table: its name, what every cell of it is, and what that means.

    Of the kind `value` is what may be a number in one row and a text in another; where columns
    have types it becomes two, and yes and no are both a number and a text.
    """

    name: str
    kind: ColumnKind
    meaning: str


Chunks = IO[bytes]
"""Where the bytes of a file go, in their order; it may be a pipe."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What rows do not say themselves.

    Attributes:
        title: What the export is called.
        what: What the rows are.
        columns: The columns of a table of these rows.
        metrics: The metrics of the project by name.
        wide: Gives the columns of a table with a row an evaluation; goes through the records.
        fields: What else of the evaluation goes along, where a format has a place for it.
        left_out: Takes the evaluations that were not written, by the reason.
        notes: Takes what else is to be said, by the words behind the number.
    """

    title: str
    what: What
    columns: tuple[Column, ...]
    metrics: Mapping[str, Metric]
    wide: Callable[[], Columns]
    fields: tuple[str, ...] = ()
    left_out: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)


Rows = Iterator[Fields]
Write = Callable[[Rows, About, Chunks], int]
"""Writes rows to an open file, and gives how many were written."""
WriteFolder = Callable[[Rows, About, Path], int]
"""Writes rows into an empty folder, and gives how many were written."""


@dataclass(frozen=True, kw_only=True)
class Writer:
    """A format that can be written.

    Attributes:
        name: What `--format` takes; that of the reader where files of it are read too.
        title: What people call it.
        suffixes: The ends of file names that mean it; none where they mean another format.
        holds: What a file of it can hold.
        write: Writes a file; None where `write_folder` writes a folder.
        of_labels: It is made of what people said, and says nothing about anything else.
        for_training: Models are trained with it, so what is held out stays out of it.
        by_part: Its rows say in `part` what is held out.
        beside: Gives files that are read with it, by what is put behind its name.
    """

    name: str
    title: str
    suffixes: tuple[str, ...] = ()
    holds: frozenset[What] = EVALUATIONS
    write: Write | None = None
    write_folder: WriteFolder | None = None
    of_labels: bool = False
    for_training: bool = False
    by_part: bool = False
    beside: Callable[[About], Mapping[str, bytes]] | None = None


def typed(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Divide the columns of values into one of numbers and one of texts."""
    found: list[Column] = []
    for column in columns:
        if column.kind == "value":
            found += [
                Column(column.name, "number", f"{column.meaning}; yes is 1 and no is 0"),
                Column(column.name + TEXT, "text", f"{column.meaning}, where it is no number"),
            ]
        else:
            found.append(column)
    return tuple(found)


def in_cells(row: Fields, columns: tuple[Column, ...]) -> Iterator[Any]:
    """Give the cells of a row under the columns that `typed` gives."""
    for name, kind, _ in columns:
        value = row.get(name)
        if kind == "value":
            yield from halves(value)
        elif kind == "json" and value is not None and not isinstance(value, str):
            yield json.dumps(value, ensure_ascii=False)
        else:
            yield value


def put_each(chunks: Iterable[bytes], out: Chunks) -> int:
    """Write what every row became, and count the rows."""
    written = 0
    for chunk in chunks:
        out.write(chunk)
        written += 1
    return written
