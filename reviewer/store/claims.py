"""Tell on shares and in synchronised folders which computer has a project open.

Local programs see one another through SQLite's locks. Where a disk cannot be trusted with those,
a small file beside the project says who has it open. It only leads to a warning: whoever knows
that the other computer is off may go on.
"""

import contextlib
import json
import os
import socket
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from reviewer.domain.values import now_text


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
