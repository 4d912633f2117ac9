"""Connections to project files: where these lie, copies, a glance inside, what errors mean."""

import contextlib
import os
import re
import shlex
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import MsgspecError, Struct

from reviewer.domain import uids
from reviewer.domain.errors import ProjectError, UnwritableError, refusal
from reviewer.store import schema
from reviewer.store.unseen import shown_names, shown_runs

BUSY_MS = 8_000
SHORTEST_S, LONGEST_S = 0.0001, 0.001
"""How long a writer sleeps before it looks again whether another one is done."""
GAP_S, RECENT_S = 0.0012, 1.0
"""How long who has written leaves the file to others before writing again, and how long after
others wrote: more than a sleep, so that everybody who waits looks once."""
GIVEN_S, AGAIN_S = 0.03, 0.1
"""How long at most the file is left to whoever made a transaction be given up, who may be woken
late, and how long none is given up then: so much work is lost at most."""
LOOK_S, LOOK_STEPS = 0.0005, 250
"""How often a transaction that gives way looks, and after how many steps of SQLite at the clock:
more often costs an import more than a hundredth of its time."""
PRIMARY = 0xFF
"""The bits of an error's code that name its kind."""
_PASSING = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
}  # fmt: skip
"""Kinds of errors that end by themselves or by what somebody does about them elsewhere."""
PAGES = 2_000

_DAMAGED = (
    "The file is damaged. Close it and run `reviewer doctor {path}`, which checks it and repairs "
    "it."
)
_OF_ROWS = (
    ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError,
    MsgspecError,
)  # fmt: skip
"""What reading a row ends in that holds something else than any version has written."""
_REASONS = (
    (
        "disk is full",
        "The disk is full: free some space and try again; everything saved before is safe.",
    ),
    ("readonly", "The file or its folder is read-only, so nothing can be saved."),
    ("locked", "Another program holds the file; close it there or try again in a moment."),
    ("malformed", _DAMAGED),
    ("vtable constructor failed", _DAMAGED),
    ("could not decode", _DAMAGED),
    ("codec can't decode", _DAMAGED),
    ("not a database", "It is no Reviewer project; import it instead, or open a .review file."),
    ("unable to open", "It cannot be opened; check that the file and its folder can be read."),
    (
        "disk i/o",
        "The disk reported an error while reading or writing; check the disk and its space.",
    ),
)


def explain(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> str:
    """Turn an SQLite error into a sentence that says what to do."""
    text = str(error).lower()
    for part, sentence in _REASONS:
        if part in text:
            return f"{path.name}: {sentence.format(path=shlex.quote(str(path)))}"
    return (
        f"{path.name}: The project file could not be read or written ({error}). "
        f"`reviewer doctor {shlex.quote(str(path))}` checks it and repairs it."
    )


def unwritten(error: sqlite3.Error, path: Path) -> ProjectError:
    """Give the error of a write that failed: one that may be tried again where that can help."""
    passes = getattr(error, "sqlite_errorcode", 0) & PRIMARY in _PASSING
    return (UnwritableError if passes else ProjectError)(explain(error, path))


@contextlib.contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Let whatever damaged pages and rows lead to be an error that names their file.

    Raises:
        ProjectError: The database engine cannot read it, or a row holds what none can hold.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise ProjectError(explain(error, path)) from error
    except _OF_ROWS as error:
        sentence = _DAMAGED.format(path=shlex.quote(str(path)))
        raise ProjectError(f"{path.name}: {sentence}") from error


def connect(
    path: Path, mode: Literal["rwc", "rw", "ro"], *, alone: bool = False
) -> sqlite3.Connection:
    """Open a file; `alone` keeps SQLite from sharing memory, which network shares cannot.

    Raises:
        ProjectError: A read-only disk holds the file beside what was not yet moved into it.
        sqlite3.Error: The file cannot be opened.
    """
    conn = _open(path, mode)
    if alone:
        conn.execute("PRAGMA locking_mode = EXCLUSIVE")
    if mode != "ro" or _answers(conn):
        return conn
    conn.close()
    log = _log_of(path)
    if log.exists() and log.stat().st_size:
        raise ProjectError(
            f"{path.name} is read-only here and was not closed: its newest labels are in "
            f"{log.name}. Copy both files into a folder that can be written and open it there."
        )
    # the log beside the file cannot be made here, so nobody else writes it either
    return _open(path, "ro&immutable=1")


class AwaitedError(Exception):
    """Somebody waits for the end of a transaction that gives way."""


class Turn:
    """Whose turn it is to write: who writes again and again lets others in between.

    SQLite has no order among those who wait: one that begins anew at once always comes first.
    Nor does it tell who writes that others wait. So whoever waits touches the file by which
    programs share their view of the log; on a network share, where there is none, nobody hears.
    """

    def __init__(self, path: Path) -> None:
        """Begin where nobody has written yet."""
        self._ended = self._others = self._gave = -RECENT_S
        self._version: int | None = None
        self._bell = f"{path}-shm"

    def begin(self, conn: sqlite3.Connection, patience: float) -> None:
        """Begin to write when it is one's turn; raises as `begin_writing` does."""
        self.wait(conn)
        begin_writing(conn, patience, self._ring)

    def _ring(self) -> None:
        with contextlib.suppress(OSError):
            os.utime(self._bell)

    def _rung(self) -> int:
        try:
            return os.stat(self._bell).st_mtime_ns  # noqa: PTH116 - a path costs three times more
        except OSError:
            return 0

    @property
    def may_give_way(self) -> bool:
        """Tell whether one has not given way a moment ago."""
        return time.monotonic() - self._gave >= AGAIN_S

    @contextlib.contextmanager
    def giving_way(self, conn: sqlite3.Connection) -> Iterator[None]:
        """Break off the statements of the block where somebody waits; it must not commit.

        Raises:
            AwaitedError: One was broken off, and the transaction has to be rolled back.
        """
        before, looked, is_awaited = self._rung(), time.monotonic(), False

        def look() -> bool:
            nonlocal looked, is_awaited
            now = time.monotonic()
            # once told, every statement that is at work ends
            if not is_awaited and now - looked >= LOOK_S:
                looked, is_awaited = now, self._rung() != before
            return is_awaited

        conn.set_progress_handler(look, LOOK_STEPS)
        try:
            yield
        except sqlite3.Error as error:
            if is_awaited:
                raise AwaitedError from error
            raise
        finally:
            # a commit that is broken off may be done all the same
            conn.set_progress_handler(None, 0)

    def gave_way(self, conn: sqlite3.Connection) -> None:
        """Leave the file to whoever waits until they have written; one has rolled back before."""
        before, until = _version(conn), time.monotonic() + GIVEN_S
        while _version(conn) == before and time.monotonic() < until:
            time.sleep(LONGEST_S)
        self._gave = time.monotonic()

    def wait(self, conn: sqlite3.Connection) -> None:
        """Leave the file to others for a moment where one has just written and they write, too."""
        now = time.monotonic()
        left = self._ended + GAP_S - now
        if left <= 0:
            return
        version = _version(conn)
        if self._version not in (None, version):
            self._others = now
        self._version = version
        if now - self._others < RECENT_S:
            time.sleep(left)

    def ended(self) -> None:
        """Note that one has written."""
        self._ended = time.monotonic()


def _version(conn: sqlite3.Connection) -> int:
    """Give a number that changes when others have written."""
    return int(conn.execute("PRAGMA data_version").fetchone()[0])


def begin_writing(conn: sqlite3.Connection, patience: float, ring: Callable[[], None]) -> None:
    """Begin to write at once; where somebody else writes, ring and wait until they are done.

    SQLite's own waiting sleeps longer than most transactions of a job take, so that a label
    beside one would wait for more than it has to.

    Raises:
        sqlite3.Error: Somebody still writes after so many seconds, or the file cannot be written.
    """
    conn.execute("PRAGMA busy_timeout = 0")
    until, pause = time.monotonic() + patience, SHORTEST_S
    try:
        while not _began(conn, last=time.monotonic() >= until):
            ring()
            time.sleep(pause)
            pause = min(pause * 1.25, LONGEST_S)
    finally:
        conn.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def _began(conn: sqlite3.Connection, *, last: bool) -> bool:
    try:
        conn.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if last or error.sqlite_errorcode & PRIMARY != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def glimpse(path: Path) -> sqlite3.Connection:
    """Open a file for one short look that leaves nothing beside it.

    Raises:
        ProjectError: As for `connect`.
        sqlite3.Error: The file cannot be opened.
    """
    if _log_of(path).exists():
        conn = connect(path, "ro")
        conn.execute("PRAGMA busy_timeout = 1000")
        return conn
    return _open(path, "ro&immutable=1")


def reading(path: Path, *, with_log: bool) -> sqlite3.Connection:
    """Open a file to read alone, with what its log has or without.

    Raises:
        ProjectError: As for `connect`.
        sqlite3.Error: The file cannot be opened.
    """
    return connect(path, "ro") if with_log else _open(path, "ro&immutable=1")


def _open(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    conn = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_MS / 1000)
    conn.create_function("fresh_uid", 0, uids.fresh)
    return conn


def is_blank(path: Path) -> bool:
    """Tell whether a file holds nothing, as what ended before its first write was there leaves it.

    What such a write left beside it is rolled back by looking.
    """
    try:
        with contextlib.closing(_open(path, "rw")) as conn:
            return int(conn.execute("PRAGMA page_count").fetchone()[0]) == 0
    except sqlite3.Error:
        return False


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _answers(conn: sqlite3.Connection) -> bool:
    try:
        conn.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError as error:
        return "unable to open" not in str(error) and "readonly" not in str(error)
    return True


def copy(conn: sqlite3.Connection, to: Path) -> None:
    """Copy an open file that may be in use, under a temporary name until it is whole.

    Raises:
        ProjectError: The copy cannot be written, the disk is full, or the file is damaged.
    """
    part = to.with_name(f".{to.name}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)
        target = sqlite3.connect(part)
        try:
            conn.backup(target, pages=PAGES, sleep=0.01)
            target.execute("PRAGMA journal_mode = DELETE")
            try:
                whole = target.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            except sqlite3.DatabaseError:
                whole = False
            if not whole:
                path = Path(conn.execute("PRAGMA database_list").fetchone()[2])
                raise ProjectError(explain(sqlite3.DatabaseError("malformed"), path))
        finally:
            target.close()
        part.replace(to)
    except ProjectError:
        _drop(part)
        raise
    except sqlite3.Error as error:
        _drop(part)
        raise ProjectError(explain(error, to)) from error
    except OSError as error:
        _drop(part)
        reason = refusal(error)
        raise ProjectError(f"The copy {to} cannot be written: {reason}.") from error


def _drop(part: Path) -> None:
    with contextlib.suppress(OSError):
        part.unlink(missing_ok=True)


def version() -> str:
    """Give the version of the SQLite library in use."""
    return sqlite3.sqlite_version


def trouble(error: BaseException, project: Path | None) -> str | None:
    """Say what an error of the database engine means, such as a damaged page; else nothing.

    Args:
        error: The error; its own words speak of pages and disks only.
        project: The file in use, None where nobody knows.
    """
    if not isinstance(error, sqlite3.Error):
        return None
    return explain(error, project or Path("PROJECT"))


_COUNTS = f"""
SELECT (SELECT count(*) FROM visible_evaluations),
       (SELECT count(DISTINCT evaluation) FROM current_labels
           WHERE kind IN ('label', 'adjudication')
           AND evaluation <= (SELECT value FROM counters WHERE name = 'visible')
           AND evaluation NOT IN (SELECT id FROM evaluations WHERE hidden = 1)),
       (SELECT count(*) FROM labelers WHERE {shown_names("labelers")}),
       (SELECT count(*) FROM runs WHERE {shown_runs()})
"""


class Glance(Struct, frozen=True):
    """How much a project holds."""

    evaluations: int
    labelled: int
    labelers: int
    runs: int


def look(path: Path) -> Glance:
    """Count what a project file holds.

    Raises:
        ProjectError: It is missing, no project, or made by a newer version.
    """
    if not path.is_file():
        raise ProjectError(f"There is no project file {path}.")
    try:
        with contextlib.closing(glimpse(path)) as conn:
            kind = conn.execute("PRAGMA application_id").fetchone()[0]
            number = conn.execute("PRAGMA user_version").fetchone()[0]
            if kind != schema.APPLICATION_ID or number > schema.FORMAT:
                raise ProjectError(f"{path.name} is no project that this version reads.")
            return Glance(*conn.execute(_COUNTS).fetchone())
    except sqlite3.Error as error:
        raise ProjectError(explain(error, path)) from error


MOUNTS = Path("/proc/self/mounts")
_ESCAPED = re.compile(r"\\([0-7]{3})")
NETWORK = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "sshfs",
        "fuse.sshfs",
        "afpfs",
        "9p",
        "webdav",
        "davfs",
        "fuse.davfs2",
        "ncpfs",
        "afs",
        "glusterfs",
        "ceph",
    }
)
SYNCED = (
    "dropbox",
    "onedrive",
    "google drive",
    "googledrive",
    "icloud drive",
    "mobile documents",
    "nextcloud",
    "owncloud",
    "syncthing",
    "pcloud",
    "mega",
    "box sync",
)


def writable(path: Path) -> bool:
    """Tell whether the file and its folder can be written, as SQLite's journal needs both."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def warning(path: Path) -> str | None:
    """Say what is unsafe about the file's place, None where nothing is.

    SQLite's write-ahead log does not work on network shares, and a synchronised folder copies
    its files apart from one another.
    """
    folder = path.absolute().parent
    if _file_system(folder) in NETWORK:
        return (
            f"{path.name} lies on a network share: it works, but more slowly, and only one person "
            "at a time should open it."
        )
    named = next((part for part in folder.parts if part.lower().startswith(SYNCED)), None)
    if named:
        return (
            f"{path.name} lies in the synchronised folder {named}: it works, but open it on one "
            "computer at a time and let the folder finish before opening it on another."
        )
    return None


def _file_system(folder: Path) -> str:
    best, kind = "", ""
    for mount, found in _mounts():
        if len(mount) >= len(best) and folder.is_relative_to(mount):
            best, kind = mount, found.lower()
    return kind


def _mounts() -> Iterator[tuple[str, str]]:
    """Give every mounted folder with the kind of its file system."""
    try:
        lines = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        # no Linux: the library knows, but takes a while to load
        import psutil

        for disk in psutil.disk_partitions(all=True):
            yield disk.mountpoint, disk.fstype
        return
    for line in lines:
        words = line.split(" ")
        if len(words) > 2:
            yield _ESCAPED.sub(lambda sign: chr(int(sign[1], 8)), words[1]), words[2]
