"""What the start page says about projects that were opened before."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from reviewer.domain.errors import CancelledError, Progress, ProjectError
from reviewer.services.computer.settings import Recent
from reviewer.store import connecting, copying


class RecentProject(Struct, frozen=True):
    """A recent project with its counts; `problem` says why it cannot be opened, else None.

    Attributes:
        gone: There is nothing of it any more that could be opened or repaired.
    """

    path: Path
    opened_at: str
    summary: str = ""
    problem: str | None = None
    gone: bool = False


def summarise(recents: Iterable[Recent], progress: Progress) -> tuple[RecentProject, ...]:
    """Look into each recent project; takes time on large ones, so call it beside the window.

    Raises:
        CancelledError: The start page went away.
    """
    found = []
    for done, recent in enumerate(recents):
        if progress.cancelled:
            raise CancelledError("The list of recent projects was not needed any more.")
        found.append(_summarise(recent))
        progress.advance(done + 1, None)
    return tuple(found)


def _summarise(recent: Recent) -> RecentProject:
    if not recent.path.exists():
        gone = not copying.folder_of_backups(recent.path).is_dir()
        return RecentProject(recent.path, recent.opened_at, problem="The file is gone.", gone=gone)
    try:
        counts = connecting.look(recent.path)
    except ProjectError as error:
        return RecentProject(recent.path, recent.opened_at, problem=str(error))
    parts = [_many(counts.evaluations, "response"), f"{counts.labelled:,} labelled"]
    if counts.labelers > 1:
        parts.append(_many(counts.labelers, "labeler"))
    if counts.runs > 1:
        parts.append(_many(counts.runs, "run"))
    return RecentProject(recent.path, recent.opened_at, " · ".join(parts))


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
