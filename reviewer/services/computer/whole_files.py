"""Files that are there whole or not at all, on a full disk and after a crash, too."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from reviewer.domain.errors import ProjectError, refusal

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextlib.contextmanager
def part_of(to: Path) -> Iterator[Path]:
    """Give a hidden name beside a file to write to; what is left there in the end is removed.

    Of a link that is beside the file which it leads to.

    Raises:
        ProjectError: The folder is not there or cannot be written, or the disk is full.
    """
    target = followed(to)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield part
    except OSError as error:
        raise not_written(to, error) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def put(part: Path, to: Path) -> None:
    """Give a file that was written its name, durably; what had that name is replaced.

    A link stays one: what it leads to is replaced.
    """
    target = followed(to)
    sync(part)
    part.replace(target)
    # the new name is durable with its folder; not every system can
    with contextlib.suppress(OSError):
        number = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def followed(to: Path) -> Path:
    """Give what a link leads to in the end, and any other path as it is.

    Raises:
        ProjectError: Links lead in a circle.
    """
    if not to.is_symlink():
        return to
    try:
        return to.resolve()
    except RuntimeError:
        raise ProjectError(f"{to} is a link that leads back to itself.") from None


@contextlib.contextmanager
def alone(file: Path) -> Iterator[None]:
    """Keep other processes from the same file meanwhile, where they ask for it, too.

    A file beside it is locked, which the system lets go with the process; a file system without
    locks keeps nobody out.

    Raises:
        OSError: The folder is not there or cannot be written.
    """
    with file.with_name(f".{file.name}.lock").open("a", encoding="utf-8") as beside:
        with contextlib.suppress(OSError):
            _lock(beside.fileno())
        yield


if sys.platform == "win32":

    def _lock(number: int) -> None:
        msvcrt.locking(number, msvcrt.LK_LOCK, 1)

else:

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX)


def sync(part: Path) -> None:
    """Wait until what was written is on the disk."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())


def not_written(to: Path, error: OSError) -> ProjectError:
    """Say that and why a file could not be written."""
    if isinstance(error, FileNotFoundError) and not to.parent.is_dir():
        return ProjectError(f"The folder {to.parent} does not exist; make it first.")
    reason = refusal(error)
    return ProjectError(
        f"{to} could not be written: {reason}. What was there before is unchanged."
    )
