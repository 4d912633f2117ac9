"""Copy a project consistently while it is in use."""

import contextlib
import sqlite3
from pathlib import Path

from reviewer.domain.errors import ProjectError
from reviewer.store.project import Project, explain

PAGES = 2_000


def copy(project: Project, to: Path) -> None:
    """Copy a project with SQLite's own backup, under a temporary name until it is whole.

    Raises:
        ProjectError: The copy cannot be written, or the disk is full.
    """
    part = to.with_name(f".{to.name}.part")
    try:
        part.unlink(missing_ok=True)
        target = sqlite3.connect(part)
        try:
            project.conn.backup(target, pages=PAGES, sleep=0.01)
            target.execute("PRAGMA journal_mode = DELETE")
        finally:
            target.close()
        part.replace(to)
    except sqlite3.Error as error:
        _drop(part)
        raise ProjectError(explain(error, to)) from error
    except OSError as error:
        _drop(part)
        reason = (error.strerror or str(error)).lower()
        raise ProjectError(f"The copy {to} cannot be written: {reason}.") from error


def _drop(part: Path) -> None:
    with contextlib.suppress(OSError):
        part.unlink(missing_ok=True)


def problems(path: Path) -> list[str]:
    """Check a file's pages without opening it as a project; empty where it is whole."""
    try:
        conn = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            rows = conn.execute("PRAGMA integrity_check(20)").fetchall()
        finally:
            conn.close()
    except sqlite3.Error as error:
        return [explain(error, path)]
    return [] if rows == [("ok",)] else [str(row[0]) for row in rows]


_CHANGES = "SELECT value FROM counters WHERE name = 'seq'"


def changes(project: Project) -> int:
    """Give the number of the newest change of an open project."""
    return int(project.conn.execute(_CHANGES).fetchone()[0])


def changes_of(path: Path) -> int | None:
    """Give the number of the newest change of a file, None where it cannot be read."""
    try:
        conn = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            return int(conn.execute(_CHANGES).fetchone()[0])
        finally:
            conn.close()
    except (sqlite3.Error, TypeError):
        return None
