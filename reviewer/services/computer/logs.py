"""Log files, and the text a user may send: never texts under review, labels, contents or keys."""

import contextlib
import faulthandler
import logging
import logging.handlers
import platform
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from typing_extensions import override

from reviewer import paths
from reviewer.services.computer import secrets
from reviewer.services.computer.versions import version
from reviewer.store import connecting

BYTES_A_FILE = 500_000
OLD_FILES = 3
_NAME = "reviewer.log"
_CRASHES = "crash.log"
_ExcInfo = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


def log_file() -> Path:
    """Give the file that the log is written to.

    Raises:
        OSError: The log folder can be neither found nor made.
    """
    return paths.log_folder() / _NAME


class PlacesFormatter(logging.Formatter):
    """Write of an exception its kind and the places it went through.

    Its message and its source lines are left out: either may quote a response or a key. What
    libraries say is written without the keys that this process holds.
    """

    @override
    def format(self, record: logging.LogRecord) -> str:
        return secrets.hidden(super().format(record))

    @override
    def formatException(self, ei: _ExcInfo) -> str:
        kind, error, _ = ei
        lines = [f"{kind.__name__ if kind else 'no exception'} through"]
        while error is not None:
            frames = traceback.extract_tb(error.__traceback__)
            lines += [f"  {Path(x.filename).name}:{x.lineno} {x.name}" for x in frames]
            error = error.__cause__
            lines += [f"caused by {type(error).__name__}"] if error is not None else []
        return "\n".join(lines)


class _QuietHandler(logging.handlers.RotatingFileHandler):
    """Drop what cannot be written: a full disk must not spoil the command's own output."""

    @override
    def handleError(self, record: logging.LogRecord) -> None:
        return


@contextlib.contextmanager
def kept(level: int = logging.INFO) -> Iterator[None]:
    """Write the program's log, and where the interpreter was if it crashes, during the block.

    A log folder that cannot be written is no reason not to work: then there is no log.
    """
    try:
        folder = paths.log_folder()
    except OSError:
        yield
        return
    handler = _QuietHandler(
        folder / _NAME, maxBytes=BYTES_A_FILE, backupCount=OLD_FILES, encoding="utf-8", delay=True
    )
    handler.setFormatter(PlacesFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("reviewer")
    before = logger.level, logger.propagate
    logger.setLevel(level)
    # without this, warnings would also appear on standard error
    logger.propagate = False
    logger.addHandler(handler)
    try:
        with _crashes_noted(folder / _CRASHES):
            yield
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = before
        handler.close()


@contextlib.contextmanager
def _crashes_noted(file: Path) -> Iterator[None]:
    if faulthandler.is_enabled():
        yield
        return
    try:
        too_long = file.is_file() and file.stat().st_size > BYTES_A_FILE
        stream = file.open("w" if too_long else "a", encoding="utf-8")
    except OSError:
        yield
        return
    with stream:
        faulthandler.enable(stream)
        try:
            yield
        finally:
            faulthandler.disable()


def tail(lines: int) -> list[str]:
    """Give the last lines of the log, with the person's home folder as `~`."""
    try:
        found = log_file().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    home = str(Path.home())
    return [line.replace(home, "~") for line in found[-lines:]]


TAIL_LINES = 40


def diagnosis(*more: str) -> str:
    """Put together versions, system and the log's last lines, for pasting into a report.

    Args:
        more: Lines of the caller, such as the version of the window system.
    """
    return "\n".join(
        [
            f"Reviewer {version()}",
            f"Python {platform.python_version()}, SQLite {connecting.version()}",
            platform.platform(),
            *more,
            "",
            *(tail(TAIL_LINES) or ["(no log)"]),
        ]
    )


def explain(error: BaseException, project: Path | None = None) -> str:
    """Put an error that nobody expected into a sentence without quoting anything.

    Args:
        error: The error.
        project: The project in use, to name it where its file is at fault.
    """
    return connecting.trouble(error, project) or (
        f"Something unexpected happened ({type(error).__name__}); nothing saved is lost. "
        f"The log tells where: {log_file()}; REVIEWER_DEBUG=1 shows all of it."
    )
