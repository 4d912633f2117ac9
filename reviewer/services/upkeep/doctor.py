"""Check a project file and repair it from the newest backup that is whole."""

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reviewer.domain.errors import ProjectError, refusal
from reviewer.services.project import backups
from reviewer.store import checking, copying
from reviewer.store.project import Project


@dataclass(frozen=True)
class DoctorReport:
    """What the check found; `repaired_from` names the backup that took the file's place."""

    ok: bool
    problems: tuple[str, ...] = ()
    repaired_from: Path | None = None
    set_aside: Path | None = None
    sentences: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Give the document that the command line prints."""
        return {
            "schema": 1,
            "ok": self.ok,
            "problems": list(self.problems),
            "repaired_from": str(self.repaired_from) if self.repaired_from else None,
        }


def check(path: Path) -> DoctorReport:
    """Check pages, references, counters, text search and leftovers, changing nothing.

    Raises:
        ProjectError: There is no such file, or it was made by a newer version.
    """
    if not path.is_file():
        raise ProjectError(f"There is no project file {path}.")
    problems = copying.problems(path)
    if not problems:
        with Project.open(path) as opened:
            problems = checking.problems(opened)
    return DoctorReport(ok=not problems, problems=tuple(problems))


def repair(path: Path) -> DoctorReport:
    """Mend what can be mended; a broken file is set aside for its own rows or its newest backup.

    Raises:
        ProjectError: The file is damaged and there is no whole backup.
    """
    found = check(path)
    if found.ok:
        return found
    if copying.problems(path):
        return _rebuilt(path, found) or _replaced(path, found)
    with Project.open(path) as opened:
        checking.mend(opened)
        left = checking.problems(opened)
    if left:
        return _replaced(path, found)
    return DoctorReport(ok=True, problems=found.problems)


def _rebuilt(path: Path, found: DoctorReport) -> DoctorReport | None:
    """Save every row where only what finds them is broken; None where rows themselves are."""
    fresh = path.with_name(f".{path.name}.part")
    try:
        copying.rebuild(path, fresh)
        with Project.open(fresh) as opened:
            checking.mend(opened)
            whole = not checking.problems(opened)
    except ProjectError:
        whole = False
    if not whole or copying.problems(fresh):
        copying.forget(fresh)
        return None
    aside = _put_in_place(path, fresh)
    return DoctorReport(
        ok=True,
        problems=found.problems,
        set_aside=aside,
        sentences=(
            f"Every row could be read, so nothing is lost; the damaged file was set aside as "
            f"{aside.name}.",
        ),
    )


def _replaced(path: Path, found: DoctorReport) -> DoctorReport:
    backup = backups.newest_whole(path)
    if backup is None:
        raise ProjectError(
            f"{path.name} is damaged and {backups.folder(path)} holds no whole backup. The file "
            "was not touched; copy it elsewhere before anything else."
        )
    fresh = path.with_name(f".{path.name}.part")
    try:
        shutil.copyfile(backup, fresh)
    except OSError as error:
        raise _not_placed(backup, error) from error
    aside = _put_in_place(path, fresh)
    return DoctorReport(
        ok=True,
        problems=found.problems,
        repaired_from=backup,
        set_aside=aside,
        sentences=(
            f"The damaged file was set aside as {aside.name}; what was done after "
            f"{backup.stem} is only in there.",
        ),
    )


def _put_in_place(path: Path, fresh: Path) -> Path:
    """Set the damaged file aside for a whole one, and give its new name."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    aside = path.with_name(f"{path.name}.broken-{stamp}")
    try:
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(aside.with_name(aside.name + suffix))
        fresh.replace(path)
    except OSError as error:
        raise _not_placed(fresh, error) from error
    return aside


def _not_placed(file: Path, error: OSError) -> ProjectError:
    reason = refusal(error)
    return ProjectError(f"The file {file} could not be put in place: {reason}.")
