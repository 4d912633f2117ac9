"""Read a file's rows by its format, here or for another process that takes them."""

import pickle
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from reviewer.domain.errors import FormatError
from reviewer.formats.format import Reader, Sniffed
from reviewer.formats.incoming import Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.opening import opened

HEADER: Final = struct.Struct("<QI")
"""What stands before each part of an answer: its bytes, and how many rows they are."""
_MOST: Final = 64
_OFTEN_S: Final = 0.03
"""After how long rows are handed over, however few: long ones are not heaped up."""


class Asked(NamedTuple):
    """What is read, and how."""

    file: Path
    sniffed: Sniffed
    mapping: Mapping | None


@contextmanager
def read(
    asked: Asked, reader: Reader | None = None
) -> Iterator[tuple[Source, Iterator[Incoming]]]:
    """Open a file and give its source, for progress, and its rows.

    Args:
        asked: The file.
        reader: What reads its format; None to find that.

    Raises:
        FormatError: It cannot be opened, or there is no format of that name.
    """
    file, sniffed, mapping = asked
    reader = reader or _reader_of(sniffed)
    with opened(file, sniffed) as source:
        yield source, reader(source, sniffed, mapping)


def question(asked: Asked) -> bytes:
    """Spell for `serve` what is asked of it.

    Raises:
        FormatError: There is no format of that name.
    """
    return pickle.dumps((asked, _reader_of(asked.sniffed)))


def _reader_of(sniffed: Sniffed) -> Reader:
    # to load them all takes as long as to start, and the other process needs only one
    from reviewer.formats import registry

    known = registry.find(sniffed.format)
    if known is None:
        raise FormatError(f"There is no format {sniffed.format!r}.")
    return known.read


def serve(asking: BinaryIO, out: BinaryIO) -> None:
    """Read the one file that is asked for, and hand over its rows, many at a time.

    A part of the answer is `(position, rows, None)`; the last one has no rows, but why the file
    cannot be read to its end, where it cannot. An answer without that one is none: what is
    unexpected is told by whoever reads the file itself then.
    """
    # another process of this very program asks
    asked, reader = pickle.load(asking)  # noqa: S301
    why_early = None
    some: list[Incoming] = []
    position = 0
    try:
        with read(asked, reader) as (source, rows):
            until = time.monotonic() + _OFTEN_S
            for row in rows:
                some.append(row)
                if len(some) == _MOST or time.monotonic() >= until:
                    position = source.position()
                    _hand_over(out, len(some), (position, some, None))
                    some, until = [], time.monotonic() + _OFTEN_S
            position = source.position()
    except FormatError as error:
        why_early = str(error)
    if some:
        _hand_over(out, len(some), (position, some, None))
    _hand_over(out, 0, (position, [], why_early))


def _hand_over(out: BinaryIO, rows: int, part: object) -> None:
    packed = pickle.dumps(part, pickle.HIGHEST_PROTOCOL)
    out.write(HEADER.pack(len(packed), rows))
    out.write(packed)
    out.flush()
