"""Read a file's rows by its format, here or for another process that takes them."""

import pickle
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from reviewer.domain.errors import FormatError
from reviewer.formats.format import Beginner, Format, Sniffed
from reviewer.formats.incoming import Incoming, Source, Unmade
from reviewer.formats.mapping import Mapping
from reviewer.formats.opening import opened

HEADER: Final = struct.Struct("<QI")
"""What stands before each part of an answer: its bytes, and how many rows they are."""
_MOST: Final = 64
_AWAITED_S: Final = 0.005
"""Until when a part is taken by one that waits for it."""
_OFTEN_S: Final = 0.03
"""After how long rows are handed over, however few: long ones are not heaped up."""


class Asked(NamedTuple):
    """What is read, and how."""

    file: Path
    sniffed: Sniffed
    mapping: Mapping | None


class _Question(NamedTuple):
    """What another process is asked: a file, and what reads its format."""

    asked: Asked
    begin: Beginner


@contextmanager
def read(asked: Asked) -> Iterator[tuple[Source, Iterator[Incoming]]]:
    """Open a file and give its source, for progress, and its rows.

    Raises:
        FormatError: It cannot be opened, or there is no format of that name.
    """
    file, sniffed, mapping = asked
    reader = _format_of(sniffed).read
    with opened(file, sniffed) as source:
        yield source, reader(source, sniffed, mapping)


def question(asked: Asked) -> bytes:
    """Spell for `serve` what is asked of it.

    Raises:
        FormatError: There is no format of that name.
    """
    known = _format_of(asked.sniffed)
    return pickle.dumps(_Question(asked, known.begin or known.read))


def _format_of(sniffed: Sniffed) -> Format:
    # to load them all takes as long as to start, and the other process needs only one
    from reviewer.formats import registry

    known = registry.find(sniffed.format)
    if known is None:
        raise FormatError(f"There is no format {sniffed.format!r}.")
    return known


def serve(asking: BinaryIO, out: BinaryIO) -> None:
    """Read the one file that is asked for, and hand over its rows, many at a time.

    A part of the answer is `(position, rows, None)`; the last one has no rows, but why the file
    cannot be read to its end, where it cannot. An answer without that one is none: what is
    unexpected is told by whoever reads the file itself then. Some rows of a part are handed over
    unmade: one more each time as long as parts are taken at once, half as many after one that had
    to wait, as whoever takes them has enough to do then.
    """
    # another process of this very program asks
    asked, begin = _Question(*pickle.load(asking))  # noqa: S301
    why_early = None
    some: list[Incoming | Unmade] = []
    position = 0
    unmade = _MOST
    try:
        with opened(asked.file, asked.sniffed) as source:
            until = time.monotonic() + _OFTEN_S
            for row in begin(source, asked.sniffed, asked.mapping):
                some.append(row.make() if isinstance(row, Unmade) and len(some) >= unmade else row)
                if len(some) == _MOST or time.monotonic() >= until:
                    position = source.position()
                    waited = _hand_over(out, len(some), (position, some, None)) > _AWAITED_S
                    unmade = unmade // 2 if waited else min(unmade + 1, _MOST)
                    some, until = [], time.monotonic() + _OFTEN_S
            position = source.position()
    except FormatError as error:
        why_early = str(error)
    if some:
        _hand_over(out, len(some), (position, some, None))
    _hand_over(out, 0, (position, [], why_early))


def _hand_over(
    out: BinaryIO, rows: int, part: tuple[int, list[Incoming | Unmade], str | None]
) -> float:
    """Hand over a part of the answer, and give the seconds until it was taken."""
    try:
        packed = pickle.dumps(part, pickle.HIGHEST_PROTOCOL)
    except RecursionError:
        # what is nested too deeply is no part of a row that was made
        position, some, why_early = part
        made = [x.make() if isinstance(x, Unmade) else x for x in some]
        packed = pickle.dumps((position, made, why_early), pickle.HIGHEST_PROTOCOL)
    started = time.monotonic()
    out.write(HEADER.pack(len(packed), rows))
    out.write(packed)
    out.flush()
    return time.monotonic() - started
