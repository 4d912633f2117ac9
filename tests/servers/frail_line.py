"""A line to a server of this computer that can be cut in the middle, or go silent."""

import contextlib
import random
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.servers.postgres import HOST

_AT_ONCE = 1 << 16
_ABRUPT = struct.pack("ii", 1, 0)
"""Close without a farewell, as a line does that breaks."""


class FrailLine:
    """Passes on what both ends say, on a free port, until it is cut.

    Attributes:
        port: Where it is entered.
        silent: Whether what is said is kept back: both ends believe that the line is open.
    """

    def __init__(self, target: int) -> None:
        self.silent = False
        self._target = target
        self._door = socket.create_server((HOST, 0), backlog=200)
        self.port: int = self._door.getsockname()[1]
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._let_in, daemon=True).start()

    def _let_in(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            try:
                far = socket.create_connection((HOST, self._target), timeout=5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            pair = (near, far)
            with self._lock:
                self._pairs.add(pair)
            for one, other in (pair, pair[::-1]):
                threading.Thread(
                    target=self._pass_on, args=(one, other, pair), daemon=True
                ).start()

    def _pass_on(
        self, one: socket.socket, other: socket.socket, pair: tuple[socket.socket, socket.socket]
    ) -> None:
        with contextlib.suppress(OSError):
            while part := one.recv(_AT_ONCE):
                if not self.silent:
                    other.sendall(part)
        if not self.silent:
            self._end(pair)

    def _end(self, pair: tuple[socket.socket, socket.socket]) -> bool:
        with self._lock:
            if pair not in self._pairs:
                return False
            self._pairs.remove(pair)
        for end in pair:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABRUPT)
                # who waits for this end must wake
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        return True

    def cut(self, chance: random.Random) -> bool:
        """Cut one of the open lines; False where there is none."""
        with self._lock:
            pairs = list(self._pairs)
        return bool(pairs) and self._end(chance.choice(pairs))

    def close(self) -> None:
        """Cut all, and let nobody in any more."""
        self._door.close()
        for pair in list(self._pairs):
            self._end(pair)


@contextmanager
def frail_line(target: int) -> Iterator[FrailLine]:
    """Lay a line to a port of this computer."""
    line = FrailLine(target)
    try:
        yield line
    finally:
        line.close()
