"""Show the window, or tell beforehand that none can be shown; nothing else is loaded."""

import contextlib
import gc
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from reviewer.domain.errors import ReviewerError


def show(project: Path | None, open_id: str | None = None) -> int:
    """Show the window until it is closed and give the exit code.

    Raises:
        ReviewerError: There is no display.
    """
    require()
    # nothing of a start is garbage: searching for it would take a tenth of the start
    gc.disable()
    from reviewer.gui import app

    return app.run(project, open_id=open_id)


NO_DISPLAY = (
    "There is no display to open the window on; `reviewer tour` renders every page to PNG files, "
    "and every other command works without one."
)


def require(environment: Mapping[str, str] | None = None) -> None:
    """Refuse to go on where no window can be shown.

    Raises:
        ReviewerError: There is no display, or nothing answers at the one that is named.
    """
    values = os.environ if environment is None else environment
    platform = values.get("QT_QPA_PLATFORM", "")
    if platform.startswith(("offscreen", "minimal")):
        raise ReviewerError(NO_DISPLAY)
    if platform or not sys.platform.startswith("linux") or values.get("WAYLAND_DISPLAY"):
        return
    if not _answers(values.get("DISPLAY", "")):
        raise ReviewerError(NO_DISPLAY)


def _answers(display: str) -> bool:
    """Tell whether a display of this machine has a server; of another machine, it is believed."""
    host, colon, rest = display.rpartition(":")
    number = rest.partition(".")[0]
    if not colon or not number.isdigit():
        return False
    if host not in ("", "unix"):
        return True
    return any(_connects(name + f"/tmp/.X11-unix/X{number}") for name in ("", "\0"))  # noqa: S108


def _connects(address: str) -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as door:
        door.connect(address)
        return True
    return False
