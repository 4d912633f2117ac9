"""What a lead forgets is forgotten on the hub, and in every other file at its next sync."""

from collections.abc import Sequence
from uuid import UUID

from msgspec.structs import replace

from reviewer.hub import changes
from reviewer.hub.connecting import Hub, Work
from reviewer.services.sharing import link as links
from reviewer.services.sharing.link import Link
from reviewer.store import forgetting, shares
from reviewer.store.project import Project

OPEN = (
    "What a lead forgot was erased here; the log beside the file may still hold it until you sync "
    "once while the project is open nowhere else."
)


def remember(project: Project, records: Sequence[tuple[str, str]], people: Sequence[UUID]) -> bool:
    """Keep what was forgotten here until the hub hears of it; False where it never will.

    Only leads forget for all; what a labeler forgets is forgotten in their file.
    """
    link = links.of(project)
    if link is None or not link.lead:
        return False
    links.keep(
        project,
        replace(
            link, forgotten=(*link.forgotten, *records),
            forgotten_people=(*link.forgotten_people, *people),
        ),
    )  # fmt: skip
    return True


def person_of(project: Project, name: str) -> UUID | None:
    """Give the number that somebody has everywhere, None where nobody has the name."""
    found = {called: uid for uid, called in shares.names_of_people(project.conn).items()}
    return UUID(bytes=found[name]) if name in found else None


def send(project: Project, hub: Hub, link: Link) -> Link:
    """Let the hub forget what was forgotten here."""
    if not (link.forgotten or link.forgotten_people):
        return link
    with hub.writing() as work:
        for run, name in link.forgotten:
            changes.forget_record(work, run, name)
        for person in link.forgotten_people:
            changes.forget_person(work, person)
    link = replace(link, forgotten=(), forgotten_people=())
    links.follow(project, link)
    return link


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
