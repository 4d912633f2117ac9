"""Files that arrive in a watched folder: which of them are whole, and which are new."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.store.monitors import FileRow

UNFINISHED: Final = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".download", ".swp", "~")
"""Endings of files that somebody is still writing."""
OURS: Final = (
    ".mapping.toml", ".rejected.jsonl", ".review", ".review-wal", ".review-shm",
    ".review-journal", ".lock",
)  # fmt: skip
"""Endings of files that this program writes."""
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Sign:
    """What changes when somebody writes to a file: size, time and the file itself."""

    size: int
    changed: int
    inode: int


@dataclass(slots=True)
class Folder:
    """A watched folder between two looks; nothing in it is moved, changed or removed.

    A file is whole when two looks in a row find it the same. Times are compared with each other
    only, never with a clock, so that a clock that is set does no harm.
    """

    path: Path
    _seen: dict[str, Sign] = field(default_factory=dict)

    def whole(self, known: dict[str, FileRow]) -> list[tuple[Path, Sign]]:
        """Give the files that are whole and were not dealt with as they are, oldest first.

        Args:
            known: what became of files earlier, by name.

        Raises:
            ReviewerError: The folder is not there or cannot be read.
        """
        present = self._look()
        whole = [
            (self.path / name, sign)
            for name, sign in present.items()
            if self._seen.get(name) == sign and not _is_done(known.get(name), sign)
        ]
        self._seen = present
        return sorted(whole, key=lambda found: (found[1].changed, found[0].name))

    def waiting(self, known: dict[str, FileRow]) -> int:
        """Count the files that are not dealt with as the last look found them."""
        return sum(not _is_done(known.get(name), sign) for name, sign in self._seen.items())

    def _look(self) -> dict[str, Sign]:
        try:
            found = {file.name: _sign(file) for file in self.path.iterdir() if _counts(file)}
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise ReviewerError(
                f"The watched folder {self.path} cannot be read: {reason}."
            ) from error
        return {name: sign for name, sign in found.items() if sign is not None and sign.size}


def _counts(file: Path) -> bool:
    name = file.name.lower()
    return not name.startswith(".") and not name.endswith((*UNFINISHED, *OURS))


def _sign(file: Path) -> Sign | None:
    try:
        if not file.is_file():
            return None
        found = file.stat()
    except OSError:
        # it was renamed or removed since the folder was listed
        return None
    return Sign(found.st_size, found.st_mtime_ns, found.st_ino)


def _is_done(row: FileRow | None, sign: Sign) -> bool:
    return row is not None and (row.size, row.changed) == (sign.size, sign.changed)


def content_hash(file: Path) -> str:
    """Give the SHA-256 of a file's content.

    Raises:
        OSError: It cannot be read.
    """
    digest = hashlib.sha256()
    with file.open("rb") as source:
        while block := source.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
