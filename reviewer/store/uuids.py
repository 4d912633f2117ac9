"""Ids of entries that are the same in every copy of a project (RFC 9562, version 7)."""

import os
import time

_last = 0


def uuid7() -> bytes:
    """Make a new id: 48 bits of milliseconds, then a counter within them, then chance."""
    global _last  # noqa: PLW0603 - ids of one process must grow
    # 12 bits of the millisecond's fraction keep the order of what is made within one
    moment = max(time.time_ns() * 4096 // 1_000_000, _last + 1)
    _last = moment
    milliseconds, fraction = divmod(moment, 4096)
    made = (milliseconds & (1 << 48) - 1) << 80 | 7 << 76 | fraction << 64
    made |= 2 << 62 | int.from_bytes(os.urandom(8)) >> 2
    return made.to_bytes(16)
