"""Give a table's rows as a tool's own reader takes them, with values as JSON has them.

What tools write as JSON is kept in tables as well: as Parquet, as a data frame's CSV, in a sheet.
A column of texts whose first cells are all numbers, all true or false, or all lists or objects
holds these; any other holds texts. A row in which a list or object is cut off, as sheets cut what
is longer than their cells, is a broken one.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Final

from reviewer.formats.cells import excerpt_of
from reviewer.formats.format import Rows, Sniffed
from reviewer.formats.incoming import BadRow, RawRow, Source
from reviewer.formats.json_text import Item
from reviewer.formats.paths import Json, Row, parsed

_FEW: Final = 50
"""Rows by which it is told what a column holds."""
_TRUTHS: Final = {"true": True, "True": True, "false": False, "False": False}
_UNNAMED: Final = ("column 1", "Unnamed: 0")
"""How the first column is called where it has no name, as data frames number their rows."""
_LIKE_JSON: Final = re.compile(r"""\s*(?:\{\s*["']|\[\s*[\[{"'])""")
_CUT_OFF: Final = "this cell's list or object is damaged or cut off"
_Open = Callable[[str], Json]


class TableItems:
    """An open table as a source of its rows, which a tool's reader takes as it takes JSON's.

    Args:
        source: The table, at its start.
        rows: Gives its plain rows.
        sniffed: What it holds as a table.
        texts: Whether its cells are texts, some of which look like numbers.
        blanks: Whether cells that hold nothing are null rather than left out.
    """

    def __init__(
        self, source: Source, rows: Rows, sniffed: Sniffed, *, texts: bool, blanks: bool = False
    ) -> None:
        self.path = source.path
        self.size = source.size
        self._source = source
        self._rows = rows
        self._sniffed = sniffed
        self._texts = texts
        self._blanks = blanks

    def position(self) -> int:
        """Give how many bytes of the file on disk are used up, for progress."""
        return self._source.position()

    def read(self, size: int = -1, /) -> bytes:
        """Read bytes of the table itself."""
        return self._source.read(size)

    def readline(self, limit: int = -1, /) -> bytes:
        """Read a line of the table itself."""
        return self._source.readline(limit)

    @contextmanager
    def again(self) -> Iterator["TableItems"]:
        """Open the same table, at its start.

        Raises:
            FormatError: It cannot be opened any more.
        """
        with self._source.again() as source:
            yield TableItems(
                source, self._rows, self._sniffed, texts=self._texts, blanks=self._blanks
            )

    def items(self) -> Iterator[Item | BadRow]:
        """Give the rows in their order, without the cells that hold nothing or with null there.

        Raises:
            FormatError: The file is damaged.
        """
        rows = self._rows(self._source, self._sniffed)
        first = list(islice(rows, _FEW))
        cells = [row.values for row in first if isinstance(row, RawRow)]
        kinds = {name: _kind([x[name] for x in cells if name in x], texts=self._texts)
                 for name in (cells[0] if cells else ())}  # fmt: skip
        counted = next((x for x in _UNNAMED if x in kinds and _counts(cells, x)), None)
        for row in chain(first, rows):
            if isinstance(row, BadRow):
                yield row
                continue
            values = row.values
            if counted is not None:
                values.pop(counted, None)
            found = _opened(values, kinds)
            broken = next((x for x in found if _is_broken(found[x], kinds.get(x))), None)
            if broken is not None:
                yield BadRow(row.line, broken, excerpt_of(found[broken]), _CUT_OFF)
                continue
            yield Item(row.line, dict.fromkeys(values) | found if self._blanks else found)


def _opened(values: Row, kinds: dict[str, _Open | None]) -> Row:
    found = {}
    for name, value in values.items():
        read = kinds.get(name) if isinstance(value, str) else None
        held = value if read is None else read(value) if value else None
        if held is not None:
            found[name] = held
    return found


def _is_broken(held: Json, read: _Open | None) -> bool:
    """Tell a list or object that could not be read, where the others of its column can."""
    return read is _nested and isinstance(held, str) and _LIKE_JSON.match(held) is not None


def _kind(cells: Sequence[Json], *, texts: bool) -> _Open | None:
    """Give what reads a column's cells, None where they are what they should be."""
    there = [x for x in cells if isinstance(x, str) and x]
    if not there:
        return _nothing if texts else None
    if not all(isinstance(x, str) for x in cells if x is not None):
        return None
    ways: tuple[_Open, ...] = (_number, _truth, _nested) if texts else (_nested,)
    for way in ways:
        closed = [x for x in there if isinstance(way(x), str)]
        is_damaged = way is _nested and len(closed) * 2 < len(there)
        if not closed or (is_damaged and all(map(_LIKE_JSON.match, closed))):
            return way
    return None


def _nothing(text: str) -> Json:
    """Give a cell below some that held nothing."""
    return next((x for x in (_number(text), _truth(text)) if not isinstance(x, str)), text)


def _number(text: str) -> Json:
    """Read a number that is written as programs write it: 007 and 1_000 are texts."""
    try:
        whole = int(text)
    except ValueError:
        pass
    else:
        return whole if str(whole) == text else text
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) and text[-1].isdigit() and "_" not in text else text


def _truth(text: str) -> Json:
    return _TRUTHS.get(text, text)


def _nested(text: str) -> Json:
    return parsed(text)


def _counts(rows: Sequence[Row], name: str) -> bool:
    """Tell the numbers from 0 that a data frame puts before its rows."""
    return all(str(row.get(name)) == str(at) for at, row in enumerate(rows))
