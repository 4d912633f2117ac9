"""Tell what a file holds by looking at its start; what holds no text is named."""

import io
import itertools
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reviewer.domain.errors import FormatError
from reviewer.formats import archives, delimited, json_text, registry
from reviewer.formats.delimited import Dialect
from reviewer.formats.format import RECORDS, Look, Shape, Sniffed
from reviewer.formats.incoming import BadRow
from reviewer.formats.native import is_native, is_single
from reviewer.formats.opening import opened
from reviewer.formats.paths import quoted
from reviewer.formats.streams import (
    UTF_8,
    Stream,
    encoding_of,
    open_stream,
    read_head,
)

_KEY = re.compile(rb"(?:---\s+|#.*\n|\s+)*[A-Za-z_]\w*:(?=\s)")
_LOOK = 8 << 20
_LARGEST_RECORD = 72 << 20
_FEW = 50
_DEEPEST = 3
_WIDEST = 5_000
"""Columns; with more, a table is none that a tool wrote."""
_FIRST = 3
_START = 200
_OF_ROWS = ("native", "json")
"""Formats that one object cut off could be of, whatever it holds."""
RESULTS = "results"
"""Where reports keep their rows, whatever longer lists stand beside."""
_DATA = "data"
"""Where pandas keeps them, in a table with a schema."""


class Glimpse:
    """The first bytes of a file as a source of its own, which notes when more was wanted."""

    def __init__(self, source: Stream, limit: int) -> None:
        self._source = source
        self._left = limit
        self.cut = False

    def read(self, size: int = -1, /) -> bytes:
        """Read up to the limit."""
        wanted = self._left if size < 0 else min(size, self._left)
        piece = self._source.read(wanted) if wanted else b""
        self._left -= len(piece)
        self.cut = self.cut or self._left == 0
        return piece

    def readline(self, limit: int = -1, /) -> bytes:
        """Read a line up to the limit."""
        wanted = self._left if limit < 0 else min(limit, self._left)
        piece = self._source.readline(wanted) if wanted else b""
        self._left -= len(piece)
        self.cut = self.cut or self._left == 0
        return piece


def sniff(path: Path) -> Sniffed:
    """Tell what a file holds.

    Raises:
        FormatError: It is missing, empty, binary, damaged, or no table and no JSON.
    """
    head = read_head(path)
    if not head.strip(b" \t\r\n\xef\xbb\xbf\0"):
        raise FormatError(f"{path.name} is empty; there is nothing to import.")
    packed = _packed(head, path)
    if packed is not None:
        return packed
    known = name_of(head, path)
    if known is not None:
        raise FormatError(f"{path.name} is {known}.")
    encoding = encoding_of(head)
    if encoding is None:
        raise FormatError(
            f"{path.name} is a binary file of a kind that is not known here; "
            "JSON, JSON Lines, CSV, TSV, a workbook or Parquet is expected."
        )
    said = f"{path.name} {encoding.sentence}" if encoding.sentence else ""
    sentences = (said,) if encoding is not UTF_8 and said else ()
    with open_stream(path) as source:
        first = source.peek(1 << 16).lstrip()[:1]
    found = (_json(path, first) if first in (b"{", b"[") else _yaml(path)) or _table(path)
    return found._replace(sentences=(*sentences, *found.sentences))


def _packed(head: bytes, path: Path) -> Sniffed | None:
    """Find the format that reads a file which is no text, None where there is none."""
    if head.startswith(_ZIP):
        try:
            names = tuple(archives.names(path))
        except FormatError:
            return None
        return _known(Look("archive", "a ZIP archive", names=names, head=head[:512], path=path))
    return _known(Look("binary", "a binary file", head=head[:512], path=path))


def _json(path: Path, first: bytes) -> Sniffed | None:
    if first == b"[":
        shape: Shape = "list"
        rows = _first_rows(path, "list", "")
        if not rows and _looks_delimited(path):
            return None
        return _recognised(Look("list", "a JSON list of objects", rows, path=path))
    shape = _shape_of_objects(path)
    if shape != "object":
        rows = _first_rows(path, shape, "")
        words = "one JSON object a line" if shape == "lines" else "JSON objects one after another"
        return _recognised(Look(shape, words, rows, path=path))
    single = _single_line(path)
    if single is not None and single.format not in _OF_ROWS:
        return single
    return _object(path)


def _single_line(path: Path) -> Sniffed | None:
    """Find the format of which a file of one object on one line is a line, as of one row."""
    with open_stream(path) as source:
        line = source.readline(_LOOK)
        is_whole = len(line) < _LOOK and not source.read(1)
    item = next(json_text.lines(io.BytesIO(line)), None) if is_whole else None
    if not isinstance(item, json_text.Item):
        return None
    return _known(Look("lines", "one JSON object a line", (item.value,), path=path))


def _object(path: Path) -> Sniffed:
    """Look into one object; one that is cut off is read as far as a tool's own reader knows it."""
    lengths: dict[str, float] = {}
    top: dict[str, Any] = {}
    problem: FormatError | None = None
    with open_stream(path) as source:
        glimpse = Glimpse(source, _LOOK)
        try:
            _measure(json_text.JsonText(glimpse), "", lengths, top)
        except FormatError as error:
            if not glimpse.cut:
                problem = FormatError(f"{path.name}, {error}.")
    lengths = {name: length for name, length in lengths.items() if length}
    known = _DATA if _is_of_pandas(top) else RESULTS
    records = max(lengths, key=lambda name: (name == known, lengths[name]), default=".")
    where = f"records under {records}" if records != "." else "one record"
    look = Look("object", f"a JSON object with {where}", records=records, top=top, path=path)
    if problem is not None:
        found = _known(look)
        if found is None or found.format in _OF_ROWS:
            raise problem
        return found
    return _recognised(look._replace(rows=_first_rows(path, "object", records)))


def _is_of_pandas(top: dict[str, Any]) -> bool:
    """Tell a table whose columns are described before its rows."""
    schema = top.get("schema")
    return isinstance(schema, dict) and "pandas_version" in schema


def _yaml(path: Path) -> Sniffed | None:
    """Find the format whose YAML a file is by its first keys, None where it is of none."""
    with open_stream(path) as source:
        start = source.read(1 << 12)
    is_document = _KEY.match(start) is not None
    return _known(Look("yaml", "a YAML document", head=start, path=path)) if is_document else None


def _recognised(look: Look) -> Sniffed:
    found = _known(look)
    if found is None:
        raise FormatError(f"No format reads {look.words}.")
    return found


def _known(look: Look) -> Sniffed | None:
    for known in registry.FORMATS:
        reason = known.recognise(look) if look.shape in known.shapes else None
        if reason is not None:
            said = known.remarks(look) if known.remarks is not None else ()
            found = Sniffed(known.name, look.shape, reason, look.dialect, look.records, said)
            may_be_of_tool = known.rows is not None and look.shape not in RECORDS
            return _of_tool(found, look) if may_be_of_tool else found
    return None


def _of_tool(table: Sniffed, look: Look) -> Sniffed:
    """Find the tool whose reader takes the rows of a table; it stays a table where none does."""
    if len(look.header) > _WIDEST:
        return table
    # what is empty is left out by some tools, and null with others
    for blanks in (False, True):
        whole = Sniffed("", "rows", "", table=table, blanks=blanks)
        try:
            with opened(look.path, whole) as source:
                first = list(itertools.islice(json_text.items(source, "rows"), _FEW))
        # what is damaged is told by whoever reads it
        except FormatError:
            return table
        values = [item.value for item in first if isinstance(item, json_text.Item)]
        rows = tuple(row for row in values if any(x is not None for x in row.values()))
        found = _known(Look("rows", table.reason, rows, path=look.path)) if rows else None
        if found is not None:
            sentences = (*table.sentences, *found.sentences)
            return found._replace(sentences=sentences, table=table, blanks=blanks)
    return table


def _first_rows(path: Path, shape: Shape, records: str) -> tuple[Any, ...]:
    with open_stream(path) as source:
        glimpse = Glimpse(source, _LARGEST_RECORD)
        items: Iterator[json_text.Item | BadRow]
        if shape == "lines":
            items = json_text.lines(glimpse)
        elif shape == "documents":
            items = json_text.documents(glimpse)
        else:
            items = json_text.elements(glimpse, records)
        first = list(itertools.islice(items, _FEW))
    rows = tuple(item.value for item in first if isinstance(item, json_text.Item))
    if first and not rows and isinstance(first[0], BadRow) and not _looks_delimited(path):
        raise FormatError(f"{path.name}, line {first[0].line}: {first[0].reason}.")
    return rows


def _shape_of_objects(path: Path) -> Shape:
    """Tell lines, objects one after another, and a single object apart."""
    with open_stream(path) as source:
        text = json_text.JsonText(Glimpse(source, _LOOK))
        text.peek()
        start = text.line
        try:
            if path.stat().st_size > _LOOK:
                _find_end(path)
            value = text.value()
        except FormatError:
            return "lines" if _breaks_early(path) or _has_large_line(path) else "object"
        same_line = text.line == start
        more = bool(text.peek())
    if more:
        return "lines" if same_line else "documents"
    return "lines" if same_line and _is_line(value) else "object"


def _find_end(path: Path) -> None:
    """Go through an object piece by piece, which takes a part of the time of reading it whole.

    Raises:
        FormatError: Its end cannot be seen from here, or is none.
    """
    with open_stream(path) as source:
        _measure(json_text.JsonText(Glimpse(source, _LOOK)), "", {}, {})


def _is_line(value: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    """Tell whether a single value is one row of a file of rows, rather than what holds them."""
    return is_single(value) or is_native([value])


def _has_large_line(path: Path) -> bool:
    """Tell whether the first line, too large to be looked at whole, is one value of several.

    A single one is a line where it is a record of ours, and else a document without line breaks.
    """
    size = 0
    with open_stream(path) as source:
        while size < _LARGEST_RECORD and (piece := source.readline(1 << 20)):
            size += len(piece)
            if piece.endswith(b"\n"):
                break
        else:
            return False
        is_only = not source.read(1 << 16).strip()
    with open_stream(path) as source:
        first = next(json_text.lines(source), None)
    return isinstance(first, json_text.Item) and (not is_only or _is_line(first.value))


def _breaks_early(path: Path) -> bool:
    """Tell whether a broken first value ends with its line: the next lines may be whole."""
    with open_stream(path) as source:
        lines = json_text.lines(Glimpse(source, _LOOK))
        first = itertools.islice(lines, _FEW)
        # a text or number on a line of its own stands in a list of an indented document
        values = [item.value for item in first if isinstance(item, json_text.Item)]
    return any(isinstance(value, dict) and value for value in values)


def _measure(
    text: json_text.JsonText, path: str, lengths: dict[str, float], top: dict[str, Any]
) -> None:
    """Note what an object holds, and how long its lists of objects are; one cut off is longest."""
    text.take("{")
    while not text.take("}"):
        name = str(text.value())
        here = f"{path}.{quoted(name)}" if path else quoted(name)
        text.take(":")
        if text.peek() == "{" and here.count(".") < _DEEPEST:
            inner: dict[str, Any] = {}
            top[name] = inner
            _measure(text, here, lengths, inner)
        elif text.peek() == "[":
            lengths[here] = math.inf
            top[name] = []
            lengths[here] = _length(text, top[name])
        else:
            value = text.value()
            top[name] = value[:_START] if isinstance(value, str) else value
        text.take(",")


def _length(text: json_text.JsonText, first: list[Any]) -> int:
    """Count a list's elements where they are objects, and keep its first values."""
    text.take("[")
    text.expect_alike()
    count = 0
    while not text.take("]"):
        value = text.value()
        count += 1
        if len(first) < _FIRST:
            first.append(value)
        if not text.take(",") and text.peek() != "]":
            raise text.problem("a comma or ] is expected here")
    text.expect_anything()
    return count if first and isinstance(first[0], dict) else 0


def _looks_delimited(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".tab"))


def _table(path: Path) -> Sniffed:
    with open_stream(path) as source:
        start = source.read(1 << 17)
        whole = not source.read(1)
    text = start.decode("utf-8", "surrogateescape")
    dialect, columns = delimited.guess(text, whole=whole)
    if columns < 2 and not _looks_delimited(path):
        if _is_value(text):
            raise FormatError(
                f"{path.name} holds JSON, but no object in it; a list of objects or one object a "
                "line is expected."
            )
        raise FormatError(
            f"{path.name} holds text, but neither JSON nor a table: no comma, semicolon, tab or "
            "vertical bar divides its lines into columns."
        )
    count = "1 column" if columns == 1 else f"{columns} columns divided by {dialect.words}"
    return _recognised(
        Look(
            "table",
            f"a table with {count}",
            header=_header(text, dialect),
            dialect=dialect,
            path=path,
        )
    )


def _is_value(text: str) -> bool:
    """Tell whether a text begins with a line that is a JSON value."""
    try:
        json.loads(text.split("\n", 1)[0])
    except ValueError:
        return False
    return True


def _header(text: str, dialect: Dialect) -> tuple[str, ...]:
    source = io.BytesIO(text.encode("utf-8", "surrogateescape"))
    for row in delimited.rows(source, dialect._replace(header=False)):
        if not isinstance(row, BadRow):
            return tuple(row.cells.values())
    return ()


_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3\0", "an SQLite database; export its table as CSV, or open it as a project"),
    (b"%PDF", "a PDF document; no records can be read from it"),
    (b"\x89PNG", "an image; no records can be read from it"),
    (b"\xff\xd8\xff", "an image; no records can be read from it"),
    (b"GIF8", "an image; no records can be read from it"),
    (b"ARROW1", "an Arrow file; save it as CSV or JSON Lines first"),
    (b"Obj\x01", "an Avro file; save it as CSV or JSON Lines first"),
    (b"\x89HDF", "an HDF5 file; save it as CSV or JSON Lines first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first, or use gzip"),
    (b"BZh", "compressed with bzip2; unpack it first, or use gzip"),
    (b"\xfd7zXZ", "compressed with xz; unpack it first, or use gzip"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\xd0\xcf\x11\xe0", "an old Office file or one with a password; save it as .xlsx without"),
    (b"\x80\x04", "a Python pickle, which is never opened since it may run programs"),
    (b"\x7fELF", "a program; no records can be read from it"),
    (b"MZ", "a program; no records can be read from it"),
)
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_MARKUP = re.compile(rb"\s*<(?:!doctype\s+html|html|\?xml|svg)", re.IGNORECASE)


def name_of(head: bytes, path: Path) -> str | None:
    """Say what a file is by its first bytes, None where they are nothing known."""
    if head.startswith((_ZIP, _EMPTY_ZIP)):
        return _inside(path)
    if head[257:262] == b"ustar":
        return "a tar archive; unpack it first"
    if _MARKUP.match(head):
        return "a web page or XML; export the results as JSON or CSV instead"
    return next((name for start, name in _STARTS if head.startswith(start)), None)


def _inside(path: Path) -> str:
    try:
        names = list(itertools.islice(archives.names(path), 1000))
    except FormatError:
        return "a ZIP archive that is damaged; copy or download it again"
    if any(name.startswith("xl/") for name in names):
        return "an Excel workbook of an unknown kind; save it as .xlsx, or the sheet as CSV"
    if any(name.startswith("word/") for name in names):
        return "a Word document; no records can be read from it"
    if "mimetype" in names and "content.xml" in names:
        return "an OpenDocument file without a table; save what it holds as CSV"
    listed = ", ".join(names[:3]) or "nothing"
    return f"a ZIP archive that holds {listed}; unpack it first"
