"""Bring what can be read only once, such as standard input, into files that can be read again."""

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from reviewer.domain.errors import FormatError, refusal

INPUT = "-"
STANDARD = frozenset({INPUT, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
NAME = "standard input"
MOST_BYTES = 8 << 30
"""The most that is taken from a pipe; a file may be larger."""
_PIECE = 1 << 20


@contextlib.contextmanager
def plain(files: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """Give files that can be read as often as wanted: pipes are written to temporary files.

    Raises:
        FormatError: A pipe cannot be read, holds too much, or the disk is full.
    """
    if not any(map(_is_pipe, files)):
        yield tuple(files)
        return
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        yield tuple(
            _spooled(file, Path(folder) / str(number)) if _is_pipe(file) else file
            for number, file in enumerate(files)
        )


def typed(file: Path) -> str:
    """Give a file as a person may type it anywhere; standard input stays what it is."""
    return str(file) if str(file) in STANDARD else str(file.absolute())


def _is_pipe(file: Path) -> bool:
    if str(file) in STANDARD:
        return True
    try:
        return stat.S_ISFIFO(file.stat().st_mode)
    except OSError:
        return False


def _spooled(file: Path, folder: Path) -> Path:
    folder.mkdir()
    is_standard = str(file) in STANDARD
    to = folder / (NAME if is_standard else file.name)
    try:
        with (
            os.fdopen(os.dup(sys.stdin.fileno()), "rb") if is_standard else file.open("rb")
        ) as source:
            _copy(source, to, NAME if is_standard else file.name)
    except OSError as error:
        raise FormatError(f"{to.name} cannot be read: {refusal(error)}.") from None
    return to


def _copy(source: BinaryIO, to: Path, name: str) -> None:
    left = MOST_BYTES
    with to.open("wb") as out:
        while piece := source.read(_PIECE):
            left -= len(piece)
            if left < 0:
                raise FormatError(
                    f"{name} holds more than {MOST_BYTES >> 30} GB; save it as a file and import "
                    "that."
                )
            out.write(piece)
