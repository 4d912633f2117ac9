"""Share a project, let people in, join one, and leave it again."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from msgspec.structs import replace

from reviewer.domain.errors import Progress, ProjectError
from reviewer.domain.evaluation import now_text
from reviewer.hub import address as addresses
from reviewer.hub import connecting, making, reading
from reviewer.hub.address import Address, HubError
from reviewer.hub.connecting import Hub
from reviewer.hub.making import Person, Role
from reviewer.hub.refusals import PasswordError
from reviewer.services.computer import secrets
from reviewer.services.parcels.note import Note
from reviewer.services.project import accounts, naming
from reviewer.services.project.session import PACKAGE, Session, require_lead
from reviewer.services.queues import pools
from reviewer.services.sharing import documents, holding, syncing
from reviewer.services.sharing import link as links
from reviewer.services.sharing.link import Link
from reviewer.services.sharing.syncing import Synced
from reviewer.store import labelers, shares
from reviewer.store.project import SUFFIX, Project
from reviewer.store.schema import PROJECT_ID

Ask = Callable[[str], str]
"""What asks a person for the password of a role."""


@contextmanager
def opened(address: Address, password: str | None = None, ask: Ask | None = None) -> Iterator[Hub]:
    """Connect to the hub of an address, with a password that is known here where none is given.

    What `ask` is told where none is known, or a wrong one, goes into the system's keyring.

    Raises:
        HubError: It cannot be reached; the sentence says why.
    """
    try:
        hub = connected(address, password)
    except PasswordError:
        if ask is None:
            raise
        word = ask(address.user or "your role")
        hub = connected(address, word)
        keep_password(address, word)
    with hub:
        yield hub


def connected(address: Address, password: str | None = None) -> Hub:
    """Connect to the hub of an address, with a password that is known here where none is given.

    Raises:
        HubError: It cannot be reached; the sentence says why.
    """
    return connecting.connect(address, password or secrets.password_of(_login(address)))


def keep_password(address: Address, password: str) -> None:
    """Keep the password of an address in the system's keyring, where one works here."""
    secrets.keep_password(_login(address), password)


def hold_password(address: Address, password: str) -> None:
    """Know the password of an address until this program ends, and write it nowhere."""
    secrets.hold_password(_login(address), password)


def held_password(address: Address) -> str:
    """Give the password of an address that is known until this program ends, empty for none."""
    return secrets.held_password(_login(address))


def _login(address: Address) -> str:
    return f"{address.user}@{address.host}:{address.port}/{address.database}"


def place_of(text: str, schema: str | None, path: Path) -> Address:
    """Read the address for a project that is to be shared, named as its file where none is named.

    Raises:
        HubError: It is no address.
    """
    found = addresses.parse(text)
    return found._replace(schema=addresses.named(schema or found.schema or path.stem))


def whole_place(text: str) -> Address:
    """Read the address of a project that is shared.

    Raises:
        HubError: It is none, or names no project.
    """
    found = addresses.parse(text)
    if not found.schema:
        raise HubError(
            f"The address names no project: it ends as in {addresses.EXAMPLE}. Ask whoever "
            "invited you for the whole line."
        )
    return found


def invited_to(line: str) -> Address:
    """Read the line that somebody was sent, whatever stands before and behind its address.

    Raises:
        HubError: It holds no address of a project.
    """
    found = [word for word in line.split() if word.startswith(addresses.SCHEMES)]
    return whole_place(found[0] if found else line)


def place_in(project: Project) -> Address:
    """Give where a project is shared.

    Raises:
        ProjectError: It is shared with nobody.
    """
    return links.must(project).place


def statements(text: str, schema: str | None, path: Path) -> str:
    """Give what `share` runs in the database, for whoever runs that.

    Raises:
        HubError: The address is none.
    """
    return making.script(making.names_of(place_of(text, schema, path)))


def people(hub: Hub) -> list[Person]:
    """Give the people of a hub, by name."""
    return making.people(hub)


def seats(session: Session, hub: Hub) -> dict[str, Person]:
    """Give the people of a hub by what they are called in this file."""
    numbers = labelers.uids_of_people(session.project.conn)
    here = {numbers[person.key]: person.name for person in session.labelers()}
    return {here.get(x.id.bytes, x.name): x for x in people(hub)}


def share(session: Session, hub: Hub, progress: Progress | None = None) -> Synced:
    """Make a hub for a project and send everything there.

    Raises:
        HubError: The database refuses it.
        ProjectError: The project is shared already.
        LabelError: Whoever asks does not lead.
    """
    require_lead(session, "share the project", "Ask a lead to share it.")
    project = session.project
    _must_be_free(project)
    me = _me(session)
    made = making.make(hub, UUID(project.setting(PROJECT_ID)), hub.address.schema, me)
    with holding.Hold.take(project.path) or nullcontext():
        links.keep(project, _first_link(hub, made))
        return syncing.sync(session, hub, progress)


def _me(session: Session) -> tuple[UUID, str]:
    with session.project.write() as conn:
        key = session.my_key()
        numbers = labelers.uids_of_people(conn)
    return UUID(bytes=numbers[key]), session.labeler.name


def _must_be_free(project: Project) -> None:
    link = links.of(project)
    if link is not None:
        raise ProjectError(
            f"{project.path.name} is shared already, at {link.address}; leave that hub first."
        )


def _first_link(hub: Hub, state: making.State) -> Link:
    if state.me is None:
        raise HubError(f"{hub.server} is not among the people of {hub.address.schema}.")
    return Link(
        address=hub.address._replace(user=hub.server).text, incarnation=str(state.incarnation),
        person=state.me, lead=state.is_lead,
    )  # fmt: skip


@dataclass(frozen=True)
class Invited:
    """Somebody who may come in.

    Attributes:
        line: What they type, or open.
        password: Of a role that was made, to be told on another way; None where there was one.
    """

    name: str
    role: Role
    account: str
    line: str
    password: str | None


def invite(session: Session, hub: Hub, name: str, *, role: Role, account: str | None) -> Invited:
    """Let somebody in, under a role of the database that is made where it has none.

    Raises:
        HubError: The database refuses it, or somebody else has the role.
        LabelError: It is no name.
    """
    project = session.project
    called = naming.taken(name, (person.name for person in session.labelers()))
    with project.write() as conn:
        key = labelers.known(conn, called)
        number = UUID(bytes=labelers.uids_of_people(conn)[key])
    login = account or "_".join(called.lower().split())
    password = making.invite(hub, (number, called), login, role, named=account is not None)
    seated = accounts.of(project)
    if seated is not None:
        accounts.keep(project, seated | {key})
    line = hub.address._replace(user=login).text
    return Invited(called, role, login, f"reviewer join {line}", password)


def remove(hub: Hub, name: str) -> Person:
    """Take somebody out; what they gave stays under their name.

    Raises:
        HubError: There is nobody of that name, or whoever asks may not do that.
    """
    return making.remove(hub, name)


def join(hub: Hub, path: Path, progress: Progress | None = None) -> Synced:
    """Make a file of a shared project with what whoever asks may read of it.

    Raises:
        HubError: The hub lets them not in.
        ProjectError: The file is there already and is another project, or cannot be written.
    """
    state = making.state(hub)
    link = _first_link(hub, state)
    if path.exists():
        with closing(Session.open(path)) as session:
            syncing.check_same(session.project, state)
            _must_be_free(session.project)
            links.keep(session.project, link)
            return syncing.sync(session, hub, progress)
    with closing(Project.create(path)) as project:
        project.set_setting(PROJECT_ID, str(state.project))
        links.keep(project, _seat(project, hub, link))
    with closing(Session.open(path)) as session:
        done = syncing.sync(session, hub, progress)
        link = links.must(session.project)
        if link.lead:
            # all that a new file has came from there
            counts = shares.scores_since(session.project.conn)
            links.keep(session.project, replace(link, counts=counts))
        return done


def _seat(project: Project, hub: Hub, link: Link) -> Link:
    """Let the file know who leads before anybody works in it, for whom it is, and the rubrics."""
    with hub.reading() as work:
        people = reading.people(work)
        link, _ = documents.take(work, project, link)
    with project.write() as conn:
        for number, name, role in people:
            called = shares.known_as(conn, number.bytes, name)
            person = labelers.find(conn, called)
            if person is not None and role == "lead":
                labelers.change(conn, replace(person, role="lead"))
    me = next(name for number, name, _ in people if number == link.person)
    if not link.lead:
        note = Note(
            project=project.setting(PROJECT_ID), queue="", labeler=me, blind=True,
            made_at=now_text(), id=uuid.uuid4().hex,
        )  # fmt: skip
        project.set_setting(PACKAGE, note.to_json())
    return link


def default_path(address: Address) -> Path:
    """Give the file that a shared project is joined into where none is named."""
    return Path(f"{address.schema}{SUFFIX}")


def leave(session: Session) -> Link:
    """End the sharing of a file; all that is in it stays, and the hub keeps what it has.

    What a lead's queues would give out is dealt out in the file.

    Raises:
        ProjectError: It is not shared.
    """
    link = links.must(session.project)
    links.keep(session.project, None)
    if link.lead:
        pools.deal_out(session)
    return link


def upgrade(hub: Hub) -> None:
    """Bring a hub up to date that an older program made; everybody needs this one from then on.

    Raises:
        HubError: Whoever asks does not lead, or does not own its tables.
    """
    making.upgrade(hub)


def restored(hub: Hub) -> None:
    """Say that a hub came out of an older backup: everybody sends again what it lacks.

    Raises:
        HubError: Whoever asks does not lead.
    """
    making.restamp(hub)
