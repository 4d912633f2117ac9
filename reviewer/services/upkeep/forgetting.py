"""Forget a record or a person for good, and say where copies still hold them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import counted
from reviewer.services.project import backups
from reviewer.services.project.reading import key_of
from reviewer.services.project.session import Session
from reviewer.services.sharing import forgetting as sharing
from reviewer.store import forgetting


@dataclass(frozen=True)
class Forgotten:
    """What was erased, and the backups that still hold it.

    Attributes:
        copies: Test cases, prompts, bots and plans that a text was taken out of.
        shared: Whether the hub and all other files are to forget it, too.
    """

    what: str
    labels: int
    comments: int
    journal: int
    still_in: tuple[Path, ...]
    copies: int = 0
    shared: bool = False

    @property
    def sentence(self) -> str:
        """Say it in words."""
        more = ""
        if self.copies:
            places = counted(
                self.copies, "test case, prompt or plan", "test cases, prompts and plans"
            )
            more = f" Its texts were taken out of {places}."
        if self.shared:
            more += " The hub forgets it at the next sync, every other file at its own next one."
        return (
            f"{self.what} was forgotten: {counted(self.labels, 'label')}, "
            f"{counted(self.comments, 'comment or note', 'comments and notes')} and "
            f"{counted(self.journal, 'entry', 'entries')} of the journal.{more}"
        )

    def to_json(self) -> dict[str, Any]:
        """Give the document that the command line prints."""
        return {
            "forgotten": self.what,
            "labels": self.labels,
            "comments": self.comments,
            "journal": self.journal,
            "copies": self.copies,
            "shared": self.shared,
            "still_in": [str(path) for path in self.still_in],
        }


def find(session: Session, text: str) -> int:
    """Find the record to forget by its id or RUN/ID.

    Raises:
        ReviewerError: There is none.
    """
    key = key_of(session, text)
    if key is None:
        raise ReviewerError(f"There is no record {text!r} in this project; name it ID or RUN/ID.")
    return key


def forget_record(session: Session, key: int) -> Forgotten:
    """Erase a record with its texts, scores, labels and marks.

    Raises:
        ProjectError: Somebody else has the file open.
    """
    found = forgetting.record(session.project, key)
    run, name = found.what
    return _told(session, found, shared=sharing.remember(session.project, [(run, name)], ()))


def forget_person(session: Session, name: str) -> Forgotten:
    """Erase a person's name, comments and notes; what they answered stays, without a name.

    Raises:
        ProjectError: There is no such person, or somebody else has the file open.
    """
    number = sharing.person_of(session.project, name)
    found = forgetting.person(session.project, name)
    people = () if number is None else (number,)
    return _told(session, found, shared=sharing.remember(session.project, (), people))


def _told(session: Session, found: forgetting.Erased, *, shared: bool) -> Forgotten:
    kept = sorted(backups.folder(session.project.path).glob("*.review"))
    still = tuple(path for path in kept if forgetting.holds(path, *found.what))
    return Forgotten(
        "/".join(found.what), found.labels, found.comments, found.journal, still, found.copies,
        shared,
    )  # fmt: skip
