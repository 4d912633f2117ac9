"""Logs, and the text that a user may send with a problem: never texts under review or keys."""

import faulthandler
import importlib.metadata
import logging
import logging.handlers
import platform
import sqlite3
import sys
import traceback
from pathlib import Path
from types import TracebackType

from typing_extensions import override

from reviewer import paths

BYTES_A_FILE = 500_000
OLD_FILES = 3
TAIL_LINES = 40
_NAME = "reviewer.log"
_ExcInfo = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


class PlacesFormatter(logging.Formatter):
    """Write of an exception its kind and the places it went through.

    Its message and its source lines are left out: either may quote a response or a key.
    """

    @override
    def formatException(self, ei: _ExcInfo) -> str:
        """Give the kind and one line a frame."""
        kind, error, _ = ei
        frames = traceback.extract_tb(error.__traceback__) if error is not None else []
        places = [f"  {Path(x.filename).name}:{x.lineno} {x.name}" for x in frames]
        return "\n".join([f"{kind.__name__ if kind else 'no exception'} through", *places])


def version() -> str:
    """Give the program's version."""
    try:
        return importlib.metadata.version("reviewer")
    except importlib.metadata.PackageNotFoundError:
        return "0.1.0"


def log_file() -> Path:
    """Give the file that the log is written to."""
    return paths.log_folder() / _NAME


def start_log(level: int = logging.INFO) -> logging.Handler:
    """Write the program's log to a rotating file and crashes of the interpreter beside it.

    Raises:
        OSError: The log folder cannot be written.
    """
    handler = logging.handlers.RotatingFileHandler(
        log_file(), maxBytes=BYTES_A_FILE, backupCount=OLD_FILES, encoding="utf-8", delay=True
    )
    handler.setFormatter(PlacesFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("reviewer")
    logger.setLevel(level)
    logger.addHandler(handler)
    return handler


def watch_crashes() -> None:
    """Let the interpreter write where it was when it crashes."""
    stream = (paths.log_folder() / "crash.log").open("a", encoding="utf-8")
    faulthandler.enable(stream)


def diagnosis(*more: str) -> str:
    """Put together versions, system and the log's last lines, for pasting into a report."""
    lines = [
        f"Reviewer {version()}",
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        f"{platform.platform()}, {sys.platform}",
        *more,
        "",
        *_tail(),
    ]
    return "\n".join(lines)


def _tail() -> list[str]:
    try:
        lines = log_file().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ["(no log)"]
    home = str(Path.home())
    return [line.replace(home, "~") for line in lines[-TAIL_LINES:]]
