"""A line to a server that a test can cut, and let fall silent without an end."""

import contextlib
import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

HOST = "127.0.0.1"
_PIECE = 65_536


class Proxy:
    """Passes bytes on, both ways.

    Attributes:
        silent: Whether it keeps every line open and passes nothing on.
        was_silent: For the test that has made it so.
    """

    def __init__(self, port: int) -> None:
        self.silent = self.was_silent = False
        self._target = port
        self._server = socket.create_server((HOST, 0))
        self.port: int = self._server.getsockname()[1]
        self._chosen = selectors.DefaultSelector()
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._ended = False
        self._chosen.register(self._server, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._ended = True
        self._thread.join()
        for one in (self._server, *self._pairs):
            one.close()

    def _run(self) -> None:
        while not self._ended:
            ready = self._chosen.select(0.05)
            if self.silent:
                continue
            for key, _ in ready:
                one = key.fileobj
                assert isinstance(one, socket.socket)
                if one is self._server:
                    self._accept()
                elif one in self._pairs:
                    self._pass_on(one)

    def _accept(self) -> None:
        near, _ = self._server.accept()
        try:
            far = socket.create_connection((HOST, self._target))
        except OSError:
            near.close()
            return
        for one, other in ((near, far), (far, near)):
            self._pairs[one] = other
            self._chosen.register(one, selectors.EVENT_READ)

    def _pass_on(self, one: socket.socket) -> None:
        other = self._pairs[one]
        piece = b""
        with contextlib.suppress(OSError):
            piece = one.recv(_PIECE)
            other.sendall(piece)
        if not piece:
            for end in (one, other):
                self._chosen.unregister(end)
                del self._pairs[end]
                end.close()


@contextmanager
def proxy(port: int) -> Iterator[Proxy]:
    """Stand before a server's port."""
    made = Proxy(port)
    try:
        yield made
    finally:
        made.end()
