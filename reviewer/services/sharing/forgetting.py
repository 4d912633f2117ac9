"""What a lead forgets is forgotten on the hub, and in every other file at its next sync."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reviewer.hub import changes
from reviewer.hub.connecting import Hub, Work
from reviewer.services.sharing import link as links
from reviewer.services.sharing.link import Link
from reviewer.store import forgetting, shares
from reviewer.store.project import Project

OPEN = (
    "What a lead forgot was erased here; the log beside the file may still hold it until a sync "
    "during which nobody else reads the file."
)


class _Waiting(Struct, frozen=True):
    """Run and id of records, and numbers of people, that the hub is to forget.

    Beside the link, which whoever is at work on a hub writes anew in every round.
    """

    records: tuple[tuple[str, str], ...] = ()
    people: tuple[UUID, ...] = ()


def remember(project: Project, records: Sequence[tuple[str, str]], people: Sequence[UUID]) -> bool:
    """Keep what was forgotten here until the hub hears of it; False where it never will.

    Only leads forget for all; what a labeler forgets is forgotten in their file.
    """
    link = links.of(project)
    if link is None or not link.lead:
        return False
    with project.write() as conn:
        before = _waiting(conn)
        _keep(conn, _Waiting((*before.records, *records), (*before.people, *people)))
    return True


def person_of(project: Project, name: str) -> UUID | None:
    """Give the number that somebody has everywhere, None where nobody has the name."""
    found = {called: uid for uid, called in shares.names_of_people(project.conn).items()}
    return UUID(bytes=found[name]) if name in found else None


def send(project: Project, hub: Hub) -> None:
    """Let the hub forget what was forgotten here."""
    waiting = _waiting(project.conn)
    if not (waiting.records or waiting.people):
        return
    with hub.writing() as work:
        for run, name in waiting.records:
            changes.forget_record(work, run, name)
        for person in waiting.people:
            changes.forget_person(work, person)
    with project.write() as conn:
        now = _waiting(conn)
        records = tuple(x for x in now.records if x not in waiting.records)
        people = tuple(x for x in now.people if x not in waiting.people)
        _keep(conn, _Waiting(records, people))


def _waiting(conn: Any) -> _Waiting:  # noqa: ANN401 - the store's own
    text = shares.forgotten(conn)
    return msgspec.json.decode(text, type=_Waiting) if text else _Waiting()


def _keep(conn: Any, waiting: _Waiting) -> None:  # noqa: ANN401 - the store's own
    shares.keep_forgotten(conn, msgspec.json.encode(waiting).decode())


def take(project: Project, work: Work, link: Link, until: int) -> tuple[Link, list[str]]:
    """Forget here what was forgotten there, and tell of it."""
    conn = project.conn
    places = changes.forgotten_records(work, link.seen, until)
    keys = [key for key, _ in shares.find(conn, places).values()]
    named = shares.names_of_people(conn)
    gone = (named.get(x.bytes, "") for x in changes.forgotten_people(work))
    names = [x for x in gone if x and not x.startswith(f"{forgetting.FORGOTTEN} ")]
    if keys or names:
        # kept before, so that a crash between leaves the file to be cleaned
        link = replace(link, unclean=True)
        links.follow(project, link)
        forgetting.at_once(project, keys, names)
    if not link.unclean:
        return link, []
    if not forgetting.clean(project):
        return link, [OPEN]
    link = replace(link, unclean=False)
    links.follow(project, link)
    return link, []
