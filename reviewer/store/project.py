"""A project file: created, opened, written by one helper, closed so that one file is the whole."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from reviewer.domain.errors import ProjectError
from reviewer.store import placement, schema

SUFFIX = ".review"
BUSY_MS = 8_000


class Project:
    """An open project file; one object a thread, as SQLite connections are.

    Attributes:
        path: The file.
        conn: The connection, in autocommit; reads go straight to it.
        read_only: True where the file or its disk cannot be written.
        warning: A sentence for the user about where the file lies, None where all is well.
    """

    def __init__(self, path: Path, conn: sqlite3.Connection, *, read_only: bool) -> None:
        """Wrap a connection that `create` or `open` made."""
        self.path = path
        self.conn = conn
        self.read_only = read_only
        self.warning: str | None = None

    @classmethod
    def create(cls, path: Path) -> Self:
        """Make a new, empty project file.

        Raises:
            ProjectError: The file exists already or its folder cannot be written.
        """
        if path.exists():
            raise ProjectError(f"{path} exists already; open it or choose another name.")
        if not path.parent.is_dir():
            raise ProjectError(f"The folder {path.parent} does not exist; make it first.")
        project = cls(path, _connect(path, mode="rwc"), read_only=False)
        try:
            project.conn.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            project._settle()
            project._migrate()
        except sqlite3.Error as error:
            project.conn.close()
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
        read_only = not placement.writable(path)
        try:
            conn = _connect(path, mode="ro" if read_only else "rw")
        except sqlite3.Error as error:
            raise ProjectError(explain(error, path)) from error
        project = cls(path, conn, read_only=read_only)
        try:
            project._prepare()
        except sqlite3.Error as error:
            conn.close()
            raise ProjectError(explain(error, path)) from error
        except ProjectError:
            conn.close()
            raise
        return project

    def close(self) -> None:
        """Close the file; afterwards the one file holds everything and may be copied."""
        with contextlib.suppress(sqlite3.Error):
            if not self.read_only:
                self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.conn.close()

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
        at once beside another writer, whatever the time-out.

        Raises:
            ProjectError: The disk is full, read-only, or another program holds the file.
        """
        if self.read_only:
            raise ProjectError(f"{self.path.name} is read-only here, so nothing can be saved.")
        try:
            self.conn.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise ProjectError(explain(error, self.path)) from error
        try:
            yield self.conn
            self.conn.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise ProjectError(explain(error, self.path)) from error
        except BaseException:
            self._roll_back()
            raise

    def hasty(self) -> None:
        """Write without waiting for the disk, and without looking up what rows refer to.

        For rows that nobody sees yet; `careful` must follow before they are shown, and its next
        transaction takes everything before it to the disk.
        """
        self.conn.execute("PRAGMA synchronous = NORMAL")
        self.conn.execute("PRAGMA foreign_keys = OFF")

    def careful(self) -> None:
        """Write as usual again."""
        self.conn.execute("PRAGMA synchronous = FULL")
        self.conn.execute("PRAGMA foreign_keys = ON")

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

    def _roll_back(self) -> None:
        if self.conn.in_transaction:
            self.conn.execute("ROLLBACK")

    def _prepare(self) -> None:
        self._check_kind()
        if self.read_only:
            self.warning = f"{self.path.name} is read-only here: you can look, but not label."
        else:
            self._settle()
            self._migrate()

    def _check_kind(self) -> None:
        kind = self.conn.execute("PRAGMA application_id").fetchone()[0]
        if kind != schema.APPLICATION_ID:
            raise ProjectError(
                f"{self.path} is an SQLite file, but no Reviewer project; "
                f"open a {SUFFIX} file, or import the results."
            )
        number = self.conn.execute("PRAGMA user_version").fetchone()[0]
        if number > schema.version():
            raise ProjectError(
                f"{self.path.name} was made by a newer version of Reviewer (format {number}; this "
                f"one reads up to {schema.version()}). Update Reviewer to open it; the file was "
                "not touched."
            )

    def _settle(self) -> None:
        self.warning = placement.warning(self.path)
        journal = "DELETE" if self.warning else "WAL"
        self.conn.execute(f"PRAGMA journal_mode = {journal}")
        self.conn.execute("PRAGMA synchronous = FULL")
        self.conn.execute("PRAGMA foreign_keys = ON")
        self.conn.execute("PRAGMA cache_size = -32768")
        self.conn.execute("PRAGMA temp_store = MEMORY")

    def _migrate(self) -> None:
        number = self.conn.execute("PRAGMA user_version").fetchone()[0]
        if number == schema.version():
            return
        if number > 0:
            self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            shutil.copy2(self.path, self.path.with_name(f"{self.path.name}.format-{number}.bak"))
        schema.migrate(self.conn)
        self.conn.execute(f"PRAGMA user_version = {schema.version()}")


def _connect(path: Path, *, mode: str) -> sqlite3.Connection:
    conn = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None
    )
    conn.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    return conn


_REASONS = (
    (
        "disk is full",
        "The disk is full: free some space and try again; everything saved before is safe.",
    ),
    ("database or disk is full", "The disk is full: free some space and try again."),
    ("readonly", "The file or its folder is read-only, so nothing can be saved."),
    ("locked", "Another program holds the file; close it there or try again in a moment."),
    (
        "malformed",
        "The file is damaged; `reviewer doctor` repairs it from the newest whole backup.",
    ),
    ("not a database", "It is no Reviewer project; import it instead, or open a .review file."),
    ("unable to open", "It cannot be opened; check that the file and its folder can be read."),
    (
        "disk i/o",
        "The disk reported an error while reading or writing; check the disk and its space.",
    ),
)


def explain(error: sqlite3.Error, path: Path) -> str:
    """Turn an SQLite error into a sentence that says what to do."""
    text = str(error).lower()
    for part, sentence in _REASONS:
        if part in text:
            return f"{path.name}: {sentence}"
    return f"{path.name}: the project file could not be read or written ({error})."
