"""A line to a database: given up where it falls silent, and open for what wakes whoever waits.

Loaded with the library, when a connection is made.
"""

import secrets
import time
from collections.abc import Generator
from typing import Any, Final, TypeVar

import psycopg
from psycopg import sql
from typing_extensions import override

SILENT_S: Final = 30.0
"""Seconds without a byte after which a line counts as broken, though nobody says that it is."""
PROBE_S: Final = 2.0
_Found = TypeVar("_Found")
_Steps = Generator[Any, Any, _Found]


class Line(psycopg.Connection[tuple[Any, ...]]):
    """A connection; between two computers it may fall silent without an end.

    Attributes:
        patience: Seconds for which an answer may keep one waiting without a byte.
    """

    patience = SILENT_S

    @override
    def wait(self, gen: _Steps[_Found], *args: Any, **named: Any) -> _Found:
        """Wait for what the server says, not for ever."""
        try:
            return super().wait(_hurried(gen, self.patience), *args, **named)
        except TimeoutError:
            # whatever still comes belongs to a question that nobody asks any more
            self.pgconn.finish()
            raise psycopg.OperationalError("timeout") from None


def _hurried(gen: _Steps[_Found], patience: float) -> _Steps[_Found]:
    try:
        wanted = next(gen)
        heard = time.monotonic()
        while True:
            ready = yield wanted
            if ready:
                heard = time.monotonic()
            elif time.monotonic() - heard > patience:
                raise TimeoutError
            wanted = gen.send(ready)
    except StopIteration as end:
        found: _Found = end.value
        return found


def listen(line: Line, channel: str) -> bool:
    """Ask to be woken; tells whether wake-ups come through.

    A pooler that gives every transaction another connection accepts the wish, and brings nothing.
    """
    line.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
    if _is_direct(line):
        return True
    probe = f"reviewer_{secrets.token_hex(8)}"
    line.execute(sql.SQL("LISTEN {}").format(sql.Identifier(probe)))
    with psycopg.connect(
        line.info.dsn, password=line.info.password, autocommit=True, prepare_threshold=None
    ) as other:
        other.execute(sql.SQL("NOTIFY {}").format(sql.Identifier(probe)))
    return any(x.channel == probe for x in line.notifies(timeout=PROBE_S, stop_after=1))


def _is_direct(line: Line) -> bool:
    """Tell whether the server's process is the one that answered at the beginning."""
    found = line.execute("SELECT pg_backend_pid()").fetchone()
    return found is not None and found[0] == line.info.backend_pid


def woken(line: Line) -> bool:
    """Tell whether somebody else sent something since one asked last; waits for nothing."""
    own = line.info.backend_pid
    return any(x.pid != own for x in line.notifies(timeout=0.0))
