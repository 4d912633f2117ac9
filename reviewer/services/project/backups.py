"""Backups of a project, taken while it is in use and thinned by age."""

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reviewer.domain.errors import ProjectError, refusal
from reviewer.store import copying
from reviewer.store.project import Project

_NAME = re.compile(r"(\d{8}T\d{6})(?:-\d+)?\.review$")
_FORMAT = "%Y%m%dT%H%M%S"
DAYS, WEEKS = 30, 52


@dataclass(frozen=True)
class Backup:
    """A consistent copy of a project."""

    file: Path
    bytes: int
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """Give the document that the command line prints."""
        return {"schema": 1, "file": str(self.file), "bytes": self.bytes, "sha256": self.sha256}


def folder(project: Path) -> Path:
    """Give the folder that holds the backups of a project, beside it."""
    return copying.folder_of_backups(project)


def make(project: Project, to: Path | None = None) -> Backup:
    """Copy a project that may be in use; without `to`, into its folder of backups.

    Raises:
        ProjectError: The copy cannot be written, or it would replace the project itself.
    """
    target = to or _fresh(project.path, datetime.now(UTC))
    if target.is_dir():
        target = target / project.path.name
    if target.resolve() == project.path.resolve():
        raise ProjectError(f"{target} is the project itself; name another file for the backup.")
    copying.copy(project, target)
    with target.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return Backup(target, target.stat().st_size, digest)


def _fresh(project: Path, now: datetime) -> Path:
    where = folder(project)
    try:
        where.mkdir(exist_ok=True)
    except OSError as error:
        reason = refusal(error)
        raise ProjectError(f"The folder of backups {where} cannot be made: {reason}.") from error
    stamp = now.strftime(_FORMAT)
    target, number = where / f"{stamp}.review", 1
    while target.exists():
        number += 1
        target = where / f"{stamp}-{number}.review"
    return target


def automatic(project: Project, now: datetime | None = None) -> Backup | None:
    """Make a backup where the project changed since the last one, and thin the older ones.

    Called at opening and hourly. None where nothing changed or the project is read-only.

    Raises:
        ProjectError: The copy cannot be written, or the project is damaged: then the older
            backups stay as they are.
    """
    if project.read_only:
        return None
    moment = now or datetime.now(UTC)
    where = folder(project.path)
    known = _dated(where)
    if known and copying.changes(project) == copying.changes_of(known[-1][1]):
        return None
    if not known and copying.changes(project) == 0:
        return None
    made = make(project, _fresh(project.path, moment))
    thin(where, moment)
    return made


def thin(where: Path, now: datetime | None = None) -> list[Path]:
    """Remove old backups: kept are all of today, one a day for a month, one a week for a year."""
    moment = now or datetime.now(UTC)
    kept: set[tuple[str, str]] = set()
    removed = []
    for made, file in reversed(_dated(where)):
        slot = _slot(made, file, moment)
        if slot is not None and slot not in kept:
            kept.add(slot)
            continue
        file.unlink(missing_ok=True)
        removed.append(file)
    return removed


def _slot(made: datetime, file: Path, now: datetime) -> tuple[str, str] | None:
    """Give what a backup stands for; of the backups of one slot only the newest is kept."""
    age = now - made
    if made.date() >= now.date():
        return ("moment", file.name)
    if age < timedelta(days=DAYS):
        return ("day", made.date().isoformat())
    if age < timedelta(weeks=WEEKS):
        return ("week", made.strftime("%G-%V"))
    return None


def _dated(where: Path) -> list[tuple[datetime, Path]]:
    """Give the backups in a folder, the oldest first."""
    found = []
    for file in sorted(where.glob("*.review")):
        match = _NAME.match(file.name)
        if match:
            found.append((datetime.strptime(match[1], _FORMAT).replace(tzinfo=UTC), file))
    return found


def newest_whole(project: Path) -> Path | None:
    """Give the newest backup of a project that passes its check, None where there is none."""
    backups = (file for _, file in reversed(_dated(folder(project))))
    return next((file for file in backups if not copying.problems(file)), None)
