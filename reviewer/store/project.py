"""A project file: created, opened, claimed, written by one helper, closed as one whole file.

Local programs see one another through SQLite's locks. Where a disk cannot be trusted with those,
a small file beside the project says who has it open. It only leads to a warning: whoever knows
that the other computer is off may go on.
"""

import contextlib
import json
import os
import shlex
import socket
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from msgspec import Struct
from msgspec.structs import asdict

from reviewer.domain.errors import ProjectError
from reviewer.domain.evaluation import now_text
from reviewer.store import bulk, connecting, following, homecoming, schema, upgrading
from reviewer.store.connecting import connect, explain

CHECKPOINT_PAGES = 8_000
SUFFIX = ".review"


class Project:
    """An open project file; one object a thread, as SQLite connections are.

    Attributes:
        path: The file.
        conn: The connection, in autocommit; reads go straight to it.
        read_only: True where the file or its disk cannot be written.
        warning: A sentence for the user about where the file lies, None where all is well.
        follows: Where the file loses its name it goes on in the same file under its new one, or
            in a whole copy, and `path` changes; else it refuses to write.
        followed: A sentence about the last time that it did, or that what it had left under
            another name was brought home when it was opened.
        patience: Seconds for which a write waits until others are done with theirs.
        written: How many transactions of this object are on disk.
    """

    def __init__(self, path: Path, conn: sqlite3.Connection, *, read_only: bool) -> None:
        """Wrap a connection that `create` or `open` made."""
        self.path = path
        self.conn = conn
        self.read_only = read_only
        self.warning: str | None = None
        self.older_copy: Path | None = None
        self.follows = False
        self.followed = ""
        self.patience = connecting.BUSY_MS / 1000
        self.written = 0
        self._anchor = following.Anchor(path)
        self._turn = connecting.Turn(path)
        self._claimed = False
        self._rehearsing = False

    @classmethod
    def create(cls, path: Path) -> Self:
        """Make a new, empty project file, also of one that is there and holds nothing.

        Raises:
            ProjectError: The file exists already or its folder cannot be written.
        """
        if path.exists() and not connecting.is_blank(path):
            raise ProjectError(f"{path} exists already; open it or choose another name.")
        if not path.parent.is_dir():
            raise ProjectError(f"The folder {path.parent} does not exist; make it first.")
        if not os.access(path.parent, os.W_OK):
            raise ProjectError(f"The folder {path.parent} cannot be written; choose another one.")
        alone = connecting.warning(path) is not None
        try:
            project = cls(path, connect(path, "rwc", alone=alone), read_only=False)
        except sqlite3.Error as error:
            raise ProjectError(explain(error, path)) from error
        try:
            project.conn.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            project._settle()
            upgrading.upgrade(project.conn, path)
        except sqlite3.Error as error:
            project._let_go()
            for suffix in ("", "-wal", "-shm", "-journal"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            raise ProjectError(explain(error, path)) from error
        return project

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a project file, bringing an older one up to date after keeping a copy.

        Raises:
            ProjectError: No such file, no project, made by a newer version, or damaged.
        """
        if not path.is_file():
            raise ProjectError(f"There is no project file {path}.")
        read_only = not connecting.writable(path)
        followed = "" if read_only else homecoming.bring_home(path)
        try:
            alone = not read_only and connecting.warning(path) is not None
            conn = connect(path, "ro" if read_only else "rw", alone=alone)
        except sqlite3.Error as error:
            raise ProjectError(explain(error, path)) from error
        project = cls(path, conn, read_only=read_only)
        project.followed = followed
        try:
            with connecting.damage_named(path):
                project._prepare()
                if not read_only:
                    bulk.resume(conn, project.write)
        except ProjectError:
            project._let_go()
            raise
        return project

    def close(self) -> None:
        """Close the file; after the last who has it open, one file holds everything."""
        # the last to close moves all into the file; asked for earlier, it makes others wait
        logs: list[Path] = []
        with contextlib.suppress(sqlite3.Error, ProjectError):
            if self.follows:
                self.keep_up()
            loss = self._anchor.loss(self.conn)
            # of a file without its name SQLite leaves the log where nobody looks for it
            if loss is not None and loss.kind == "moved" and self._anchor.gather(self.conn):
                logs = self._anchor.logs()
        self._let_go()
        for log in logs:
            log.unlink(missing_ok=True)

    def keep_up(self, *, follow: bool = True) -> bool:
        """Look whether the file is still there under its name, and follow it where it is not.

        Args:
            follow: False inside a transaction, which belongs to the file as it was.

        Returns:
            Whether the project goes on in another place since.

        Raises:
            ProjectError: It is not there, and is not followed or cannot be.
        """
        loss = self._anchor.loss(self.conn)
        if loss is None:
            return False
        if not (follow and self.follows) or loss.kind == "cut":
            raise ProjectError(_lost(self.path, loss))
        before, gathered, logs = self.path, self._anchor.gather(self.conn), self._anchor.logs()
        if loss.place is not None and gathered:
            self._let_go()
            now = self._anchor.free(loss.place)
        else:
            now = self._anchor.copy(self.conn)
            self._let_go()
        for log in logs:
            # whoever opens another file under this name must not meet the log of this one
            log.unlink(missing_ok=True)
        self.path = now
        self.conn = connect(now, "rw", alone=connecting.warning(now) is not None)
        self._anchor = following.Anchor(now)
        self._turn = connecting.Turn(now)
        self._settle()
        self.followed = _told(before, loss, now)
        return True

    def _let_go(self) -> None:
        self.conn.close()
        if self._claimed:
            give_back(self.path)

    def __enter__(self) -> Self:
        """Give the project itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction that is on disk when the block ends, or not at all.

        Every write of the program goes through here. It begins immediate: a deferred one fails
        at once beside another writer, whatever the time-out. In a rehearsal it only seems to be.

        Raises:
            UnwritableError: The disk is full, read-only, or another program holds the file.
            ProjectError: The file is damaged or gone, or was opened read-only.
            RuntimeError: It stands inside another transaction, which is a mistake in the program.
        """
        if self.conn.in_transaction and not self._rehearsing:
            raise RuntimeError("A write stands inside a transaction, such as a snapshot's.")
        if self.read_only:
            raise ProjectError(f"{self.path.name} is read-only here, so nothing can be saved.")
        if not self.conn.in_transaction:
            self.keep_up()
        try:
            if not (self._rehearsing and self.conn.in_transaction):
                self._turn.begin(self.conn, self.patience)
        except sqlite3.Error as error:
            raise connecting.unwritten(error, self.path) from error
        try:
            yield self.conn
            if not self._rehearsing:
                self.keep_up(follow=False)
                self.conn.execute("COMMIT")
                self.written += 1
                self._turn.ended()
        except sqlite3.Error as error:
            _roll_back(self.conn)
            raise connecting.unwritten(error, self.path) from error
        except BaseException:
            _roll_back(self.conn)
            raise

    def write_giving_way(self, act: Callable[[sqlite3.Connection], object]) -> None:
        """Write in one transaction, given up and done again where somebody else waits to write.

        Raises:
            ProjectError: As for `write`.
        """
        if self._turn.may_give_way and not self._rehearsing:
            try:
                with self.write() as conn, self._turn.giving_way(conn):
                    act(conn)
            except connecting.AwaitedError:
                self._turn.gave_way(self.conn)
            else:
                return
        with self.write() as conn:
            act(conn)

    @contextlib.contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Let everything that is written inside the block be undone when it ends.

        What is written inside can be read inside. From the first write on nobody else can write,
        so the block must be short.
        """
        self._rehearsing = True
        try:
            yield
        finally:
            self._rehearsing = False
            _roll_back(self.conn)

    def hasty(self, *, synced: bool = False) -> None:
        """Write without looking up what rows refer to, and without waiting for the disk.

        With `synced` it waits: for what cannot be made again.

        For rows that nobody sees yet; `careful` must follow before they are shown, and its next
        transaction takes everything before it to the disk.
        """
        # the log is emptied sooner than by anybody else, so that no label press does this work
        _tune(
            self.conn,
            f"synchronous = {'FULL' if synced else 'NORMAL'}",
            f"wal_autocheckpoint = {CHECKPOINT_PAGES * 3 // 4}",
            "foreign_keys = OFF",
        )

    def careful(self) -> None:
        """Write as usual again."""
        _tune(
            self.conn,
            "synchronous = FULL",
            "foreign_keys = ON",
            f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
        )

    def gather(self) -> None:
        """Put what is saved beside the file into the file itself; nobody waits for it."""
        self.conn.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def next_seq(self, count: int = 1) -> int:
        """Reserve numbers of the order of changes, inside `write`, and give the first."""
        row = self.conn.execute(
            "UPDATE counters SET value = value + ? WHERE name = 'seq' RETURNING value", (count,)
        ).fetchall()[0]
        return int(row[0]) - count + 1

    def setting(self, name: str, default: str = "") -> str:
        """Give a setting of the project, such as its `time_zone`."""
        row = self.conn.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else default

    def set_setting(self, name: str, value: str) -> None:
        """Keep a setting of the project."""
        with self.write() as conn:
            conn.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def _prepare(self) -> None:
        self._check_kind()
        if self.read_only:
            self.warning = f"{self.path.name} is read-only here: you can look, but not label."
            if upgrading.format_of(self.conn) < schema.FORMAT:
                raise ProjectError(
                    f"{self.path.name} was made by an older version of Reviewer and has to be "
                    "brought up to date, but it is read-only here. Copy it into a folder that can "
                    "be written and open it there."
                )
        else:
            self._settle()
            self.older_copy = upgrading.upgrade(self.conn, self.path)

    def _check_kind(self) -> None:
        if self.conn.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION_ID:
            if not self.path.stat().st_size:
                raise ProjectError(
                    f"{self.path} is empty, so it is no Reviewer project; put a backup in its "
                    "place, or remove it and import the results."
                )
            raise ProjectError(
                f"{self.path} is an SQLite file, but no Reviewer project; "
                f"open a {SUFFIX} file, or import the results."
            )
        number = upgrading.format_of(self.conn)
        if number > schema.FORMAT:
            raise ProjectError(upgrading.newer(self.path, number))

    def _settle(self) -> None:
        self.warning = connecting.warning(self.path)
        _tune(
            self.conn,
            f"journal_mode = {'DELETE' if self.warning else 'WAL'}",
            "cache_size = -32768",
            # what one large transaction wrote does not keep its room beside the file for ever
            f"journal_size_limit = {CHECKPOINT_PAGES * 4096}",
            "temp_store = MEMORY",
        )
        self.careful()
        if self.warning:
            self.conn.execute("PRAGMA locking_mode = NORMAL")
            # the first read after it gives the lock of the opening back
            upgrading.format_of(self.conn)
            self._claimed, elsewhere = take(self.path)
            self.warning = " ".join(filter(None, (self.warning, elsewhere)))


def _tune(conn: sqlite3.Connection, *pragmas: str) -> None:
    for pragma in pragmas:
        conn.execute(f"PRAGMA {pragma}")


def _roll_back(conn: sqlite3.Connection) -> None:
    if conn.in_transaction:
        conn.execute("ROLLBACK")


def _lost(path: Path, loss: following.Loss) -> str:
    """Say why nothing can be saved in a file that is not followed."""
    if loss.kind == "cut":
        return (
            f"{path.name} {loss.words}, so nothing can be saved in it. Close it and run "
            f"`reviewer doctor {shlex.quote(str(path))}`, which saves what can be read; a backup "
            "is never cut."
        )
    return f"{path.name} {loss.words} while it was open here, so nothing was saved. Open it again."


def _told(before: Path, loss: following.Loss, now: Path) -> str:
    start = f"{before.name} {loss.words} while it was open."
    if loss.place == now:
        return f"{start} Reviewer goes on there; everything that was answered is in it."
    where = now.name if now.parent == before.parent else str(now)
    other = " The other file was left alone." if loss.kind == "replaced" else ""
    return f"{start} Reviewer goes on in {where}, which has everything that was answered.{other}"


class Claim(Struct, frozen=True):
    """Who has a project open: a process of a computer, since when."""

    host: str
    pid: int
    since: str


def note_of(path: Path) -> Path:
    """Give the file that holds the claim on a project."""
    return path.with_name(f"{path.name}.open")


def take(path: Path) -> tuple[bool, str | None]:
    """Claim a project unless somebody has; say whether one did, and who else has it open."""
    note = note_of(path)
    found = _read(note)
    host = socket.gethostname()
    if found is not None and found.host != host:
        return False, (
            f"{path.name} has been open on {found.host} since {found.since}: close it there "
            f"first. If it is not open there any more, remove {note.name}."
        )
    if found is not None and found.pid != os.getpid() and _lives(found.pid):
        return False, None
    if found is not None and found.pid == os.getpid():
        return False, None
    mine = Claim(host=host, pid=os.getpid(), since=now_text())
    try:
        note.write_text(json.dumps(asdict(mine)) + "\n", "utf-8")
    except OSError:
        return False, None
    return True, None


def give_back(path: Path) -> None:
    """Take one's own claim away again."""
    note = note_of(path)
    found = _read(note)
    if found is not None and (found.host, found.pid) == (socket.gethostname(), os.getpid()):
        with contextlib.suppress(OSError):
            note.unlink()


def _read(note: Path) -> Claim | None:
    try:
        found = json.loads(note.read_bytes())
    except (OSError, ValueError):
        return None
    match found:
        case {"host": str(host), "pid": int(pid), "since": str(since)}:
            return Claim(host, pid, since)
    return None


def _lives(pid: int) -> bool:
    import psutil

    return bool(psutil.pid_exists(pid))
