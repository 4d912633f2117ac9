"""Take new files of a watched folder into the project, each once."""

from dataclasses import dataclass
from pathlib import Path

from reviewer.domain.errors import CancelledError, FormatError, RubricError
from reviewer.domain.monitoring import Monitor
from reviewer.domain.progress import Progress
from reviewer.services.monitoring.folder import Folder, Sign, content_hash
from reviewer.services.project.insights_words import counted
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import monitors
from reviewer.store.monitors import FileRow, FileState
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True)
class Fed:
    """What one look at a folder brought.

    Attributes:
        files: Files that were imported.
        records: New evaluations in them.
        waiting: Files that are there and were not dealt with, such as one still being written.
        sentences: What happened to each file.
    """

    files: int = 0
    records: int = 0
    waiting: int = 0
    sentences: tuple[str, ...] = ()


def feed(project: Project, monitor: Monitor, folder: Folder, progress: Progress) -> Fed:
    """Import every whole file that was not imported before.

    A file that cannot be imported is left until it changes; what the disk or another program
    prevents is tried again at the next look. A process that is killed meanwhile takes the same
    file again, and finds its records there.

    Raises:
        ReviewerError: The folder cannot be read, or the project cannot be written.
        CancelledError: The user stopped it.
    """
    place = str(folder.path)
    known = monitors.files(project, place)
    files = records = 0
    sentences: list[str] = []
    for file, sign in folder.whole(known):
        if progress.cancelled:
            raise CancelledError("Stopped.")
        found = _take(project, monitor, (file, sign), progress)
        if found is None:
            continue
        row, added = found
        known[file.name] = row
        monitors.keep_file(project, row)
        files += row.state == "imported"
        records += added
        sentences.append(row.sentence or "")
    return Fed(files, records, folder.waiting(known), tuple(sentences))


def _take(
    project: Project, monitor: Monitor, found: tuple[Path, Sign], progress: Progress
) -> tuple[FileRow, int] | None:
    file, sign = found
    try:
        sha256 = content_hash(file)
    except OSError:
        # it went away, or may not be read yet
        return None
    twin = monitors.file_with(project, sha256)
    if twin is not None:
        where = "" if twin.name == file.name else f" as {twin.name}"
        return _row(found, sha256, "same", f"{file.name}: imported before{where}."), 0
    request = ImportRequest(files=(file,), rubric=monitor.rubric)
    try:
        report = importing.run(project, request, progress)
    except (FormatError, RubricError) as error:
        return _row(found, sha256, "failed", str(error)), 0
    if _moved(file, sign):
        # somebody wrote while it was read: the next look takes it as it is then
        return None
    said = f"{file.name}: {counted(report.added, 'new record')}"
    if report.rejected or report.rejected_values:
        said += f", {report.refused_words} refused"
    if report.conflicts:
        said += f", {counted(report.conflicts, 'record')} known with other content"
    return _row(found, sha256, "imported", f"{said}."), report.added


def _moved(file: Path, sign: Sign) -> bool:
    try:
        now = file.stat()
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns) != (sign.size, sign.changed)


def _row(found: tuple[Path, Sign], sha256: str, state: FileState, sentence: str) -> FileRow:
    file, sign = found
    return FileRow(
        folder=str(file.parent),
        name=file.name,
        size=sign.size,
        changed=sign.changed,
        sha256=sha256,
        state=state,
        sentence=sentence,
    )
