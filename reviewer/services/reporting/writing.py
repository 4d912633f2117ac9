"""Reports as files: whole or not there, and never over an older one."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ProjectError
from reviewer.services.computer import whole_files

HISTORY: Final = "evaluation_history.jsonl"
MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written."""

    file: Path
    bytes: int
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """Give what the command line prints of it."""
        return {"file": str(self.file), "bytes": self.bytes, "sha256": self.sha256}


def write(to: Path, pieces: Iterable[str]) -> Written:
    """Write a file under a temporary name and rename it when it is whole.

    Raises:
        ProjectError: The folder is not there or cannot be written, or the disk is full.
    """
    with _part(to, pieces) as part:
        whole_files.put(part.file, to)
    return replace(part, file=to)


def make_folder(folder: Path) -> None:
    """Make a folder for reports where it is not there.

    Raises:
        ProjectError: It cannot be made, or a file has its place.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ProjectError(f"The folder {folder} could not be made: {reason}.") from error


def write_pair(
    folder: Path, moment: datetime, texts: tuple[Iterable[str], Iterable[str]]
) -> tuple[Written, Written]:
    """Write a report as JSON and Markdown under a name of the moment that is still free.

    Args:
        folder: made where it is not there.
        moment: names the files, as evaluation_report_YYYYMMDD_HHMMSS.
        texts: JSON and Markdown, in pieces.

    Raises:
        ProjectError: The folder cannot be made or written, or the disk is full.
    """
    make_folder(folder)
    stem = f"evaluation_report_{moment:%Y%m%d_%H%M%S}"
    with (
        _part(folder / f"{stem}.json", texts[0]) as first,
        _part(folder / f"{stem}.md", texts[1]) as second,
    ):
        for name in (stem, *(f"{stem}_{number}" for number in range(2, MOST))):
            files = (folder / f"{name}.json", folder / f"{name}.md")
            if not any(file.exists() for file in files) and _placed((first, second), files):
                return replace(first, file=files[0]), replace(second, file=files[1])
    raise ProjectError(f"{folder} holds too many reports of one second; name another folder.")


def _placed(parts: tuple[Written, Written], files: tuple[Path, Path]) -> bool:
    """Put both files where nothing lies; tells whether another program was first."""
    made: list[Path] = []
    for part, file in zip(parts, files, strict=True):
        whole_files.sync(part.file)
        try:
            # a link is refused where something lies, so that two programs never meet
            os.link(part.file, file)
        except FileExistsError:
            for one in made:
                one.unlink(missing_ok=True)
            return False
        except OSError:
            # some file systems have no links
            part.file.replace(file)
        made.append(file)
    return True


def remember(folder: Path, line: Mapping[str, Any]) -> Path:
    """Add a line to the history beside the reports, as one write.

    Raises:
        ProjectError: It cannot be written.
    """
    path = folder / HISTORY
    content = (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(number, content)
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        raise whole_files.not_written(path, error) from error
    return path


@contextlib.contextmanager
def _part(to: Path, pieces: Iterable[str]) -> Iterator[Written]:
    size, digest = 0, hashlib.sha256()
    with whole_files.part_of(to) as part:
        with part.open("wb") as file:
            for piece in pieces:
                content = piece.encode("utf-8", "backslashreplace")
                size += file.write(content)
                digest.update(content)
        yield Written(part, size, digest.hexdigest())
