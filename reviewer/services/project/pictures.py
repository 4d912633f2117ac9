"""Bring the pictures and documents that turns name by path into the project.

Whoever wrote the imported file names them, who may be a stranger: taken is what a conversation
would show, by its first bytes, from the file's own folder, and nothing that is hidden there.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, Final

from reviewer.domain.wording import counted, fixed
from reviewer.formats.incoming import Fields, Refused

MOST_BYTES: Final = 20 << 20
MOST_TOGETHER: Final = 1 << 30
"""Bytes of all the files that one import takes."""
_FIRST: Final = 1_024
_KNOWN: Final = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|BM.{4}\x00{4}|II\*\x00|MM\x00\*|RIFF.{4}WEBP"
    rb"|.{4}ftyp(?:avif|avis|heic|heix|mif1|msf1)"
    rb"|\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]"
    rb"|%PDF-|\{\\rtf|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    rb"|PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/|word/|xl/|ppt/|mimetypeapplication/)",
    re.DOTALL,
)
_OTHER: Final = (
    "it is neither a picture nor a document by its content (PNG, JPEG, GIF, BMP, TIFF, WebP, "
    "AVIF, HEIC, SVG, PDF, RTF, Office and OpenDocument are) and was not taken"
)
_ABSENT: Final = "there is no such file beside the import"


class Attachments:
    """What the records of one imported file name in its folder."""

    def __init__(self, folder: Path, *, own: bool = False) -> None:
        """Look into a folder; one that this program filled is taken as it is (`own`)."""
        self._root = folder.resolve()
        self._own = own
        self._taken: set[str] = set()
        self._bytes = 0

    def collect(self, fields: Fields, refused: list[Refused]) -> list[tuple[str, bytes]]:
        """Read the files that a record's turns name.

        What may not be taken is reported; the turn keeps its path.
        """
        found: dict[str, bytes] = {}
        for place, path in _paths(fields):
            if path in found:
                continue
            problem, content = self._read(path)
            if problem is not None:
                refused.append(Refused(place, path, problem))
            else:
                found[path] = content
        return list(found.items())

    def look(self, fields: Fields) -> None:
        """Note which of the files that a record's turns name would be taken."""
        for path in paths(fields):
            self._read(path, whole=False)

    @property
    def sentence(self) -> str:
        """Say how many files the imported one brings; nothing where there is none."""
        if not self._taken:
            return ""
        together = fixed(self._bytes / 1e6)
        files = counted(len(self._taken), "picture or document", "pictures and documents")
        return f"brings along {files} of its folder ({together} MB)"

    def _read(self, path: str, *, whole: bool = True) -> tuple[str | None, bytes]:
        try:
            problem, file = self._place(path)
            return (problem, b"") if problem else self._content(path, file, whole=whole)
        except (OSError, ValueError):
            return _ABSENT, b""

    def _place(self, path: str) -> tuple[str | None, Path]:
        if "://" in path or path.startswith(("data:", "//", "\\\\")):
            return "addresses are never loaded; save the file beside the import", self._root
        named = PurePath(path)
        file = (self._root / named).resolve()
        if named.is_absolute() or not file.is_relative_to(self._root):
            return "it lies outside of the imported file's folder and was not read", file
        if not self._own and (_is_hidden(named) or _is_hidden(file.relative_to(self._root))):
            return "it is hidden, as its name or its folder's begins with a dot: not taken", file
        return None, file

    def _content(self, path: str, file: Path, *, whole: bool) -> tuple[str | None, bytes]:
        if not stat.S_ISREG(file.lstat().st_mode):
            return "it is no file but a folder, a pipe or a device, and was not read", b""
        # what it is may have changed by now: never wait for a pipe, never follow another link
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(file, flags | getattr(os, "O_BINARY", 0)), "rb") as opened:  # noqa: PTH123
            told = os.fstat(opened.fileno())
            if not stat.S_ISREG(told.st_mode):
                return _ABSENT, b""
            problem = self._too_large(path, told.st_size)
            first = opened.read(_FIRST) if problem is None else b""
            if problem is None and not (self._own or _KNOWN.match(first)):
                problem = _OTHER
            if problem is not None:
                return problem, b""
            if path not in self._taken:
                self._taken.add(path)
                self._bytes += told.st_size
            return None, first + opened.read(MOST_BYTES) if whole else b""

    def _too_large(self, path: str, size: int) -> str | None:
        if size > MOST_BYTES:
            return f"it has {size >> 20} MB; at most {MOST_BYTES >> 20} MB are kept"
        if path not in self._taken and self._bytes + size > MOST_TOGETHER:
            return f"the files of one import have more than {MOST_TOGETHER >> 20} MB with it"
        return None


def _is_hidden(path: PurePath) -> bool:
    return any(part.startswith(".") and part != ".." for part in path.parts)


def paths(fields: Fields) -> tuple[str, ...]:
    """Give the paths of the pictures and files that a record's turns name, each once."""
    return tuple(dict.fromkeys(path for _, path in _paths(fields)))


def _paths(fields: Fields) -> Iterator[tuple[str, str]]:
    yield from _paths_of_turns(fields.get("messages"), "messages")
    for index, candidate in enumerate(fields.get("candidates") or ()):
        yield from _paths_of_turns(candidate.get("messages"), f"candidates[{index}].messages")


def _paths_of_turns(turns: Any, place: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    for index, turn in enumerate(turns or ()):
        content = turn.get("content")
        if isinstance(content, list):
            for number, part in enumerate(content):
                if part.get("path") and not part.get("data"):
                    yield f"{place}[{index}].content[{number}].path", part["path"]
