"""A real gnome-keyring on a session bus of its own, in a home of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.session_bus import SessionBus, session_bus

_UNLOCK = "printf 'x\\n' | gnome-keyring-daemon --unlock >/dev/null 2>&1"


@contextmanager
def keyring_session(home: Path | None = None, *, unlocked: bool = True) -> Iterator[SessionBus]:
    """Start a bus with a keyring that is open, or that nobody opens; skips where there is none."""
    with session_bus(
        _UNLOCK if unlocked else ":", home, needed=["gnome-keyring-daemon"]
    ) as session:
        yield session
