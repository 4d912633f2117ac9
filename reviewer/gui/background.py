"""Reading and work beside the window on a session of its own: backups, the palette's search."""

import contextlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from reviewer.domain.errors import CancelledError, FilterError, Progress
from reviewer.services.listing import listing
from reviewer.services.project import reading
from reviewer.services.project.session import Session

FOUND = 30


class Hit(Struct, frozen=True):
    """An evaluation that a search found."""

    key: int
    title: str
    detail: str


def back_up(path: Path, labeler: str, progress: Progress) -> None:
    """Tidy a project and make its automatic backup; call it beside the window.

    Raises:
        ProjectError: The project cannot be read or the copy not written.
        CancelledError: The window does not wait for it.
    """
    from reviewer.services.project import backups
    from reviewer.services.transfer import importing

    with contextlib.closing(Session.open(path, labeler)) as session:
        importing.tidy(session.project, progress)
        backups.automatic(session.project)


def tidy(path: Path, progress: Progress) -> None:
    """Remove what stopped and undone imports left; call it beside the window.

    Raises:
        ProjectError: The project cannot be written.
        CancelledError: The window does not wait for it.
    """
    from reviewer.services.transfer import importing

    importing.tidy(path, progress)


def find(session: Session, words: str) -> Sequence[Hit]:
    """Find evaluations by id, or by the words of their texts."""
    keys = []
    exact = reading.key_of(session, words)
    if exact is not None:
        keys.append(exact)
    with contextlib.suppress(FilterError):
        found = listing.build(session, filter_text=_as_filter(words), first=FOUND)
        keys += [key for key in found.ids[:FOUND] if key != exact]
    return [
        Hit(row.key, row.title, " · ".join(x for x in (row.id, row.category, row.run) if x))
        for row in listing.rows(session, keys[:FOUND])
    ]


def find_beside(path: Path, labeler: str, words: str, progress: Progress) -> Sequence[Hit]:
    """Find evaluations with a connection of its own; call it beside the window.

    Raises:
        CancelledError: Another text was typed meanwhile.
    """
    with contextlib.closing(Session.open(path, labeler)) as session:
        if progress.cancelled:
            raise CancelledError("Another text was typed.")
        return find(session, words)


def _as_filter(words: str) -> str:
    """Search for words by their beginnings, whatever signs of the filter language they hold."""
    found = re.findall(r"\w+", words.lower())
    return " ".join(f'"{word}"' if word in ("or", "and", "not") else word for word in found)


Found = TypeVar("Found")
Beside = Callable[[Session, Progress], Found]
"""Work on a session of its own."""


def beside(session: Session, work: Beside[Found]) -> Callable[[Progress], Found]:
    """Make task work that opens the project anew, as the same labeler with the same blindness."""
    path, labeler, blind = session.project.path, session.labeler.name, session.blind
    kept, sees_all = session.kept, session.sees_all

    def read(progress: Progress) -> Found:
        with contextlib.closing(Session.open(path, labeler)) as own:
            own.blind, own.sees_all = blind, sees_all
            own.kept = kept
            return work(own, progress)

    return read


def seeing(session: Session, work: Beside[Found]) -> Callable[[Progress], Found]:
    """Make such work that sees auto scores: what a job selects may depend on them."""

    def see(own: Session, progress: Progress) -> Found:
        own.sees_all = True
        return work(own, progress)

    return beside(session, see)
