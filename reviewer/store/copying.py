"""Copies of a project: made while it is in use, compared, or brought out of a damaged file."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Literal

from reviewer.domain.errors import ProjectError
from reviewer.store import connecting, schema, upgrading
from reviewer.store.project import Project
from reviewer.store.query import number_of


def copy(project: Project, to: Path) -> None:
    """Copy a project that may be in use, under a temporary name until it is whole.

    Raises:
        ProjectError: The copy cannot be written, or the disk is full.
    """
    connecting.copy(project.conn, to)


def folder_of_backups(path: Path) -> Path:
    """Give the folder that holds the backups of a project, beside it."""
    return path.with_name(f"{path.stem}.backups")


def problems(path: Path, *, quick: bool = False) -> list[str]:
    """Check a file's pages and tables without opening it as a project; empty where it is whole.

    `quick` leaves out whether every index agrees with its table.
    """
    try:
        # a reader that may not write would leave its log beside the file; one that may would put
        # what is in the log into the file, up to where the log is damaged
        log = path.with_name(f"{path.name}-wal")
        moves = connecting.writable(path) and not (log.exists() and log.stat().st_size)
        mode: Literal["rw", "ro"] = "rw" if moves else "ro"
        with contextlib.closing(connecting.connect(path, mode)) as conn:
            conn.execute("PRAGMA query_only = ON")
            check = "quick_check" if quick else "integrity_check"
            rows = conn.execute(f"PRAGMA {check}(20)").fetchall()
            return _lacking(conn) if rows == [("ok",)] else [str(row[0]) for row in rows]
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [connecting.explain(error, path)]


def _lacking(conn: sqlite3.Connection) -> list[str]:
    """Say which tables and columns of its format a project has not."""
    if not schema.is_project(conn) or upgrading.format_of(conn) != schema.FORMAT:
        return []
    there = schema.columns(conn)
    tables = {table for table, _ in there}
    expected = sorted(schema.shape() - there)
    return [
        *(
            f"the table {table} is missing, which every project has that was given out"
            for table in dict.fromkeys(x for x, _ in expected if x not in tables)
        ),
        *(
            f"the column {column} of the table {table} is missing, which every project has that "
            "was given out"
            for table, column in expected
            if table in tables
        ),
    ]


_CHANGES = "SELECT value FROM counters WHERE name = 'seq'"


def changes(project: Project) -> int:
    """Give the number of the newest change of an open project."""
    return number_of(project.conn, _CHANGES)


def changes_of(path: Path) -> int | None:
    """Give the number of the newest change of a file, None where it cannot be read."""
    try:
        with contextlib.closing(connecting.glimpse(path)) as conn:
            return number_of(conn, _CHANGES)
    except (sqlite3.Error, ProjectError, TypeError):
        return None


def forget(path: Path) -> None:
    """Remove a new file that did not come to its end."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
