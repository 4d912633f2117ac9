"""Numbers of entries that are the same in every copy of a project.

An entry that arises here gets a UUID of version 7: its first bits are the time, so that later ones
are greater. What came from a file gets one of version 8 that follows from its content, so that two
imports of one file, or two copies of one project, agree about it.
"""

import json
import os
import threading
import time
import uuid
from hashlib import blake2b
from typing import Any

Uid = bytes
"""16 bytes."""

_JSON = json.JSONEncoder(separators=(",", ":")).encode
_COUNTS = 1 << 12
"""What is counted within a millisecond; a count begins in the lower half of it."""
_LOW = (1 << 62) - 1


class _Clock:
    """The last moment and count given, so that the next one is later even within a millisecond."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def tick(self, wanted: int) -> int:
        """Give what is wanted, or what follows the last one.

        A clock that went back is not followed, and a full count borrows from the time to come.
        """
        with self._lock:
            self._last = max(wanted, self._last + 1)
            return self._last


_CLOCK = _Clock()


def fresh() -> Uid:
    """Give a new UUID of version 7, greater than every one given before by this program."""
    chance = int.from_bytes(os.urandom(10), "big")
    now = time.time_ns() // 1_000_000 * _COUNTS
    moment, count = divmod(_CLOCK.tick(now + (chance >> 69)), _COUNTS)
    whole = moment << 80 | 7 << 76 | count << 64 | 2 << 62 | chance & _LOW
    return whole.to_bytes(16, "big")


def of_content(*parts: Any) -> Uid:  # noqa: ANN401 - a JSON value is anything
    """Give the UUID of version 8 that follows from what an entry says."""
    found = bytearray(blake2b(_JSON(parts).encode(), digest_size=16).digest())
    found[6] = found[6] & 0x0F | 0x80
    found[8] = found[8] & 0x3F | 0x80
    return bytes(found)


def text_of(uid: Uid) -> str:
    """Write a UUID as files have it: in lower case, with hyphens."""
    return str(uuid.UUID(bytes=uid))


def from_text(text: str) -> Uid | None:
    """Read what `text_of` writes; None for anything else."""
    try:
        found = uuid.UUID(text)
    except ValueError:
        return None
    return found.bytes if str(found) == text else None
