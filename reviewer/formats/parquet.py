"""Read Parquet, a few rows at a time: our own records as they are, other tables by a mapping.

Lists and structs become lists and objects, maps objects, times ISO 8601 to the microsecond, bytes
a text where they are UTF-8 and else base64. What a struct lacks is null in Parquet, and absent
here; so is a number that is NaN, and the index that pandas adds. In our own records a list or
object may stand as JSON in a text, since a column has one type only. Files written by pyarrow and
pandas were read; encrypted ones are refused.
"""

import base64
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any

from reviewer.domain.errors import FormatError
from reviewer.domain.record import RECORD, TEXT_KINDS, Kind
from reviewer.formats.delimited import column_names
from reviewer.formats.format import Format, Look, Shape, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, RawRow, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.native import is_native
from reviewer.formats.paths import Json, Row, parsed
from reviewer.formats.record import checked
from reviewer.formats.streams import open_plain
from reviewer.formats.tables import reading

_MAGIC = b"PAR1"
_MOST_ROWS = 256
_BATCH = 8 << 20
_BUFFER = 1 << 20
_FEW = 50
_INDEX = "__index_level_"
_PLAIN = TEXT_KINDS | {Kind.NUMBER, Kind.SHARE, Kind.TRUTH, Kind.CONTENT}
_OPENED = frozenset(field.name for field in RECORD.fields if field.kind not in _PLAIN)


def raw_rows(
    source: Source, sniffed: Sniffed, mapping: Mapping | None = None
) -> Iterator[RawRow | BadRow]:
    """Read the rows of a Parquet file as they are; their lines are numbers of rows, from 1."""
    del sniffed, mapping
    number = 0
    with _opened(source) as file:
        names = column_names(file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=rows_at_once(file), use_threads=False):
            columns = [_timed(column).to_pylist() for column in batch.columns]
            for values in zip(*columns, strict=True):
                number += 1
                row = {
                    name: _plain(value)
                    for name, value in zip(names, values, strict=True)
                    if not name.startswith(_INDEX)
                }
                yield RawRow(number, row)


def rows_at_once(file: Any) -> int:  # noqa: ANN401 - the library has no types
    """Tell how many rows may be held at once, by how large they are."""
    about = file.metadata
    groups = [about.row_group(at) for at in range(about.num_row_groups)]
    largest = max((x.total_byte_size // max(x.num_rows, 1) for x in groups), default=1)
    return max(1, min(_MOST_ROWS, _BATCH // max(largest, 1)))


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    # loaded only where there is such a file
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    name = source.path.name
    try:
        # page by page: of a whole group of rows, millions may be held
        with ParquetFile(source, pre_buffer=False, buffer_size=_BUFFER) as file:
            yield file
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name}: a column of texts holds bytes that are not UTF-8; write it as bytes."
        ) from error
    except (ArrowException, OSError, ValueError, OverflowError) as error:
        raise FormatError(
            f"{name}: the Parquet file is damaged, encrypted or cut off; "
            "copy or download it again, or write it without a key."
        ) from error


def _timed(column: Any) -> Any:  # noqa: ANN401 - the library has no types
    """Give times to the microsecond, beyond which Python's own do not go."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return column.cast(pa.timestamp("us", kind.tz), safe=False)
    if pa.types.is_duration(kind) and kind.unit == "ns":
        return column.cast(pa.duration("us"), safe=False)
    return column


def _plain(value: Any) -> Json:  # noqa: ANN401 - whatever a column holds
    """Say a value as JSON does."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items() if x is not None}
    if isinstance(value, list):
        # maps come as pairs, with keys that are texts
        if value and all(isinstance(x, tuple) and isinstance(x[0], str) for x in value):
            return {key: _plain(x) for key, x in value if x is not None}
        return [_plain(list(x) if isinstance(x, tuple) else x) for x in value]
    return _single(value)


def _single(value: float | Decimal | bytes | timedelta | datetime | date | time) -> Json:
    if isinstance(value, float | Decimal):
        return None if math.isnan(value) else float(value)
    if isinstance(value, bytes):
        return _text_of(value)
    return value.total_seconds() if isinstance(value, timedelta) else value.isoformat()


def _text_of(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


def _read_records(source: Source, sniffed: Sniffed, mapping: Mapping | None) -> Iterator[Incoming]:
    for row in raw_rows(source, sniffed, mapping):
        yield row if isinstance(row, BadRow) else checked(_record(row.values), row.line)


def _record(row: Row) -> Row:
    """Give a record of ours without the keys it lacks, with the JSON in its texts opened."""
    return {
        name: parsed(value) if name in _OPENED and isinstance(value, str) else value
        for name, value in row.items()
        if value is not None
    }


def _is_ours(look: Look) -> bool:
    with open_plain(look.path) as source:
        rows = list(islice(raw_rows(source, Sniffed("", "binary", "")), _FEW))
    return is_native([_record(row.values) for row in rows if isinstance(row, RawRow)])


def _recognise_records(look: Look) -> str | None:
    ours = look.head.startswith(_MAGIC) and _is_ours(look)
    return "a Parquet file with the keys of Reviewer's records" if ours else None


def _recognise_table(look: Look) -> str | None:
    return "a Parquet file" if look.head.startswith(_MAGIC) else None


_SHAPES: frozenset[Shape] = frozenset({"binary"})
RECORDS = Format(
    name="parquet-records",
    title="Reviewer records (Parquet)",
    suffixes=(".parquet",),
    recognised_by="a Parquet file with the keys of our records",
    shapes=_SHAPES,
    recognise=_recognise_records,
    read=_read_records,
)
TABLE = Format(
    name="parquet",
    title="Other tables (Parquet)",
    suffixes=(".parquet",),
    recognised_by="a Parquet file with other columns",
    shapes=_SHAPES,
    recognise=_recognise_table,
    read=reading(raw_rows, texts=False),
    rows=raw_rows,
)
