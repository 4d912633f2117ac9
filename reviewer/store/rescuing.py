"""Rows of a damaged file, brought into a new one: indexes break more often than what they find."""

import contextlib
import sqlite3
from pathlib import Path

from reviewer.domain.errors import ProjectError
from reviewer.store import connecting
from reviewer.store.project import Project

_TABLES = (
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
    "AND name <> 'search' AND name NOT LIKE 'search\\_%' ESCAPE '\\'"
)


def rebuild(path: Path, to: Path) -> None:
    """Write every row of a damaged project into a new file, reading tables and no index.

    The text search of the new file is empty; `checking.mend` fills it.

    Raises:
        ProjectError: A table itself cannot be read, or the new file cannot be written.
    """
    forget(to)
    project = Project.create(to)
    try:
        _fill(project.conn, path)
    except sqlite3.Error as error:
        raise ProjectError(connecting.explain(error, path)) from error
    finally:
        project.close()


def forget(path: Path) -> None:
    """Remove a new file that did not come to its end."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _fill(conn: sqlite3.Connection, path: Path) -> None:
    conn.execute("PRAGMA foreign_keys = OFF")
    conn.execute("ATTACH ? AS damaged", (str(path),))
    try:
        conn.execute("BEGIN IMMEDIATE")
        for (table,) in conn.execute(_TABLES).fetchall():
            names = conn.execute("SELECT name FROM pragma_table_info(?)", (table,))
            columns = [f'"{name}"' for (name,) in names]
            # a column that is not there would be taken for a text, unless its table is named
            given = ", ".join(f"d.{column}" for column in columns)
            conn.execute(f'DELETE FROM main."{table}"')
            conn.execute(
                f'INSERT INTO main."{table}"({", ".join(columns)}) '
                f'SELECT {given} FROM damaged."{table}" AS d NOT INDEXED'
            )
        conn.execute("COMMIT")
    finally:
        with contextlib.suppress(sqlite3.Error):
            conn.execute("ROLLBACK")
        with contextlib.suppress(sqlite3.Error):
            conn.execute("DETACH damaged")
