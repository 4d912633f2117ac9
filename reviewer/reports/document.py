"""A report as a JSON document, written piece by piece, and the part that is a system's own."""

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pydantic_core

Fields = dict[str, Any]
"""A document, or a part of it, by its keys."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a call gives, where it was called before."""

    value: Any

    def __call__(self) -> Any:  # noqa: ANN401 - a row or a list of them
        """Give it; of rows an iterator would do, and a list is walked through as well."""
        return self.value


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that are read anew whenever somebody walks through them, never all at once.

    Attributes:
        n: How many there are.
        read: Reads them, in their order.
    """

    n: int
    read: Callable[[], Iterable[Fields]]

    def __len__(self) -> int:
        """Count the rows without reading them."""
        return self.n

    def __iter__(self) -> Iterator[Fields]:
        """Read the rows."""
        return iter(self.read())

    def __reduce__(self) -> tuple[type["Rows"], tuple[int, "Given"]]:
        """Hand all rows over to another process, which cannot read them."""
        return Rows, (self.n, Given(list(self)))

    def __getitem__(self, place: int | slice) -> Any:  # noqa: ANN401 - a row or a list of them
        """Give some rows, as templates ask for them; all of them are read."""
        return list(self)[place]


def plain(value: Any) -> Any:  # noqa: ANN401 - any part of a document
    """Give a document with its rows read into lists."""
    if isinstance(value, Rows):
        return list(value)
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    return value


def as_json(document: Mapping[str, Any]) -> Iterator[str]:
    """Write a document piece by piece, with its `Rows` as lists.

    Raises:
        ValueError: A number is none in JSON, such as NaN.
        TypeError: Something is neither text, number, truth value, list nor object.
    """
    yield from _pieces(document, "\n")
    yield "\n"


def _pieces(value: object, end: str) -> Iterator[str]:
    """Write a value over several lines; `end` begins a line as deep as the value stands."""
    deeper = f"{end}  "
    if isinstance(value, Rows):
        before = "["
        for row in value:
            yield f"{before}{deeper}{_row(row).replace(chr(10), deeper)}"
            before = ","
        yield "[]" if before == "[" else f"{end}]"
    elif isinstance(value, Mapping) and value:
        before = "{"
        for name, part in value.items():
            yield f"{before}{deeper}{json.dumps(name, ensure_ascii=False)}: "
            yield from _pieces(part, deeper)
            before = ","
        yield f"{end}}}"
    else:
        yield _text(value).replace("\n", end)


def _row(row: Mapping[str, Any]) -> str:
    # half a character, which only the standard library lets pass, or no number, which it refuses
    with contextlib.suppress(ValueError):
        # ten times as fast as the standard library, which would take a minute for many rows
        made = pydantic_core.to_json(row, indent=2)
        # it makes text of what is no JSON, and writes NaN; reading it again tells
        if pydantic_core.from_json(made, allow_inf_nan=False) == row:
            return made.decode()
    return _text(row)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)


MOST_ROWS: Final = 50
LISTED: Final = 12
"""Responses that are named of many."""


class Table(NamedTuple):
    """A table under its title, with what is to be known of it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def of(self, n: int) -> "Table":
        """Give as many rows as a report shows, and say how many of `n` stand elsewhere."""
        more = n - MOST_ROWS
        said = f"{more:,} more rows stand in the JSON report." if more > 0 else ""
        return self._replace(
            rows=self.rows[:MOST_ROWS], note=" ".join(x for x in (self.note, said) if x)
        )


@dataclass(frozen=True, slots=True)
class OwnPart:
    """What a system says of a run.

    Attributes:
        document: In the system's own field names; lists of responses are `Rows`.
        tables: Makes the tables of HTML and Markdown, which may read texts.
    """

    document: Fields
    tables: Callable[[], Sequence[Table]] = lambda: ()


def named_of(ids: Sequence[str]) -> str:
    """Name responses, of many the first."""
    more = len(ids) - LISTED
    return ", ".join(ids[:LISTED]) + (f" and {more:,} more" if more > 0 else "")
