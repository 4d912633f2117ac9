"""Bring a file of an older format up to date, after keeping a copy of it."""

import contextlib
import itertools
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from reviewer.domain import uids
from reviewer.store import connecting, from_format_1, schema
from reviewer.store.query import number_of

CONVERSIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (from_format_1.convert,)
"""What brings a file of each older format, the first at the front, to the one after it."""

WAIT_MS = 120_000
"""How long a window waits for another one that brings the file up to date."""


def format_of(conn: sqlite3.Connection) -> int:
    """Give the number of a file's format; 0 for a file that has no tables yet."""
    return number_of(conn, "PRAGMA user_version")


def newer(path: Path, number: int) -> str:
    """Say that a file has a format which this version does not know."""
    return (
        f"{path.name} was made by a newer version of Reviewer (format {number}; this one reads up "
        f"to {schema.FORMAT}). Update Reviewer to open it; the file was not touched."
    )


def upgrade(conn: sqlite3.Connection, path: Path) -> Path | None:
    """Take the steps to the newest format, all or none, and give the copy of the older file.

    None where the file was new or up to date. Of two windows that open an older file at once,
    one copies and converts it, and the other waits for that.

    Raises:
        ProjectError: The copy cannot be written; the file is as it was.
    """
    if format_of(conn) == schema.FORMAT:
        return None
    # steps move rows of tables that others refer to; each leaves all of them whole
    conn.execute("PRAGMA foreign_keys = OFF")
    try:
        with _alone(conn):
            found, kept = format_of(conn), None
            if found == schema.FORMAT:
                return None
            if found > 0:
                kept = _fresh(path, found)
                # a connection that is about to write cannot be copied from
                with contextlib.closing(sqlite3.connect(path)) as reading:
                    connecting.copy(reading, kept)
            _bring(conn, found)
    finally:
        conn.execute("PRAGMA foreign_keys = ON")
    return kept


@contextlib.contextmanager
def _alone(conn: sqlite3.Connection) -> Iterator[None]:
    """Take every step or none; whoever does the same elsewhere is waited for."""
    conn.execute(f"PRAGMA busy_timeout = {WAIT_MS}")
    try:
        conn.execute("BEGIN IMMEDIATE")
        yield
        conn.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            conn.execute("ROLLBACK")
        raise
    finally:
        conn.execute(f"PRAGMA busy_timeout = {connecting.BUSY_MS}")


def _bring(conn: sqlite3.Connection, number: int) -> None:
    if number == 0:
        schema.make(conn)
        conn.execute(
            "INSERT INTO settings VALUES (?, ?)",
            (schema.PROJECT_ID, uids.text_of(uids.fresh())),
        )
    else:
        for convert in CONVERSIONS[number - 1 :]:
            convert(conn)
    conn.execute(f"PRAGMA user_version = {schema.FORMAT}")


def _fresh(path: Path, number: int) -> Path:
    """Name the copy; one that is there already is never replaced."""
    names = itertools.chain(
        [f"{path.name}.format-{number}.bak"],
        (f"{path.name}.format-{number}-{n}.bak" for n in itertools.count(2)),
    )
    return next(x for x in map(path.with_name, names) if not x.exists())
