"""Labelers' sheets: a row a response with an empty column a metric, to be filled in elsewhere.

What comes back may have been saved by any spreadsheet program, as a workbook or as CSV of its
country: with commas or semicolons between the cells and within numbers.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reviewer.domain.errors import FormatError
from reviewer.formats.own_columns import to_line, unguarded

FIXED = ("run", "id", "labeler", "made", "prompt", "response")
"""The columns that are there already; `made` says when the sheet was."""
COMMENT = "comment"
SUFFIXES = (".xlsx", ".csv")
_SEPARATORS = ",;\t"
_HIGHEST = 32_766


def write(path: Path, names: Sequence[str], rows: Iterable[Sequence[str]], *, as_csv: bool) -> int:
    """Write a sheet as a workbook or as CSV, and count its rows."""
    if as_csv:
        lines = [to_line(row) for row in rows]
        # with a mark at its start spreadsheet programs read the file as UTF-8
        path.write_bytes(b"\xef\xbb\xbf" + (to_line(names) + "".join(lines)).encode())
        return len(lines)
    # loaded only where a workbook is written
    from xlsxwriter import Workbook

    with Workbook(str(path), {"constant_memory": True}) as book:
        sheet = book.add_worksheet("labels")
        sheet.freeze_panes(1, 0)
        number = 0
        for number, row in enumerate((names, *rows)):
            for column, cell in enumerate(row):
                sheet.write_string(number, column, cell[:_HIGHEST])
        return number


def read(path: Path) -> Iterator[dict[str, str]]:
    """Read a sheet that came back, every cell as text, by the names of the columns.

    Raises:
        FormatError: It is no sheet of ours, or it cannot be read.
    """
    names, *rows = _table(path) or [[]]
    titles = [str(x).strip().removeprefix("\ufeff") for x in names]
    lacking = [x for x in ("run", "id", "labeler", "made") if x not in titles]
    if lacking:
        raise FormatError(
            f"{path.name} is no labelers' sheet: it lacks the column {lacking[0]}; `reviewer "
            "sheet` makes one, whose columns have to stay."
        )
    for row in rows:
        cells = dict(zip(titles, map(_text, row), strict=False))
        if any(cells.values()):
            yield cells


def _table(path: Path) -> list[list[Any]]:
    try:
        if path.suffix.lower() == ".csv":
            return _delimited(path.read_bytes())
        # loaded only where a workbook is read
        from python_calamine import CalamineError, CalamineWorkbook

        try:
            return CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
        except CalamineError as error:
            raise FormatError(f"{path.name} cannot be read as a workbook: {error}.") from error
    except OSError as error:
        raise FormatError(f"{path.name} cannot be read: {error.strerror}.") from error


def _delimited(content: bytes) -> list[list[Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    first = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    found = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return [[unguarded(cell) for cell in row] for row in found]


def _text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
