"""Read the sheets of workbooks, Excel's `.xlsx` and OpenDocument's `.ods`, as tables.

Nothing is evaluated: of a formula the value counts that was saved with it, and a text that looks
like a formula is a text. Whole numbers come as such, dates and times in ISO 8601; a cell that
holds an error (`#DIV/0!`) is empty. The names of the columns stand in the first row that fills as
many cells as the rows below; a title merged over several columns goes before their names, and a
cell merged over several rows (told by Excel's files only) holds for each of them.

A sheet is held in memory while it is read, as the library does; each part of the archive is read
through before, so that none is opened that grows beyond the limits of `archives`, or that spans
more cells than can be held.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from reviewer.domain.errors import CancelledError, FormatError
from reviewer.domain.wording import counted
from reviewer.formats import archives, own_csv
from reviewer.formats.delimited import TableRow, column_names
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, RawRow, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.own_columns import is_ours, to_cell
from reviewer.formats.streams import open_plain
from reviewer.formats.tables import reading

MOST_CELLS = 20_000_000
LARGEST = 1 << 29
"""Unpacked bytes of a workbook that is still read; larger tables go into CSV or Parquet."""
_PIECE = 1 << 20
_OVERLAP = 4096
_LOOK = 50
_LISTED = 6
_FIRST = 1000
_FULL = 0.7
_EXCEL = "xl/workbook.xml"
_OPEN = "content.xml"
_PLACE = re.compile(rb'<c [^>]{0,200}?\br="([A-Z]{1,3})(\d{1,7})"')
_TAG = re.compile(rb"<table:(?:covered-)?(table-row|table-cell)\b([^>]{0,2000})>")
_REPEATED = re.compile(rb'table:number-(?:columns|rows)-repeated="(\d{1,9})"')
Grid = Any
"""A sheet of the library's."""
Cells = list[Any]


class _Chosen(NamedTuple):
    """The sheet that holds the table, whether with our own columns, and the other sheets."""

    name: str
    ours: bool
    others: tuple[str, ...]


def raw_rows(
    source: Source, sniffed: Sniffed, mapping: Mapping | None = None
) -> Iterator[RawRow | BadRow]:
    """Read the rows of a sheet as they are.

    Args:
        source: The workbook.
        sniffed: What it holds; nothing of it is needed.
        mapping: `records` may name the sheet, and `header` say that no row names the columns.
    """
    del sniffed
    path = source.path
    wanted = mapping.records if mapping is not None else ""
    with _opened(path) as book:
        if wanted and wanted not in book.sheet_names:
            there = ", ".join(book.sheet_names)
            raise FormatError(f"{path.name} has no sheet {wanted}; it has {there}.")
        sheet = _told(path, book.get_sheet_by_name, wanted or _chosen(path).name)
        # the library reads by itself; the file is read along, so that the progress is told
        step = source.size // max(sheet.total_height, 1)
        for row in _rows(sheet, header=mapping is None or mapping.header):
            source.read(step)
            yield row


def _rows(sheet: Grid, *, header: bool) -> Iterator[RawRow | BadRow]:
    merged = sheet.merged_cell_ranges or []
    first = list(islice(sheet.iter_rows(), _LOOK))
    if not first:
        return
    at = _header_row(first) if header else -1
    width = max(map(len, first), default=0)
    titles = [str(cell).strip() for cell in first[at]] if at >= 0 else []
    names = column_names(_titled(first, at, merged) if at >= 0 else [""] * width)
    down = _down(merged, at)
    held: dict[int, Any] = {}
    for number, cells in enumerate(sheet.iter_rows()):
        if number <= at:
            continue
        for column, last in down.get(number, ()):
            held[column] = cells[column], last
        row: dict[str, Any] = {}
        for column, cell in enumerate(cells):
            merge = held.get(column)
            value = _value(merge[0] if cell == "" and merge and number <= merge[1] else cell)
            if value is not None or (titles and titles[column]):
                row[names[column]] = value
        if any(value is not None for value in row.values()):
            yield RawRow(number + 1, row)


def _header_row(rows: Sequence[Cells]) -> int:
    """Find the row of names: texts alone, in about as many cells as the fullest row fills."""
    filled = [[cell for cell in row if cell != ""] for row in rows]
    most = max(map(len, filled), default=0)
    for number, cells in enumerate(filled):
        if len(cells) >= max(1, _FULL * most) and all(isinstance(x, str) for x in cells):
            return number
    return next((number for number, cells in enumerate(filled) if cells), 0)


def _titled(rows: Sequence[Cells], at: int, merged: Sequence[Any]) -> list[str]:
    """Name the columns, after the title that is merged over several of them in the row above."""
    names = [str(cell).strip() for cell in rows[at]]
    for (top, left), (bottom, right) in merged:
        if bottom == at - 1 and left < right < len(names) - (left == 0):
            title = str(rows[top][left]).strip()
            for column in range(left, right + 1):
                names[column] = f"{title} {names[column]}".strip()
    return names


def _down(merged: Sequence[Any], at: int) -> dict[int, list[tuple[int, int]]]:
    """Give, by first rows, the columns of cells merged over rows, and the last row of each."""
    found: dict[int, list[tuple[int, int]]] = {}
    for (top, left), (bottom, _) in merged:
        if bottom > top > at:
            found.setdefault(top, []).append((left, bottom))
    return found


def _value(cell: object) -> object:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1 << 53:
        return int(cell)
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return str(cell)
    return None if cell == "" else cell


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a workbook that was read through before."""
    # loaded only where there is a workbook
    from python_calamine import CalamineWorkbook

    _checked(path, path.stat().st_mtime_ns)
    book = _told(path, CalamineWorkbook.from_path, path)
    try:
        yield book
    finally:
        book.close()


def _told(path: Path, act: Callable[[Any], Any], given: object) -> Any:  # noqa: ANN401
    """Ask the library for something, and say in a sentence that it cannot."""
    try:
        return act(given)
    except (CancelledError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    # damaged parts reach each of its errors, and its panics, which are no ordinary exceptions
    except BaseException as error:
        raise FormatError(
            f"{path.name}: the workbook is damaged or of a kind that is not known here; "
            "open and save it again, or save the sheet as CSV."
        ) from error


@lru_cache(maxsize=4)
def _checked(path: Path, changed: int) -> None:
    """Read every part of a workbook through, and refuse one that could not be held.

    Args:
        path: The workbook.
        changed: When it was, so that another one of its name is looked at again.
    """
    del changed
    size = 0
    with open_plain(path) as source, archives.opened(source) as archive:
        for name in archive.names:
            span = _ExcelSpan() if name.startswith("xl/worksheets/") else _OpenSpan()
            counts = name.startswith("xl/worksheets/") or name == _OPEN
            with archive.member(name) as member:
                rest = b""
                while piece := member.read(_PIECE):
                    size += len(piece)
                    if size > LARGEST:
                        raise _too_large(path, f"more than {LARGEST >> 20} MB of text")
                    if counts:
                        rest = span.read(rest + piece)
            if counts and span.cells > MOST_CELLS:
                raise _too_large(path, f"{span.cells:,} cells in one sheet")


def _too_large(path: Path, what: str) -> FormatError:
    return FormatError(
        f"{path.name} holds {what}; save the sheet as CSV or Parquet, which can be larger."
    )


class _ExcelSpan:
    """The cells between the first and the last of a sheet of Excel's, however few are filled."""

    def __init__(self) -> None:
        self._columns: set[bytes] = set()
        self._rows = 0

    @property
    def cells(self) -> int:
        """Give rows by columns."""
        return self._rows * max(map(_column, self._columns), default=0)

    def read(self, text: bytes) -> bytes:
        """Look at a piece, and give what the next one has to begin with."""
        found = _PLACE.findall(text)
        self._columns.update(letters for letters, _ in found)
        self._rows = max(self._rows, max((int(row) for _, row in found), default=0))
        return text[-_OVERLAP:]


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


class _OpenSpan:
    """The cells of a sheet of OpenDocument's, of which one may stand for thousands alike."""

    def __init__(self) -> None:
        self.cells = 0
        self._row, self._times, self._filled = 0, 1, 0

    def read(self, text: bytes) -> bytes:
        """Look at a piece, and give what the next one has to begin with."""
        end = text.rfind(b">") + 1
        for match in _TAG.finditer(text, 0, end):
            repeated = _REPEATED.search(match[2])
            times = int(repeated[1]) if repeated else 1
            if match[1] == b"table-row":
                self._row, self._filled, self._times = 0, 0, times
                continue
            self._row += times
            if b"value-type" in match[2]:
                self.cells += (self._row - self._filled) * self._times
                self._filled = self._row
        return text[max(end, len(text) - _OVERLAP) :]


@lru_cache(maxsize=4)
def _found(path: Path, changed: int) -> _Chosen:
    """Choose the sheet with the most cells under a row of names; hidden ones come last."""
    # loaded only where there is a workbook
    from python_calamine import SheetVisibleEnum

    del changed
    with _opened(path) as book:
        names = list(book.sheet_names)
        shown = {x.name for x in book.sheets_metadata if x.visible == SheetVisibleEnum.Visible}
        sizes: Counter[str] = Counter()
        ours: set[str] = set()
        for name in names:
            rows = islice(_rows(_told(path, book.get_sheet_by_name, name), header=True), _FIRST)
            values = [row.values for row in rows if isinstance(row, RawRow)]
            sizes[name] = sum(map(len, values))
            ours |= {name} if values and is_ours(list(values[0])) else set()
        best = max(names, key=lambda x: (x in ours, x in shown, sizes[x]), default="")
        if not best:
            raise FormatError(f"{path.name} has no sheet; there is nothing to import.")
        return _Chosen(best, best in ours, tuple(name for name in names if name != best))


def _chosen(path: Path) -> _Chosen:
    return _found(path, path.stat().st_mtime_ns)


def _recognise(look: Look) -> str | None:
    names = set(look.names)
    if _EXCEL in names:
        return "a workbook of Excel's"
    mime = b"application/vnd.oasis.opendocument.spreadsheet"
    return "a workbook in OpenDocument" if _OPEN in names and mime in look.head else None


def _recognise_records(look: Look) -> str | None:
    ours = _recognise(look) is not None and _chosen(look.path).ours
    return "a workbook with the columns that Reviewer exports" if ours else None


def _read_records(source: Source, sniffed: Sniffed, mapping: Mapping | None) -> Iterator[Incoming]:
    return own_csv.items(
        row
        if isinstance(row, BadRow)
        else TableRow(row.line, {name: _cell(x) for name, x in row.values.items()})
        for row in raw_rows(source, sniffed, mapping)
    )


def _cell(value: object) -> str:
    """Spell a cell as it would stand in a CSV of ours, where nothing has to be guarded."""
    if value is None or isinstance(value, str):
        return value or ""
    return to_cell(value)


def _remarks(look: Look) -> tuple[str, ...]:
    chosen = _chosen(look.path)
    if not chosen.others:
        return ()
    left = ", ".join(chosen.others[:_LISTED])
    more = counted(len(chosen.others) - _LISTED, "other") if len(chosen.others) > _LISTED else ""
    return (
        f"{look.path.name}: the sheet {chosen.name} is read, not {left}"
        f'{f" and {more}" if more else ""}; a mapping with records = "NAME" reads another.',
    )


RECORDS = Format(
    name="workbook-records",
    title="Reviewer records (Excel workbook)",
    suffixes=(".xlsx",),
    recognised_by="a workbook with a sheet that has the columns of our CSV",
    shapes=frozenset({"archive"}),
    recognise=_recognise_records,
    read=_read_records,
)
FORMAT = Format(
    name="workbook",
    title="Workbooks (Excel, OpenDocument)",
    suffixes=(".xlsx", ".xlsm", ".ods"),
    recognised_by="a ZIP archive with the parts of a workbook",
    shapes=frozenset({"archive"}),
    recognise=_recognise,
    read=reading(raw_rows, texts=True),
    rows=raw_rows,
    texts=True,
    remarks=_remarks,
)
