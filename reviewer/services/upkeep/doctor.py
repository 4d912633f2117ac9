"""Check a project file and repair it: from its own rows, and from the newest backup that is whole.

Of a damaged file everything is saved that can be read; what cannot comes from the backup, and what
is in neither is listed. The damaged file is set aside as it was.
"""

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ProjectError, refusal
from reviewer.domain.wording import counted, listed
from reviewer.services.project import backups
from reviewer.services.upkeep import lost_rubrics
from reviewer.store import checking, connecting, copying, standins, sweeping
from reviewer.store.project import Project
from reviewer.store.salvage import Found, is_foreign, overlooked, salvage
from reviewer.store.standins import Healed, Lost

MOST_LISTED: Final = 20
"""How much of what is lost is said; more is listed in a file beside the project."""


@dataclass(frozen=True)
class DoctorReport:
    """What the check found and the repair did.

    Attributes:
        repaired_from: The backup that took the file's place, or from which came what was lost.
        offer: The whole backup that can take the place of a file in which there is no project.
        set_aside: The damaged file under its new name.
        lost: What could not be read any more.
        lost_file: The file that lists it, where it is much.
        doubtful: What is kept although the end of its text may be that of another.
    """

    ok: bool
    problems: tuple[str, ...] = ()
    repaired_from: Path | None = None
    offer: Path | None = None
    set_aside: Path | None = None
    lost: tuple[Lost, ...] = ()
    lost_file: Path | None = None
    doubtful: tuple[Lost, ...] = ()
    sentences: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Give the document that the command line prints."""
        return {
            "schema": 1,
            "ok": self.ok,
            "problems": list(self.problems),
            "repaired_from": _named(self.repaired_from),
            "offer": _named(self.offer),
            "set_aside": _named(self.set_aside),
            "lost": [x.to_json() for x in self.lost],
            "lost_file": _named(self.lost_file),
            "doubtful": [x.to_json() for x in self.doubtful],
        }


def _named(path: Path | None) -> str | None:
    return None if path is None else str(path)


def check(path: Path) -> DoctorReport:
    """Check pages, references, counters, text search and leftovers, changing nothing.

    Raises:
        ProjectError: There is no such file and no backup of it, or it was made by a newer version.
    """
    missing = _missing(path)
    if missing is not None:
        return missing
    if is_foreign(path):
        foreign = _offered(path, f"{path.name} holds no Reviewer project.")
        if foreign is not None:
            return foreign
    problems = _problems(path)
    if not problems:
        problems = _of_rows(path)
    return DoctorReport(ok=not problems, problems=tuple(problems))


def _of_rows(path: Path) -> list[str]:
    """Say what is wrong with the rows of a file whose pages are whole."""
    with Project.open(path) as opened:
        try:
            with connecting.damage_named(path):
                return checking.problems(opened)
        except ProjectError as error:
            return [str(error)]


def _problems(path: Path) -> list[str]:
    """Say what is wrong with the pages of a file and of its log."""
    return copying.problems(path) or overlooked(path)


def can_repair(path: Path) -> bool:
    """Tell whether there is something to offer for a file that cannot be opened; fast."""
    if not path.is_file() or is_foreign(path):
        return backups.newest_whole(path) is not None
    return bool(copying.problems(path, quick=True))


def _missing(path: Path) -> DoctorReport | None:
    """Offer a backup where there is no file, or an empty one."""
    log = path.with_name(f"{path.name}-wal")
    if path.is_file() and (path.stat().st_size or (log.is_file() and log.stat().st_size)):
        return None
    problem = f"{path.name} is empty." if path.is_file() else f"There is no project file {path}."
    offered = _offered(path, problem)
    if offered is None and not path.is_file():
        raise ProjectError(problem)
    return offered


def _offered(path: Path, problem: str) -> DoctorReport | None:
    backup = backups.newest_whole(path)
    if backup is None:
        return None
    return DoctorReport(
        ok=False,
        problems=(problem,),
        offer=backup,
        sentences=(
            f"The newest whole backup of it is {backup}; `reviewer doctor --repair` puts it in "
            "its place, and sets aside what is there now.",
        ),
    )


def repair(path: Path) -> DoctorReport:
    """Mend what can be mended; a broken file is set aside for what can be read of it.

    Raises:
        ProjectError: The file is damaged, nothing of it can be read, and there is no whole backup;
            or the new file cannot be written.
    """
    found = check(path)
    if found.ok:
        _tidy(path)
        return found
    if found.offer is not None:
        return _replaced(path, found)
    if not _problems(path) and not _left(path):
        return DoctorReport(ok=True, problems=found.problems)
    return _salvaged(path, found) or _replaced(path, found)


def _tidy(path: Path) -> None:
    """Remove what stopped and undone imports left, which is nothing wrong, but takes room."""
    with Project.open(path) as opened:
        if not opened.read_only and sweeping.is_left(opened):
            sweeping.sweep(opened)


def _left(path: Path) -> bool:
    """Mend a file whose pages are whole, and tell whether something is still wrong."""
    try:
        with Project.open(path) as opened, connecting.damage_named(path):
            # what is mended names anew what is missing, and the backup knows it better
            if checking.dangles(opened):
                return True
            checking.mend(opened)
    except ProjectError:
        return True
    return bool(_of_rows(path))


def _salvaged(path: Path, found: DoctorReport) -> DoctorReport | None:
    """Save every row that can be read; None where none can, or they make no project."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.part")
    copying.forget(fresh)
    try:
        saved = salvage(path, fresh)
        if saved is None:
            return None
        backup = backups.newest_whole(path)
        if backup is not None and not standins.is_of_same_project(fresh, backup):
            backup = None
        healed = standins.heal(fresh, saved, backup)
        with Project.open(fresh) as opened, connecting.damage_named(path):
            healed.lost += lost_rubrics.stand_in(opened)
            checking.mend(opened)
        if _of_rows(fresh) or copying.problems(fresh):
            return None
        aside = _put_in_place(path, fresh)
    finally:
        copying.forget(fresh)
    file = _list_beside(aside, healed.lost)
    return DoctorReport(
        ok=True,
        problems=found.problems,
        repaired_from=backup if healed.from_backup else None,
        set_aside=aside,
        lost=tuple(healed.lost),
        doubtful=tuple(healed.doubtful),
        lost_file=file,
        sentences=tuple(_account(saved, healed, aside, file)),
    )


def _account(saved: Found, healed: Healed, aside: Path, file: Path | None) -> list[str]:
    """Say what was saved, what came from the backup, and what is lost."""
    said = [f"The damaged file was set aside as {aside.name}."]
    rows = [(table, n) for table in ("evaluations", "labels") if (n := saved.rows.get(table, 0))]
    said += [f"Read from it: {listed([_counted(*x) for x in rows])}."] if rows else []
    if healed.from_backup:
        taken = [_counted(table, n) for table, n in healed.from_backup.items()]
        said.append(f"Taken from the newest whole backup, as it was then: {listed(taken)}.")
    if healed.doubtful:
        said.append(
            "A page stands in the file twice, so that of some texts the end may be that of "
            f"another: {'; '.join(x.line for x in healed.doubtful[:MOST_LISTED])}."
        )
    if healed.unsure:
        said.append(
            f"Of {listed([x.replace('_', ' ') for x in healed.unsure])} something may be lost "
            "that nothing else tells of."
        )
    if not healed.lost:
        return said if healed.unsure else [*said, "Nothing is lost."]
    kinds = Counter(x.what for x in healed.lost)
    said.append(f"Lost: {listed([counted(n, what) for what, n in kinds.items()])}.")
    said += [x.line for x in healed.lost[:MOST_LISTED]]
    return [*said, f"All of it is listed in {file.name}."] if file else said


def _counted(table: str, n: int) -> str:
    return f"{n:,} {table.replace('_', ' ')}"


def _list_beside(aside: Path, lost: Sequence[Lost]) -> Path | None:
    if len(lost) <= MOST_LISTED:
        return None
    file = aside.with_name(f"{aside.name}.lost.txt")
    try:
        file.write_text("".join(f"{x.line}\n" for x in lost), "utf-8")
    except OSError:
        # the project itself is in place; the report still has all of it
        return None
    return file


def _replaced(path: Path, found: DoctorReport) -> DoctorReport:
    backup = found.offer or backups.newest_whole(path)
    if backup is None:
        raise ProjectError(
            f"{path.name} is damaged and {backups.folder(path)} holds no whole backup. The file "
            "was not touched; copy it elsewhere before anything else."
        )
    fresh = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        shutil.copyfile(backup, fresh)
        aside = _put_in_place(path, fresh)
    except OSError as error:
        raise _not_placed(backup, error) from error
    finally:
        copying.forget(fresh)
    there = (
        f"The file that was there was set aside as {aside.name}; what was done after "
        f"{backup.stem} is only in there."
    )
    return DoctorReport(
        ok=True,
        problems=found.problems,
        repaired_from=backup,
        set_aside=aside if aside.exists() else None,
        sentences=(there,) if aside.exists() else (),
    )


def _put_in_place(path: Path, fresh: Path) -> Path:
    """Set the damaged file aside for a whole one that is on disk, and give its new name."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    aside = path.with_name(f"{path.name}.broken-{stamp}")
    try:
        with fresh.open("rb+") as whole:
            os.fsync(whole.fileno())
        if path.exists():
            _second_name(path, aside)
        for suffix in ("-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(aside.with_name(aside.name + suffix))
        fresh.replace(path)
    except OSError as error:
        raise _not_placed(fresh, error) from error
    return aside


def _second_name(path: Path, aside: Path) -> None:
    """Name a file twice where the disk can, so that there is one under its name at any moment."""
    try:
        aside.hardlink_to(path)
    except OSError:
        path.rename(aside)


def _not_placed(file: Path, error: OSError) -> ProjectError:
    reason = refusal(error)
    return ProjectError(f"The file {file} could not be put in place: {reason}.")
