"""Bring the pictures and files that turns name by path into the project."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reviewer.formats.incoming import Fields, Refused

MOST_BYTES = 20 << 20


def collect(fields: Fields, folder: Path, refused: list[Refused]) -> list[tuple[str, bytes]]:
    """Read the files that a record's turns name, from the imported file's folder only.

    A file that is missing, elsewhere or too large is reported; the turn keeps its path.
    """
    found: dict[str, bytes] = {}
    for place, path in _paths(fields):
        if path in found:
            continue
        problem, content = _read(folder, path)
        if problem is not None:
            refused.append(Refused(place, path, problem))
        else:
            found[path] = content
    return list(found.items())


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


def _read(folder: Path, path: str) -> tuple[str | None, bytes]:
    if "://" in path or path.startswith(("data:", "//", "\\\\")):
        return "addresses are never loaded; save the file beside the import", b""
    root = folder.resolve()
    try:
        file = (root / path).resolve()
        if not file.is_relative_to(root) or Path(path).is_absolute():
            return "it lies outside of the imported file's folder and was not read", b""
        size = file.stat().st_size
        if size > MOST_BYTES:
            return f"it has {size >> 20} MB; at most {MOST_BYTES >> 20} MB are kept", b""
        return None, file.read_bytes()
    except (OSError, ValueError):
        return "there is no such file beside the import", b""
