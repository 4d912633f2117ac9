"""Reports as files: whole or not there, and never over an older one."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ProjectError

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


def as_json(document: Mapping[str, Any]) -> str:
    """Write a document as text; what is no number in JSON is refused."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def write(to: Path, text: str) -> Written:
    """Write a file under a temporary name and rename it when it is whole.

    Raises:
        ProjectError: The folder is not there or cannot be written, or the disk is full.
    """
    content = text.encode("utf-8", "backslashreplace")
    with _part(to, content) as part:
        part.replace(to)
    return _written(to, content)


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


def write_pair(folder: Path, moment: datetime, texts: tuple[str, str]) -> tuple[Written, Written]:
    """Write a report as JSON and Markdown under a name of the moment that is still free.

    Args:
        folder: made where it is not there.
        moment: names the files, as evaluation_report_YYYYMMDD_HHMMSS.
        texts: JSON and Markdown.

    Raises:
        ProjectError: The folder cannot be made or written, or the disk is full.
    """
    make_folder(folder)
    contents = [text.encode("utf-8", "backslashreplace") for text in texts]
    stem = f"evaluation_report_{moment:%Y%m%d_%H%M%S}"
    for name in (stem, *(f"{stem}_{number}" for number in range(2, MOST))):
        files = [folder / f"{name}{suffix}" for suffix in (".json", ".md")]
        if not any(file.exists() for file in files) and _placed(files, contents):
            first, second = map(_written, files, contents)
            return first, second
    raise ProjectError(f"{folder} holds too many reports of one second; name another folder.")


def _placed(files: list[Path], contents: list[bytes]) -> bool:
    """Put both files where nothing lies; tells whether another program was first."""
    made: list[Path] = []
    for file, content in zip(files, contents, strict=True):
        with _part(file, content) as part:
            try:
                # a link is refused where something lies, so that two programs never meet
                os.link(part, file)
            except FileExistsError:
                for one in made:
                    one.unlink(missing_ok=True)
                return False
            except OSError:
                # some file systems have no links
                part.replace(file)
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
        raise ProjectError(_failed(path, error)) from error
    return path


@contextlib.contextmanager
def _part(to: Path, content: bytes) -> Iterator[Path]:
    part = to.with_name(f".{to.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield part
    except OSError as error:
        raise ProjectError(_failed(to, error)) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _written(file: Path, content: bytes) -> Written:
    return Written(file, len(content), hashlib.sha256(content).hexdigest())


def _failed(to: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"The folder {to.parent} does not exist; make it first."
    reason = (error.strerror or str(error)).lower()
    return f"{to} could not be written: {reason}. What was there before is unchanged."
