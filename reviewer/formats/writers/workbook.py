"""Workbooks of Excel: every text stays a text, row after row in bounded memory."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from reviewer.domain.errors import FormatError
from reviewer.formats import own_csv
from reviewer.formats.own_columns import TEXT_KEYS, from_cell
from reviewer.formats.writing import TABLES, About, Chunks, Fields, Rows, Writer, in_cells, typed

LONGEST = 32_767
"""Characters that a cell can hold."""
MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
EXACT = 2**53
"""Beyond it a cell has no room for every digit of a number, which then stands as text."""
_CUT = "texts are longer than the 32,767 characters of a cell and end there with …"


class _Sheet:
    """A sheet that is filled row by row."""

    def __init__(self, sheet: Any, about: About) -> None:  # noqa: ANN401 - the library has no types
        self._sheet, self._about = sheet, about
        self._row = 0

    def add(self, values: Iterable[object]) -> None:
        if self._row == MOST_ROWS:
            raise FormatError(
                f"A sheet holds {MOST_ROWS:,} rows, and there are more; filter them, or write CSV "
                "or Parquet."
            )
        for column, value in enumerate(values):
            if value is not None:
                self._put(column, value)
        self._row += 1

    def _put(self, column: int, value: object) -> None:
        if isinstance(value, bool):
            self._sheet.write_boolean(self._row, column, value)
        elif isinstance(value, int | float) and abs(value) <= EXACT:
            self._sheet.write_number(self._row, column, value)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            if len(text) > LONGEST:
                self._about.notes[_CUT] += 1
                text = text[: LONGEST - 1] + "…"
            # never `write`, which would make formulas and links of texts
            self._sheet.write_string(self._row, column, text)


def _write(rows: Rows, about: About, out: Chunks) -> int:
    # loaded only where a workbook is written
    from xlsxwriter import Workbook

    book = Workbook(out, {"constant_memory": True})
    names, cells = _table(about)
    if len(names) > MOST_COLUMNS:
        raise FormatError(
            f"A sheet holds {MOST_COLUMNS:,} columns, and there are {len(names):,}; write CSV."
        )
    sheet = _Sheet(book.add_worksheet(about.what), about)
    sheet.add(names)
    written = 0
    for row in rows:
        sheet.add(cells(row))
        written += 1
    told = _Sheet(book.add_worksheet("dictionary"), about)
    told.add(("column", "type", "meaning"))
    for column in typed(about.columns):
        told.add(column)
    book.close()
    return written


def _table(about: About) -> tuple[Sequence[str], Callable[[Fields], Iterable[object]]]:
    """Give the names of the columns, and what makes the cells of a row."""
    if about.what != "evaluations":
        return [x.name for x in typed(about.columns)], lambda row: in_cells(row, about.columns)
    columns = about.wide()
    names = columns.header()
    texts = [name in TEXT_KEYS or name.startswith("reasoning:") for name in names]

    def cells(row: Fields) -> Iterable[object]:
        found = own_csv.record_cells(row, columns)
        return (
            (cell if text else _number(cell)) if cell else None
            for cell, text in zip(found, texts, strict=True)
        )

    return names, cells


def _number(cell: str) -> object:
    value = from_cell(cell)
    return value if isinstance(value, bool | int | float) else cell


WRITER = Writer(
    name="workbook", title="Excel workbooks", suffixes=(".xlsx",), holds=TABLES, write=_write
)
