"""Check a project file and repair it from the newest backup that is whole."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
    """Check pages, references, counters, text search and leftovers, changing nothing."""
    raise NotImplementedError


def repair(path: Path) -> DoctorReport:
    """Mend what can be mended; a broken file is set aside and replaced by its newest backup.

    Raises:
        ProjectError: The file is damaged and there is no whole backup.
    """
    raise NotImplementedError
