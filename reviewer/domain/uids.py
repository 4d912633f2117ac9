"""Numbers of entries that are the same in every copy of a project.

An entry that arises here gets a UUID of version 7: its first bits are the time, so that later ones
are greater. What came from a file gets one of version 8 that follows from its content, so that two
imports of one file, or two copies of one project, agree about it.
"""

import itertools
import json
import os
import time
from collections.abc import Callable
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
from types import NoneType
from typing import Any

Uid = bytes
"""16 bytes."""
_BYTES = 16

_JSON = json.JSONEncoder(separators=(",", ":")).encode
_PLAIN: dict[type, Callable[[Any], str]] = {
    str: encode_basestring_ascii, int: int.__repr__, NoneType: lambda _: "null"
}  # fmt: skip
"""How what most entries say is written, as the encoder itself would, which takes longer."""
_SERIAL = itertools.count(int.from_bytes(os.urandom(5), "big"))
"""What orders the numbers of one millisecond; no thread gets between its steps."""


class _Clock:
    """The latest moment that was given: a clock that went back is not followed."""

    moment = 0

    def now(self) -> int:
        """Give milliseconds since 1970."""
        self.moment = max(time.time_ns() // 1_000_000, self.moment)
        return self.moment


_CLOCK = _Clock()


def fresh() -> Uid:
    """Give a new UUID of version 7, greater than every one that was given before."""
    high, low = divmod(next(_SERIAL), 1 << 30)
    chance = int.from_bytes(os.urandom(4), "big")
    whole = _CLOCK.now() << 80 | 7 << 76 | high % 4096 << 64 | 2 << 62 | low << 32 | chance
    return whole.to_bytes(16, "big")


def of_content(*parts: Any) -> Uid:  # noqa: ANN401 - a JSON value is anything
    """Give the UUID of version 8 that follows from what an entry says."""
    written = ",".join([_PLAIN.get(part.__class__, _JSON)(part) for part in parts])
    found = bytearray(blake2b(f"[{written}]".encode(), digest_size=16).digest())
    found[6] = found[6] & 0x0F | 0x80
    found[8] = found[8] & 0x3F | 0x80
    return bytes(found)


def text_of(uid: Uid) -> str:
    """Write a UUID as files have it: in lower case, with hyphens."""
    digits = uid.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def from_text(text: str) -> Uid | None:
    """Read what `text_of` writes; None for anything else."""
    try:
        found = bytes.fromhex(text.replace("-", ""))
    except ValueError:
        return None
    return found if len(found) == _BYTES and text_of(found) == text else None
