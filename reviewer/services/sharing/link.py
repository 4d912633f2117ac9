"""With which hub a project is shared, and how far both sides know each other."""

import json
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain.errors import ProjectError
from reviewer.hub import address as addresses
from reviewer.hub.address import Address
from reviewer.store import labelers, shares
from reviewer.store.project import Project
from reviewer.store.schema import HUB

STOPPED = "Stopped; what was sent and what came until then stays, and the next time goes on."
NOBODY = UUID(int=0)
FIRST_PLACE = -(2**31)


class Link(Struct, frozen=True, kw_only=True):
    """A project's side of a hub.

    Attributes:
        address: Where it is, without a password.
        incarnation: Of which life of the hub the cursors speak.
        person: The number that whoever works here has everywhere.
        lead: Whether they lead there.
        seen: The transaction below which everything but entries is known here.
        after: The entry up to which all are known here: transaction, place, person and number.
        sent: The number in the order of changes up to which every entry is there.
        came: Parts of the order of changes after `sent` that came from there, first and last.
        left: How many entries up to there the hub has no place for.
        refused: How many entries of the hub have no place here.
        documents: The version of each rubric and setting that both sides have, and what marks
            its text.
        queues: The keys of queues here, by the numbers that they have everywhere.
        counts: How many evaluations and scores of each run were sent.
        parts: What marks each queue as it was sent, by its number.
        versions: The version of each queue that both sides have, by its number.
        own: Transactions at or above `seen` that this file wrote itself.
        facts: What marks the exclusions and tags that both sides have.
        texts: What marks the replaced texts that both sides have.
        unclean: Whether what was erased here may still stand in the log beside the file.
        empty: Queues of which nothing more was free when one asked last.
        program: The version of the program that refused what it could not use.
    """

    address: str
    incarnation: str
    person: UUID
    lead: bool
    seen: int = 0
    after: tuple[int, int, UUID, UUID] = (0, FIRST_PLACE, NOBODY, NOBODY)
    sent: int = 0
    came: tuple[tuple[int, int], ...] = ()
    left: int = 0
    refused: int = 0
    sent_at: str = ""
    pulled_at: str = ""
    documents: dict[str, tuple[int, str]] = msgspec.field(default_factory=dict)
    queues: dict[str, int] = msgspec.field(default_factory=dict)
    counts: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    parts: dict[str, str] = msgspec.field(default_factory=dict)
    versions: dict[str, int] = msgspec.field(default_factory=dict)
    own: tuple[int, ...] = ()
    facts: str = ""
    texts: str = ""
    unclean: bool = False
    empty: tuple[str, ...] = ()
    program: str = ""

    @property
    def place(self) -> Address:
        """Give the address, read."""
        return addresses.parse(self.address)

    @property
    def unsent(self) -> list[tuple[int, int]]:
        """Give the parts of the order of changes of which the hub may not know all."""
        spans, after = [], self.sent
        for first, last in self.came:
            spans.append((after, first - 1))
            after = last
        return [*spans, (after, shares.LAST)]

    def with_sent(self, seq: int) -> "Link":
        """Note that everything up to a number is there, and what came next to it."""
        came = self.came
        while came and came[0][0] <= seq + 1:
            seq, came = max(seq, came[0][1]), came[1:]
        return replace(self, sent=seq, came=came)

    def with_came(self, first: int, last: int, *, alone: bool) -> "Link":
        """Note what came from there.

        Args:
            first: The number of its first entry in the order of changes.
            last: That of its last one, the newest of all.
            alone: Whether nothing stands between it and what came or was sent before.
        """
        if not alone:
            return replace(self, came=(*self.came, (first, last)))
        if not self.came:
            return replace(self, sent=last)
        return replace(self, came=(*self.came[:-1], (self.came[-1][0], last)))

    def to_json(self) -> str:
        """Give the link as the settings keep it."""
        return msgspec.json.encode(self).decode()

    def from_the_beginning(self, incarnation: str) -> "Link":
        """Forget how far both sides know each other, as after the hub lost something."""
        return replace(
            self, incarnation=incarnation, seen=0, after=(0, FIRST_PLACE, NOBODY, NOBODY), sent=0,
            came=(), left=0, counts={}, parts={}, versions={},
            own=(), facts="", texts="",
        )  # fmt: skip


def of(project: Project) -> Link | None:
    """Give with whom a project is shared, None where it is with nobody.

    Raises:
        ProjectError: What the file says of it cannot be read.
    """
    text = project.setting(HUB)
    if not text:
        return None
    try:
        return msgspec.json.decode(text, type=Link)
    except (msgspec.DecodeError, json.JSONDecodeError):
        raise ProjectError(
            f"What {project.path.name} says of its hub cannot be read; leave the hub and join it "
            "again. Nothing is lost."
        ) from None


def is_shared(project: Project) -> bool:
    """Tell whether a project is shared with anybody, whatever its file says of it."""
    return bool(project.setting(HUB))


def must(project: Project) -> Link:
    """Give with whom a project is shared.

    Raises:
        ProjectError: It is shared with nobody.
    """
    found = of(project)
    if found is None:
        raise ProjectError(
            f"{project.path.name} is not shared; `reviewer hub PROJECT share ADDRESS` shares it."
        )
    return found


def follow(project: Project, link: Link) -> None:
    """Keep how far one is with the hub of a project.

    Raises:
        ProjectError: It is shared no more, as somebody here ended that meanwhile.
    """
    with project.write() as conn:
        follow_in(conn, link)


def follow_in(conn: Any, link: Link) -> None:  # noqa: ANN401 - the store's own
    """Keep how far one is in a transaction that stores something else, too.

    Raises:
        ProjectError: The project is shared no more.
    """
    if not shares.follow(conn, link.to_json()):
        raise ProjectError("The project is not shared any more; nothing was sent or taken in.")


def keep(project: Project, link: Link | None) -> None:
    """Keep with whom a project is shared, None for nobody."""
    with project.write() as conn:
        shares.keep(conn, "" if link is None else link.to_json())


def key_of(project: Project, person: UUID) -> int:
    """Give the key that somebody has here, -1 for nobody of this file."""
    numbers = labelers.uids_of_people(project.conn)
    return next((key for key, uid in numbers.items() if uid == person.bytes), -1)
