"""Bring the newest answers home where a project was renamed under a program that then ended.

They lie in a log that still has the old name, and nobody who opens the file looks for it there.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reviewer.domain.errors import ProjectError, refusal
from reviewer.store import connecting, schema

LOG: Final = "-wal"
_NEWEST: Final = "SELECT value FROM counters WHERE name = 'seq'"
_UIDS: Final = "SELECT uid FROM labels UNION ALL SELECT uid FROM marks"


def bring_home(path: Path) -> str:
    """Take in what a log without a file of its name has of this project.

    Returns:
        What was brought home, in a sentence; empty where nothing was.

    Raises:
        ProjectError: The log's program still runs, so that both would write; or the disk refuses.
    """
    own = path.with_name(path.name + LOG)
    if own.exists():
        return ""
    for log in _orphans(path):
        with _tried(path, log) as whole:
            if whole is None:
                continue
            _must_be_alone(path, log)
            whole.replace(path)
        for side in (log, log.with_name(log.name.removesuffix(LOG) + "-shm")):
            side.unlink(missing_ok=True)
        return (
            f"{path.name} was renamed while it was open, so that its newest answers lay in "
            f"{log.name}; they are in it again."
        )
    return ""


def _orphans(path: Path) -> list[Path]:
    try:
        logs = sorted(path.parent.glob(f"*{LOG}"))
        return [x for x in logs if not _file_of(x).exists() and x.stat().st_size]
    except OSError:
        return []


def _file_of(log: Path) -> Path:
    return log.with_name(log.name.removesuffix(LOG))


@contextlib.contextmanager
def _tried(path: Path, log: Path) -> Iterator[Path | None]:
    """Give a copy of the project with a log's pages in it, None where they are not of it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    beside = part.with_name(part.name + LOG)
    try:
        shutil.copy2(path, part)
        shutil.copy2(log, beside)
        yield part if _is_newer(path, part) else None
    except OSError as error:
        raise ProjectError(f"{path.name} cannot be copied: {refusal(error)}.") from error
    finally:
        for file in (part, beside, part.with_name(f"{part.name}-shm")):
            file.unlink(missing_ok=True)


def _is_newer(path: Path, part: Path) -> bool:
    """Tell whether a copy is whole, of the same project, and has all that the file has."""
    try:
        with (
            contextlib.closing(connecting.connect(part, "rw")) as conn,
            contextlib.closing(connecting.glimpse(path)) as old,
        ):
            if conn.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return False
            if _of(old) is None or _of(conn) != _of(old) or _newest(conn) <= _newest(old):
                return False
            known = {uid for (uid,) in conn.execute(_UIDS)}
            if any(uid not in known for (uid,) in old.execute(_UIDS)):
                return False
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return True
    except sqlite3.Error:
        return False


def _of(conn: sqlite3.Connection) -> str | None:
    found = conn.execute(
        "SELECT value FROM settings WHERE name = ?", (schema.PROJECT_ID,)
    ).fetchone()
    return str(found[0]) if found and schema.is_project(conn) else None


def _newest(conn: sqlite3.Connection) -> int:
    return int(conn.execute(_NEWEST).fetchone()[0])


def _must_be_alone(path: Path, log: Path) -> None:
    """Refuse where the program that writes the log still runs: it will follow by itself."""
    try:
        with contextlib.closing(connecting.connect(path, "rw", alone=True)) as conn:
            conn.execute("PRAGMA busy_timeout = 1000")
            conn.execute("BEGIN EXCLUSIVE")
            conn.execute("ROLLBACK")
    except sqlite3.OperationalError:
        raise ProjectError(
            f"{path.name} was renamed while another program has it open, whose newest answers "
            f"are in {log.name}. It follows by itself at its next answer: close it, or try again "
            "in a moment."
        ) from None
