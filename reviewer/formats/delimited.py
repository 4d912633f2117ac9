"""Read tables of delimited text: find the delimiter, split rows, name the columns."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from reviewer.domain.errors import FormatError
from reviewer.domain.wording import counted
from reviewer.formats.incoming import BadRow
from reviewer.formats.json_text import ByteSource

DELIMITERS = ",;\t|"
LARGEST_CELL = 1 << 28
_SAMPLE_ROWS = 200
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}
EXCERPT = 80
_RETURN = re.compile(r"(?<=\r)(?!\n)")


class Dialect(NamedTuple):
    """How a table's cells are told apart."""

    delimiter: str = ","
    quote: str = '"'
    header: bool = True

    @property
    def words(self) -> str:
        """Name the delimiter for people."""
        return _NAMES.get(self.delimiter, repr(self.delimiter))


class Reader(Protocol):
    """What the standard library's reader of rows offers."""

    @property
    def line_num(self) -> int:
        """Count the lines read so far."""
        ...

    def __next__(self) -> list[str]:
        """Give the next row."""
        ...


class TableRow(NamedTuple):
    """One row of a table; line breaks inside cells make it several lines long."""

    line: int
    cells: dict[str, str]


def guess(text: str, *, whole: bool) -> tuple[Dialect, int]:
    """Find the delimiter and quote that cut the first rows most evenly, and the columns' number.

    Args:
        text: The first part of the file.
        whole: True where that is all of it.
    """
    declared = text[:5].lower()
    if declared.startswith("sep=") and len(declared) == 5:
        return Dialect(delimiter=text[4]), 2
    quotes = '"' if '"' in text or not text.lstrip().startswith("'") else "'"
    best, columns, grade = Dialect(), 1, 0.0
    for delimiter in DELIMITERS:
        quoted_rows = 0
        for quote in (quotes, ""):
            rows = _sample(text, Dialect(delimiter, quote), whole=whole)
            if not rows or len(rows[0]) < 2:
                continue
            quoted_rows = quoted_rows or len(rows)
            value = _evenness(rows) + (0 if quote else _unquoted(delimiter, rows, quoted_rows))
            if value > grade:
                best, columns, grade = Dialect(delimiter, quote), len(rows[0]), value
    return best, columns


def _evenness(rows: list[list[str]]) -> float:
    """Grade how evenly the rows are cut; more columns decide between equals."""
    even = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
    return even + min(len(rows[0]), 50) / 1000


def _unquoted(delimiter: str, rows: list[list[str]], quoted_rows: int) -> float:
    """Grade reading quotation marks as text: right where quoting would swallow rows of a TSV."""
    swallowed = len(rows) > quoted_rows and all(len(row) == len(rows[0]) for row in rows)
    return 0.05 if delimiter == "\t" and swallowed else -0.05


def _sample(text: str, dialect: Dialect, *, whole: bool) -> list[list[str]]:
    csv.field_size_limit(LARGEST_CELL)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
    )
    rows: list[list[str]] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) > _SAMPLE_ROWS:
                return rows
    except csv.Error:
        return rows
    return rows if whole or len(rows) < 2 else rows[:-1]


def _lines(source: ByteSource, held: list[str]) -> Iterator[str]:
    """Give the lines of a source as text, noting in `held` those of the row at hand."""
    first = source.readline().decode("utf-8", "surrogateescape")
    if "\r" in first and not first.endswith("\n"):
        # no line feed in the whole file: an old program ended its lines with returns alone
        yield from (part + "\n" for part in first.split("\r") if part)
        return
    line = first
    while line:
        held.append(line)
        yield line
        line = source.readline().decode("utf-8", "surrogateescape")


def rows(source: ByteSource, dialect: Dialect) -> Iterator[TableRow | BadRow]:
    """Read the rows of a table; the first names the columns unless the dialect says there is none.

    Rows with more or fewer cells than the header are bad rows, since nobody can tell which cell
    belongs where. Blank lines are passed over.

    Raises:
        FormatError: There is no header.
    """
    names: list[str] | None = None
    for line, found in _raw_rows(source, dialect):
        if isinstance(found, BadRow):
            yield found
        elif names is None and line == 1 and found[0].lower().startswith("sep="):
            continue
        elif names is None and dialect.header:
            names = column_names(found)
        else:
            names = names or [f"column {number}" for number in range(1, len(found) + 1)]
            yield _row(line, found, names, dialect)
    if names is None:
        raise FormatError("The table is empty: it has no header line.")


def _row(line: int, found: list[str], names: list[str], dialect: Dialect) -> TableRow | BadRow:
    if len(found) > len(names) and not any(found[len(names) :]):
        found = found[: len(names)]
    if len(found) == len(names):
        return TableRow(line, dict(zip(names, found, strict=True)))
    excerpt = dialect.delimiter.join(found)[:EXCERPT]
    reason = f"it has {counted(len(found), 'cell')} where the header has {len(names)}"
    expected = len(names)
    text = dialect.delimiter.join(found)
    others = (other for other in DELIMITERS if other != dialect.delimiter)
    other = next((other for other in others if text.count(other) == expected - 1 > 0), None)
    if other:
        reason += f"; it seems to be divided by {_NAMES[other]} instead of {dialect.words}"
    elif len(found) > len(names):
        reason += f"; a cell that holds {dialect.words} must stand in quotes"
    else:
        reason += "; cells are missing, or a line break stands outside quotes"
    return BadRow(line, "", excerpt, reason)


def _parted(held: list[str], dialect: Dialect) -> Iterator[list[str]]:
    """Read lines that hold returns without a line feed, as lines that some programs end so."""
    pieces = iter(_RETURN.split("".join(held)))
    reader = _reader(pieces, dialect, strict=False)
    while (found := next(reader, None)) is not None:
        yield found


def _raw_rows(source: ByteSource, dialect: Dialect) -> Iterator[tuple[int, list[str] | BadRow]]:
    csv.field_size_limit(LARGEST_CELL)
    held: list[str] = []
    strict = _reader(_lines(source, held), dialect, strict=True)
    while True:
        start = strict.line_num + 1
        held.clear()
        try:
            found: list[str] | BadRow = next(strict)
        except StopIteration:
            return
        except csv.Error as error:
            if str(error).startswith("new-line"):
                yield from ((start, row) for row in _parted(held, dialect) if row)
                continue
            found = _leniently(held, dialect, start, str(error))
        if found:
            yield start, found


def _reader(lines: Iterator[str], dialect: Dialect, *, strict: bool) -> Reader:
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        strict=strict,
    )


def _leniently(held: list[str], dialect: Dialect, start: int, problem: str) -> list[str] | BadRow:
    excerpt = "".join(held)[:EXCERPT]
    if problem.startswith("unexpected end"):
        reason = "a quoted cell opens in this row and never closes; the file may be cut off"
        return BadRow(start, "", excerpt, reason)
    if problem.startswith("field larger"):
        limit = f"{LARGEST_CELL >> 20} MB"
        reason = f"a cell is larger than {limit}; a quotation mark may be missing"
        return BadRow(start, "", excerpt, reason)
    # quotation marks inside a quoted cell that are not doubled: most programs let that pass
    try:
        return next(_reader(iter(held), dialect, strict=False), [])
    except csv.Error:
        reason = "a quotation mark and a bare carriage return stand where none can be read"
        return BadRow(start, "", excerpt, reason)


def column_names(header: list[str]) -> list[str]:
    """Name the columns: blanks get their number, repeated names `#2`, `#3`."""
    names: list[str] = []
    counts: Counter[str] = Counter()
    taken = set(header)
    for number, cell in enumerate(header, start=1):
        name = cell.strip() or f"column {number}"
        counts[name] += 1
        unique = name
        while counts[name] > 1 and (unique == name or unique in taken):
            unique = f"{name}#{counts[name]}"
            if unique in taken:
                counts[name] += 1
        taken.add(unique)
        names.append(unique)
    return names
