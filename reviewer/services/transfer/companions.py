"""The pictures and files that exported conversations name, written beside the export."""

import contextlib
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from reviewer.domain.errors import ProjectError
from reviewer.domain.run import Scope
from reviewer.services.computer import whole_files
from reviewer.store import exporting as stored
from reviewer.store.project import Project


@dataclass(frozen=True)
class _Companion:
    """A file to be written, and what is known of its content without reading it."""

    target: Path
    digest: str
    key: int


@contextmanager
def beside(project: Project, to: Path, scope: Scope | None) -> Iterator[int]:
    """Write the files that the exported conversations name; they go again if the block fails.

    An importer finds them there, so that nothing is lost on the way through a file. What lies
    there already with the same content is left alone.

    Yields:
        How many files the conversations name.

    Raises:
        ProjectError: Another file has the place, or one cannot be written.
    """
    wanted = _wanted(project, to, scope)
    made: list[Path] = []
    try:
        for one in wanted.values():
            if not one.target.exists():
                made.append(one.target)
                content = stored.file_content(project, one.key)
                try:
                    one.target.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise whole_files.not_written(one.target, error) from error
                with whole_files.part_of(one.target) as part:
                    part.write_bytes(content)
                    whole_files.put(part, one.target)
        yield len(wanted)
    except BaseException:
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        raise


def _wanted(project: Project, to: Path, scope: Scope | None) -> dict[Path, _Companion]:
    """Find a place for every file before the first is written."""
    folder = to.parent.resolve()
    wanted: dict[Path, _Companion] = {}
    for path, digest, key in stored.files(project, scope):
        target = (folder / PurePosixPath(path)).resolve()
        if not target.is_relative_to(folder) or PurePosixPath(path).is_absolute():
            continue
        if wanted.setdefault(target, _Companion(target, digest, key)).digest != digest:
            raise ProjectError(
                f"Two conversations name the file {path} and mean different ones; export them "
                "apart, for example one --run at a time."
            )
        if target == to.resolve() or not _free(target, digest):
            raise ProjectError(
                f"The conversations name the file {path}, and another file lies there already: "
                f"{target}. Export into another folder."
            )
    return wanted


def _free(target: Path, digest: str) -> bool:
    if not target.exists():
        return True
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == digest
