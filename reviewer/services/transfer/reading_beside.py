"""Read a large file in a process of its own, beside this one, which stores its rows.

This process reads as well until the other has started and caught up, and again by itself where
the other comes to its end before the file's: whatever happens to it, the same rows come.
"""

import contextlib
import itertools
import logging
import os
import pickle
import selectors
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, NamedTuple

from typing_extensions import override

from reviewer.domain.errors import FormatError, Progress, heed
from reviewer.formats.incoming import Incoming, Source
from reviewer.services.computer import secrets
from reviewer.services.transfer.file_reading import HEADER, Asked, question, read
from reviewer.services.transfer.import_report import STOPPED
from reviewer.services.transfer.package_readers import Told

_LOG: Final = logging.getLogger(__name__)
LARGE: Final = 4 << 20
LARGE_PACKED: Final = 1 << 18
"""Bytes on disk, of a plain file and of a packed one, from which on a second process is worth it:
it takes half a second to start."""
_PACKED: Final = (b"PK", b"\x1f\x8b", b"PAR1")
_LIGHT: Final = ("native",)
"""Formats whose rows are read as quickly as they are taken over."""
_AHEAD: Final = 4 << 20
"""Bytes of the answer that wait here to be taken."""
_PIPE: Final = 1 << 20
_LOOK_ROWS: Final = 16
_LOOK_S: Final = 0.05


@contextmanager
def rows_of(asked: Asked, progress: Progress) -> Iterator[tuple[Source, Iterator[Incoming]]]:
    """Open a file that will be read to its end, and give its source, for progress, and its rows.

    Raises:
        FormatError: It cannot be opened; while reading, it is damaged.
        CancelledError: While reading, nobody waits for it any more.
    """
    answer = None
    if asked.sniffed.format not in _LIGHT and _is_large(asked.file):
        answer = _Answer.begin(asked)
    if answer is None:
        with read(asked) as both:
            yield both
        return
    place = _Place(asked.file, asked.file.stat().st_size)
    try:
        with contextlib.closing(_rows(asked, place, answer, progress)) as rows:
            yield place, rows
    finally:
        answer.end()


def _is_large(file: Path) -> bool:
    # a pipe of Windows cannot be asked without waiting for it
    if _processors() < 2 or sys.platform == "win32":
        return False
    # what cannot be opened is told by whoever opens it
    with contextlib.suppress(OSError), file.open("rb") as content:
        size = os.fstat(content.fileno()).st_size
        return size >= LARGE or (size >= LARGE_PACKED and content.read(4).startswith(_PACKED))
    return False


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass
class _Place(Told):
    """How far a file is read, by whichever of the two processes reads it."""

    source: Source | None = None

    @override
    def position(self) -> int:
        return self.done if self.source is None else self.source.position()


class _Part(NamedTuple):
    """A part of an answer as it came, and the numbers of the rows in it; the last has none."""

    packed: bytes
    first: int
    end: int

    @property
    def is_last(self) -> bool:
        return self.first == self.end


class _Answer:
    """What the process that reads has handed over, as far as it is not taken yet."""

    def __init__(self, process: "subprocess.Popen[bytes]", pipe: IO[bytes]) -> None:
        self._process = process
        self._pipe = pipe
        os.set_blocking(pipe.fileno(), False)
        _widen(pipe.fileno())
        self._waiting = selectors.DefaultSelector()
        self._waiting.register(pipe, selectors.EVENT_READ)
        self._came = bytearray()
        self._is_over = False
        self._row = 0
        self._next: _Part | None = None

    @classmethod
    def begin(cls, asked: Asked) -> "_Answer | None":
        """Start a process and ask it; None where the system does not let us.

        Raises:
            FormatError: There is no such format.
        """
        words = question(asked)
        frozen = getattr(sys, "frozen", False)
        start = ["--reading"] if frozen else ["-P", "-m", "reviewer.worker.beside"]
        path = os.pathsep.join(x for x in sys.path if x)
        try:
            process = subprocess.Popen(  # noqa: S603 - the words are this program's own
                [sys.executable, *start],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # Ctrl-C is for this process alone, which then ends the other
                start_new_session=True,
                env={**secrets.without_keys(), "PYTHONPATH": path},
            )
        except OSError as error:
            _LOG.warning("no process to read a file beside: %s", type(error).__name__)
            return None
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        # one that ended at once is missed where its answer is
        with contextlib.suppress(OSError), process.stdin as asking:
            asking.write(words)
        return cls(process, process.stdout)

    def end(self) -> None:
        """End the process, whether its answer is wanted to the end or not."""
        self._process.kill()
        self._process.wait()
        self._waiting.close()
        self._pipe.close()

    def take(self, seconds: float = 0) -> None:
        """Take what has come, or comes within some seconds: a full pipe holds up the process."""
        is_enough = len(self._came) >= max(_AHEAD, self._next_size())
        if is_enough or self._is_over or not self._waiting.select(seconds):
            return
        piece = os.read(self._pipe.fileno(), _PIPE)
        self._is_over = not piece
        self._came += piece

    def has_come_to(self, row: int) -> bool:
        """Tell whether there is a part with what follows a row; those before are dropped."""
        self.take()
        while self._next is None or self._next.end <= row:
            # an answer that ends before there is anything new is of no use
            part = None if self._next is not None and self._next.is_last else self._part()
            if part is None:
                return False
            self._next = part
        return True

    def parts(self, progress: Progress) -> Iterator[_Part]:
        """Give the parts of the answer from the one that was come to; fewer where it breaks off.

        Raises:
            CancelledError: Nobody waits for them any more.
        """
        part = self._next
        while part is not None:
            yield part
            if part.is_last:
                return
            while (part := self._part()) is None and not self._is_over:
                heed(progress, STOPPED)
                self.take(_LOOK_S)

    def _part(self) -> _Part | None:
        """Cut off the next part, where it has come whole."""
        end = self._next_size()
        if len(self._came) < end:
            return None
        _, rows = HEADER.unpack_from(self._came)
        packed = bytes(memoryview(self._came)[HEADER.size : end])
        del self._came[:end]
        self._row += rows
        return _Part(packed, self._row - rows, self._row)

    def _next_size(self) -> int:
        """Give the bytes of the next part and what stands before it, as far as that is known."""
        if len(self._came) < HEADER.size:
            return HEADER.size
        return HEADER.size + int(HEADER.unpack_from(self._came)[0])


def _widen(pipe: int) -> None:
    """Let a pipe hold whole parts, where it can: each piece of one waits for this process."""
    if sys.platform == "linux":
        import fcntl  # unknown to Windows

        # the system may allow less
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _rows(
    asked: Asked, place: _Place, answer: _Answer, progress: Progress
) -> Generator[Incoming, None, None]:
    number = 0
    with read(asked) as (place.source, rows):
        for number, row in enumerate(rows, start=1):
            yield row
            if number % _LOOK_ROWS == 0 and answer.has_come_to(number):
                break
        else:
            return
        place.done = place.position()
    place.source = None
    for part in answer.parts(progress):
        # this very program packed it
        place.done, some, why_early = pickle.loads(part.packed)  # noqa: S301
        for row in some[number - part.first :]:
            yield row
            number += 1
            if number % _LOOK_ROWS == 0:
                answer.take()
        if why_early is not None:
            raise FormatError(why_early)
        if part.is_last:
            return
    _LOG.warning("the process that reads a file ended after %d rows; reading on here", number)
    with read(asked) as (place.source, rows):
        yield from itertools.islice(rows, number, None)
