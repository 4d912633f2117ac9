"""Who keeps a project in step: one process, which lets go with its end, however that comes."""

import contextlib
import os
import sys
from pathlib import Path
from typing import Self, TextIO

from reviewer import paths
from reviewer.domain.errors import ProjectError
from reviewer.services.sharing import states
from reviewer.services.sharing.states import SyncState

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class Hold:
    """The right to keep a file in step, for as long as this process has it.

    It belongs to the file under any name, and lies with this program's own files: a folder that is
    synchronised would carry it to other computers.
    """

    def __init__(self, file: TextIO, place: Path) -> None:
        """Wrap a file that `take` locked."""
        self._file, self._place = file, place

    @classmethod
    def take(cls, project: Path) -> Self | None:
        """Take the right, None where another process has it.

        Raises:
            ProjectError: The folder of this program's files cannot be written.
        """
        try:
            place = _place(project)
            while True:
                file = place.open("a+", encoding="utf-8")
                if not _locked(file.fileno()):
                    file.close()
                    return None
                if _is_at(place, file.fileno()):
                    return cls(file, place)
                # whoever had it took the file away just then
                file.close()
        except OSError as error:
            raise ProjectError(
                f"Nothing can be kept in the folder of Reviewer's own files: {error.strerror}."
            ) from error

    def tell(self, state: SyncState) -> None:
        """Let others know how it stands; where that cannot be kept they know less."""
        part = self._told.with_suffix(".part")
        with contextlib.suppress(OSError):
            part.write_text(state.to_json(), "utf-8")
            part.replace(self._told)

    @property
    def _told(self) -> Path:
        return self._place.with_suffix(".json")

    def __enter__(self) -> Self:
        """Give the right itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go."""
        with contextlib.suppress(OSError):
            self._told.unlink(missing_ok=True)
            self._place.unlink(missing_ok=True)
        self._file.close()


def told(project: Path) -> SyncState | None:
    """Give what the process says that keeps a file in step, None where none does."""
    try:
        place = _place(project)
        if not place.exists():
            return None
        with place.open("r+", encoding="utf-8") as file:
            if _locked(file.fileno()):
                return None
        return states.read(place.with_suffix(".json").read_bytes())
    except OSError:
        return None


def _place(project: Path) -> Path:
    found = project.stat()
    folder = paths.data_folder() / "in step"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{found.st_dev:x}-{found.st_ino:x}.lock"


def _is_at(place: Path, number: int) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(place.stat(), os.fstat(number))
    return False


if sys.platform == "win32":

    def _locked(number: int) -> bool:
        with contextlib.suppress(OSError):
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
            return True
        return False

else:

    def _locked(number: int) -> bool:
        with contextlib.suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False
