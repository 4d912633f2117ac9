"""Where the file of an open project went: moved, deleted, replaced or cut off under the program.

SQLite goes on writing into a file that has lost its name, and keeps what is newest in a log under
the old one, which nobody who opens the new one looks for. So every write asks first whether the
file is still the one that was opened.
"""

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from reviewer.domain.errors import ProjectError
from reviewer.store import connecting

SIDES = ("-wal", "-shm")
OPEN_FILES = (Path("/proc/self/fd"), Path("/dev/fd"))
"""Where systems that let open files be moved list those of a process."""
SHORTEST_S, LONGEST_S = 0.01, 2.0
"""How long one waits until nothing else in this program reads the file."""
_LONGEST_PATH = 1024
_TRASH = {"trash", ".trash"}


class Identity(NamedTuple):
    """What makes a file the same one under any name: its disk and its number there."""

    device: int
    number: int


class Loss(NamedTuple):
    """What became of a file.

    Attributes:
        place: Where it is now, None where it has no name any more or nobody can tell.
        words: What happened, as a part of a sentence: `was deleted`.
    """

    kind: Literal["moved", "deleted", "replaced", "cut"]
    words: str
    place: Path | None = None


class Sight(NamedTuple):
    """What stands under a name: which file, and how long it is."""

    identity: Identity
    size: int


def look(path: Path) -> Sight | None:
    """Give what stands under a name now, None where nothing does."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Sight(Identity(found.st_dev, found.st_ino), found.st_size)


class Anchor:
    """Which file a connection was opened on, under which name."""

    def __init__(self, path: Path) -> None:
        """Remember what stands under the name; nothing is ever lost where nothing does."""
        self.path = path
        self._seen = look(path)

    def loss(self, conn: sqlite3.Connection) -> Loss | None:
        """Say what became of the file, None where it is still there and whole."""
        before, now = self._seen, look(self.path)
        if before is None or now == before:
            return None
        if now is not None and now.identity == before.identity:
            if now.size < before.size and now.size < _needed(conn):
                sizes = f"{before.size:,} to {now.size:,} bytes"
                return Loss("cut", f"was cut off from {sizes} by another program")
            self._seen = now
            return None
        place = place_of(before.identity)
        if place is not None and _TRASH.isdisjoint(part.lower()[:6] for part in place.parts):
            near = place.parent == self.path.parent
            words = f"was renamed to {place.name}" if near else f"was moved to {place}"
            return Loss("moved", words, place)
        if now is None:
            return Loss("deleted", "was deleted" if place is None else "was put into the trash")
        return Loss("replaced", "was replaced by another file")

    def gather(self, conn: sqlite3.Connection) -> bool:
        """Bring all that was saved into the file itself, whatever it is called now.

        Returns:
            Whether that is done; who reads just then can hinder it.
        """
        busy, *_ = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def free(self, place: Path) -> Path:
        """Give the name under which a gathered file goes on after its connection was closed.

        Where another part of the program still reads it, the log under the old name and the one
        under the new would be mixed up: it is left to those, and a copy taken where one can be.
        """
        until = time.monotonic() + LONGEST_S
        while self._seen is not None and holders(self._seen.identity):
            # what reads beside, such as figures, is done in a moment
            if time.monotonic() > until:
                to = beside(self.path, place.parent)
                try:
                    shutil.copy2(place, to)
                except OSError:
                    return place
                return to
            time.sleep(SHORTEST_S)
        return place

    def copy(self, conn: sqlite3.Connection) -> Path:
        """Copy all that was saved beside the name it had, or where a copy can be made.

        Raises:
            ProjectError: No copy can be made anywhere.
        """
        to = beside(self.path, self.path.parent)
        try:
            connecting.copy(conn, to)
        except ProjectError:
            to = beside(self.path, Path.home())
            connecting.copy(conn, to)
        return to

    def logs(self) -> list[Path]:
        """Give the files under its old name that are this connection's alone."""
        names = [self.path.with_name(self.path.name + side) for side in SIDES]
        found = [(name, look(name)) for name in names]
        return [name for name, seen in found if seen is not None and holders(seen.identity)]


def _needed(conn: sqlite3.Connection) -> int:
    """Count the bytes that all pages take; a file that was tidied up has become shorter, too."""
    pages, each = (
        int(conn.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "page_size")
    )
    return pages * each


def place_of(who: Identity) -> Path | None:
    """Give the name that a file has now which this process holds open."""
    for number in _held(who):
        path = _name_of(number)
        found = None if path is None else look(path)
        if found is not None and found.identity == who:
            return path
    return None


def holders(who: Identity) -> int:
    """Count how often this process holds a file open; 0 where the system does not tell."""
    return sum(1 for _ in _held(who))


def _held(who: Identity) -> Iterator[int]:
    folder = next((x for x in OPEN_FILES if x.is_dir()), None)
    if folder is None:
        return
    for entry in folder.iterdir():
        with contextlib.suppress(OSError, ValueError):
            found = os.fstat(int(entry.name))
            if (found.st_dev, found.st_ino) == who:
                yield int(entry.name)


def _name_of(number: int) -> Path | None:
    """Ask the system for the name of an open file."""
    linux = OPEN_FILES[0]
    try:
        if linux.is_dir():
            return (linux / str(number)).readlink()
        import fcntl

        # macOS answers with a text that ends with a zero
        given = fcntl.fcntl(number, getattr(fcntl, "F_GETPATH"), bytes(_LONGEST_PATH))  # noqa: B009
        return Path(os.fsdecode(given.partition(b"\0")[0]))
    except (OSError, AttributeError, ImportError):
        return None


def beside(path: Path, folder: Path) -> Path:
    """Give a name in a folder for a copy of a project, which nobody has yet."""
    number = 1
    while True:
        more = "" if number == 1 else f" {number}"
        found = folder / f"{path.stem} (kept{more}){path.suffix}"
        if not found.exists():
            return found
        number += 1
