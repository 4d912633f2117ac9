"""Backups of a project, taken while it is in use and thinned by age."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from reviewer.store.project import Project


@dataclass(frozen=True)
class Backup:
    """A consistent copy of a project."""

    file: Path
    bytes: int
    sha256: str


def folder(project: Path) -> Path:
    """Give the folder that holds the backups of a project, beside it."""
    return project.with_name(f"{project.stem}.backups")


def make(project: Project, to: Path | None = None) -> Backup:
    """Copy a project that may be in use; without `to`, into its folder of backups.

    Raises:
        ProjectError: The copy cannot be written.
    """
    raise NotImplementedError


def automatic(project: Project, now: datetime | None = None) -> Backup | None:
    """Make a backup where the project changed since the last one, and thin the older ones.

    Called at opening and hourly. None where nothing changed or the project is read-only.
    """
    raise NotImplementedError


def thin(where: Path, now: datetime | None = None) -> list[Path]:
    """Remove old backups: kept are all of today, one a day for a month, one a week for a year."""
    raise NotImplementedError


def newest_whole(project: Path) -> Path | None:
    """Give the newest backup of a project that passes its check, None where there is none."""
    raise NotImplementedError
