"""Bring the newest answers home where a project was renamed under a program that then ended.

They lie in a log that still has the old name, and nobody who opens the file looks for it there.
Conversely, a log may lie beside a file that was put into the place of its own: SQLite would write
it over that file.
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
        return _set_aside(path, own) if _is_foreign(path, own) else ""
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


def _is_foreign(path: Path, log: Path) -> bool:
    """Tell whether a log is of a file that stood here before: without it this one is whole.

    A file that has not changed since its log was written is the log's own.
    """
    try:
        if not log.stat().st_size or path.stat().st_ctime_ns <= log.stat().st_mtime_ns:
            return False
    except OSError:
        return False
    together, alone = _whole(path, with_log=True), _whole(path, with_log=False)
    return alone is not None and together != alone


def _whole(path: Path, *, with_log: bool) -> str | None:
    """Give the project that a file is, None where it is none or damaged."""
    try:
        # what reads alone writes no log into the file when it is closed
        with contextlib.closing(connecting.reading(path, with_log=with_log)) as conn:
            is_whole = conn.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            return _of(conn) if is_whole else None
    except (sqlite3.Error, ProjectError):
        return None


def _set_aside(path: Path, log: Path) -> str:
    """Give a foreign log another name, under which nobody takes it in."""
    number = 1
    while (kept := path.with_name(f"{log.name} (of another file {number})")).exists():
        number += 1
    try:
        log.replace(kept)
    except OSError as error:
        raise ProjectError(
            f"{log.name} is of another file that stood in the place of {path.name}, and cannot "
            f"be put aside: {refusal(error)}. Take it away before the project is opened."
        ) from error
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    return (
        f"{log.name} was of another file that stood in the place of {path.name} before: it was "
        f"not taken in, and is {kept.name} now."
    )


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
