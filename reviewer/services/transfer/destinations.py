"""Where an export goes: a file that is whole or not there, or a pipe or device written through."""

import contextlib
import gzip
import hashlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from typing_extensions import Buffer, override

from reviewer.domain.errors import ProjectError, refusal
from reviewer.services.computer import whole_files

STANDARD_OUTPUT = Path("-")
BUFFER = 1 << 20
_OPEN_ALREADY = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}
_REFUSED = {
    stat.S_IFDIR: "a folder",
    stat.S_IFBLK: "a disk",
    stat.S_IFSOCK: "a socket",
}


@dataclass(frozen=True)
class Destination:
    """Where the bytes of an export go, and what they came to once all are written."""

    sink: "_Sink"
    stream: IO[bytes]


class _Sink(io.RawIOBase):
    """A file that knows its size and its hash."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.bytes = 0

    @override
    def writable(self) -> bool:
        return True

    @override
    def tell(self) -> int:
        return self.bytes

    @override
    def write(self, content: Buffer, /) -> int:
        self._hash.update(content)
        size = len(memoryview(content).cast("B"))
        self.bytes += size
        self._file.write(content)
        return size

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


def goes_through(to: Path) -> bool:
    """Tell whether what is written goes through at once: no file is there to be replaced.

    Raises:
        ProjectError: It can be neither replaced nor written through.
    """
    if to == STANDARD_OUTPUT or _number(to) is not None:
        return True
    try:
        kind = stat.S_IFMT(to.stat().st_mode)
    except OSError:
        return False
    if kind in _REFUSED:
        raise ProjectError(f"{to} is {_REFUSED[kind]}; name a file, a pipe or - for the export.")
    return kind != stat.S_IFREG


def _number(to: Path) -> int | None:
    """Give the number of a file that is open already, by the name that the system has for it."""
    known = _OPEN_ALREADY.fullmatch(str(to))
    return int(known[1]) if known else _STANDARD.get(str(to))


@contextlib.contextmanager
def opened(to: Path) -> Iterator[Destination]:
    """Open a destination; a file is there under its name once the block ends well.

    Raises:
        ProjectError: It cannot be written, the disk is full, or nobody reads the pipe any more.
    """
    if goes_through(to):
        try:
            with _through(to) as file:
                yield from _filled(file, to)
        except OSError as error:
            what = "standard output" if to == STANDARD_OUTPUT else str(to)
            raise ProjectError(f"{what} could not be written: {refusal(error)}.") from error
        return
    with whole_files.part_of(to) as part:
        with part.open("wb", buffering=0) as file:
            yield from _filled(file, to)
        whole_files.put(part, to)


@contextlib.contextmanager
def _through(to: Path) -> Iterator[IO[bytes]]:
    number = 1 if to == STANDARD_OUTPUT else _number(to)
    if number == 1:
        sys.stdout.flush()
    # a copy of the number, so that closing it leaves the program's own open
    place = to if number is None else os.dup(number)
    with open(place, "wb") as file:  # noqa: PTH123 - numbers have no Path
        yield file


def _filled(file: IO[bytes], to: Path) -> Iterator[Destination]:
    sink = _Sink(file)
    buffered = io.BufferedWriter(sink, BUFFER)
    stream = cast(IO[bytes], buffered)
    if to.name.lower().endswith(".gz"):
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=buffered, mtime=0)
        stream = cast(IO[bytes], packed)
    yield Destination(sink, stream)
    # what it packs goes through the buffer, which is emptied last
    stream.close()
    buffered.close()
    file.flush()
