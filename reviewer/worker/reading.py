"""Read files with a reader of an installed package and hand over what it gives, line by line.

A line that is asked is `{"do": "look" | "read", "file": PATH}`. To look is answered with one line,
`{"reason": …}`. To read is answered with lines that begin with a sign, up to an empty one: `+` and
a record, `-` and line, field and reason of a row that cannot be used, `%` and how far the reader
is, in millionths, and `!` with why it ended before its end.
"""

import json
import signal
import socket
import time
from pathlib import Path
from typing import Any, Final

from reviewer.confined.process import LARGEST, MEGABYTE
from reviewer.services.computer.plugins import reason_of, why

WHOLE: Final = 1_000_000
_PIECE: Final = 1 << 16
_OFTEN: Final = 0.02
"""Seconds after which what was read is handed over, however little it is."""
_AT_ONCE: Final = 1_000
"""Rows that are handed over one by one, so that it is known after which of them a reader died."""
_encoded = json.JSONEncoder(allow_nan=False).encode


def serve(reader: Any, line: socket.socket, limit: int) -> None:  # noqa: ANN401  # of a stranger
    """Answer until nobody asks any more; what takes `limit` seconds ends the process."""
    with line.makefile("rb") as calls:
        for call in calls:
            asked = json.loads(call)
            file = Path(asked["file"])
            signal.alarm(limit)
            if asked["do"] == "look":
                line.sendall(_looked(reader, file) + b"\n")
            else:
                _read(reader, file, _Out(line, limit))
            signal.alarm(0)


def _looked(reader: Any, file: Path) -> bytes:  # noqa: ANN401  # of a stranger
    """Ask a reader by what it knows a file; a mere function knows none by itself."""
    try:
        look = getattr(reader, "recognise", None)
        reason = None if look is None else look(file)
        found = {"reason": reason if isinstance(reason, str) else None}
    except MemoryError:
        found = {"greedy": "memory"}
    # whatever a stranger's reader does; SystemExit would look like a crash
    except (Exception, SystemExit) as error:  # noqa: BLE001
        found = {"error": why(error)}
    return json.dumps(found).encode()


class _Out:
    """The line on which rows go, many at once, and how far the reader says that it is."""

    def __init__(self, line: socket.socket, limit: int) -> None:
        self._line = line
        self._limit = limit
        self._waiting: list[str] = []
        self._size = 0
        self._count = 0
        self._sent = time.monotonic()
        self._share = self._told = 0

    def progress(self, done: float, total: float) -> None:
        """Take in that so much of the whole is read."""
        self._share = round(min(max(done / total, 0), 1) * WHOLE) if total > 0 else 0
        if self._share != self._told and time.monotonic() - self._sent >= _OFTEN:
            self._tell()
            self.flush()

    def row(self, text: str) -> None:
        """Hand over a row, soon."""
        if self._share != self._told:
            self._tell()
        self._put(text)
        self._count += 1
        if (
            self._count <= _AT_ONCE
            or self._size >= _PIECE
            or time.monotonic() - self._sent >= _OFTEN
        ):
            self.flush()

    def end(self, why_early: str = "") -> None:
        """Hand over all that waits, and that there is no more."""
        if why_early:
            self._put(why_early)
        self._put("")
        self.flush()

    def flush(self) -> None:
        """Hand over all that waits."""
        # whoever takes the rows has all the time it wants
        signal.alarm(0)
        self._line.sendall("".join(self._waiting).encode())
        signal.alarm(self._limit)
        self._waiting.clear()
        self._size = 0
        self._sent = time.monotonic()

    def _tell(self) -> None:
        self._told = self._share
        self._put(f"%{self._told}")

    def _put(self, text: str) -> None:
        self._waiting.append(f"{text}\n")
        self._size += len(text)


def _read(reader: Any, file: Path, out: _Out) -> None:  # noqa: ANN401  # of a stranger
    why_early = ""
    try:
        read = getattr(reader, "read", None)
        given = reader(file) if read is None else read(file, out.progress)
        for number, row in enumerate(given, start=1):
            out.row(_row(row, number))
    except MemoryError:
        why_early = '!{"greedy": true}'
    # whatever a stranger's reader does; SystemExit would look like a crash
    except (Exception, SystemExit) as error:  # noqa: BLE001
        why_early = "!" + json.dumps({"error": why(error)})
    out.end(why_early)


def _row(given: Any, number: int) -> str:  # noqa: ANN401  # a stranger gives anything
    """Write a record; an exception in its place is the reason why there is none."""
    if isinstance(given, Exception):
        line, place = getattr(given, "line", number), getattr(given, "field", "")
        return _bad(line if isinstance(line, int) else number, f"{place}", reason_of(given))
    try:
        record = _encoded(given)
    # nested without end, or with methods of its own
    except Exception as error:  # noqa: BLE001
        return _bad(number, "", f"it is no record of JSON values: {reason_of(error)}")
    if len(record) >= LARGEST:
        return _bad(number, "", f"it has more than {LARGEST // MEGABYTE} MB")
    return f"+{record}"


def _bad(line: int, field: str, reason: str) -> str:
    return "-" + json.dumps([line, field, reason])
