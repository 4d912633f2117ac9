"""A hub's tables, and who may come in: made from one script, which a lead can read first."""

import hashlib
import secrets
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple
from uuid import UUID

from reviewer import paths
from reviewer.hub.address import LONGEST_NAME, Address, HubError, OlderError
from reviewer.hub.connecting import VERSION, Hub, Work, channel_of, quoted, seen_of
from reviewer.hub.refusals import STRANGER

Role = Literal["lead", "labeler"]
_WORD_BYTES: Final = 18


class Names(NamedTuple):
    """A project's names in its database, quoted where they are names of things.

    Attributes:
        members: The role that everybody who takes part is in.
        leads: The role of leads.
        channel: What wakes those who wait.
        seen: The schema of what labelers may read.
    """

    schema: str
    members: str
    leads: str
    channel: str
    seen: str


class Person(NamedTuple):
    """Somebody of a project; without `account` they only have entries."""

    id: UUID
    name: str
    role: Role
    account: str | None
    removed: bool


class State(NamedTuple):
    """What a hub says of itself, and who is asking."""

    version: int
    project: UUID
    name: str
    incarnation: UUID
    members: str
    leads: str
    opens: bool
    me: UUID | None
    is_lead: bool


def names_of(address: Address) -> Names:
    """Give the names that a hub gets; roles belong to the whole server, so they are marked."""
    mark = hashlib.blake2b(f"{address.database}/{address.schema}".encode(), digest_size=4)
    short = address.schema.encode()[: LONGEST_NAME - 24].decode(errors="ignore")
    return Names(
        quoted(address.schema), f"{short} members {mark.hexdigest()}",
        f"{short} leads {mark.hexdigest()}", channel_of(address),
        quoted(seen_of(address.schema)),
    )  # fmt: skip


def script(names: Names, since: int = 0) -> str:
    """Give the statements that make a hub, or that bring one of a version up to date."""
    text = "\n".join(
        (paths.resources() / "hub" / f"version_{number}.sql").read_text("utf-8")
        for number in range(since + 1, VERSION + 1)
    )
    for word, name in (
        ("%schema%", names.schema),
        ("%members%", quoted(names.members)),
        ("%leads%", quoted(names.leads)),
        ("%channel%", names.channel),
        ("%seen%", names.seen),
    ):
        literal = name.replace("'", "''")
        text = text.replace(f"'{word}'", f"'{literal}'").replace(word, name)
    return text


def make(hub: Hub, project: UUID, name: str, person: tuple[UUID, str]) -> State:
    """Make the tables of a hub, with who does so as its first lead.

    Raises:
        HubError: There is one of that name, or the role may not make it.
    """
    names = names_of(hub.address)
    with hub.writing() as work:
        # of two at once the second finds what the first has made
        work.one("SELECT pg_advisory_xact_lock(hashtextextended(%s, 2))", hub.address.schema)
        if work.one("SELECT 1 FROM pg_namespace WHERE nspname = %s", hub.address.schema):
            raise HubError(
                f"{hub.address.words} has a project {hub.address.schema} already: join it, or "
                "choose another name with --schema."
            )
        if work.one("SHOW transaction_read_only") == "on":
            raise HubError(
                f"{hub.address.words} is a copy that can only be read; use the address of the "
                "main server."
            )
        may = work.one(
            "SELECT has_database_privilege(current_database(), 'CREATE') AND (rolcreaterole OR "
            "rolsuper) FROM pg_roles WHERE rolname = current_user"
        )
        if not may:
            raise HubError(
                f"{hub.server} may not make schemas and roles in {hub.address.words}. Whoever "
                "runs it allows that with `GRANT CREATE ON DATABASE "
                f"{quoted(hub.address.database)} TO {quoted(hub.server)}` and `ALTER ROLE "
                f"{quoted(hub.server)} CREATEROLE`."
            )
        work.do(script(names))
        work.do(
            "INSERT INTO hub(version, project, name, incarnation, members, leads) "
            "VALUES (%s, %s, %s, gen_random_uuid(), %s, %s)",
            VERSION, project, name, names.members, names.leads,
        )  # fmt: skip
        work.do(
            "INSERT INTO people(id, name, role, account) VALUES (%s, %s, 'lead', session_user)",
            *person,
        )
    return state(hub)


_STATE: Final = (
    "SELECT version, project, name, incarnation, members, leads, opens, me(), is_lead() FROM hub"
)


_LEADS: Final = "SELECT name FROM people WHERE role = 'lead' ORDER BY name"


def state(hub: Hub) -> State:
    """Tell what a hub is and who asks, who then reads all of it or their part.

    Raises:
        HubError: There is none, it is of another version, or whoever asks is not in it.
    """
    with hub.reading() as work:
        found = work.rows(_STATE)
        if not found:
            raise HubError(STRANGER.format(user=hub.server, schema=hub.address.schema))
        made = State(*found[0])
        leads = work.rows(_LEADS) if made.version < VERSION else []
    hub.in_part = not made.is_lead
    if made.version < VERSION:
        names = [name for (name,) in leads]
        raise OlderError(_older(hub, made, names), may_upgrade=made.is_lead)
    if made.version > VERSION:
        raise HubError(
            f"{hub.address.schema} was brought up to date by a newer version of Reviewer (hub "
            f"{made.version}; this one knows up to {VERSION}). Update Reviewer; nothing was sent."
        )
    return made


def _older(hub: Hub, made: State, leads: Sequence[str]) -> str:
    said = (
        f"{hub.address.schema} was made by an older version of Reviewer (hub {made.version}; this "
        f"one works with {VERSION}), so nothing was sent"
    )
    if not made.is_lead:
        return (
            f"{said}: a lead ({', '.join(leads)}) brings it up to date. Until then all stays in "
            "your file, and nothing is lost."
        )
    return (
        f"{said}. `reviewer hub PROJECT share --upgrade` brings it up to date; from then on "
        "everybody needs this version of Reviewer or a newer one."
    )


def upgrade(hub: Hub) -> int:
    """Bring a hub up to date, and give the version that it had.

    Raises:
        HubError: Whoever asks does not lead, or does not own its tables.
    """
    with hub.writing() as work:
        found = work.rows(_STATE)
        if not found:
            raise HubError(STRANGER.format(user=hub.server, schema=hub.address.schema))
        made = State(*found[0])
        if not made.is_lead:
            raise HubError(f"Only a lead of {hub.address.schema} brings it up to date.")
        owner = work.one(
            "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = %s",
            hub.address.schema,
        )
        if not work.one("SELECT pg_has_role(current_user, %s, 'USAGE')", owner):
            raise HubError(
                f"The tables of {hub.address.schema} belong to {owner}, who brings them up to "
                "date."
            )
        # of two who do it at once, the second finds it done
        since = work.one("SELECT version FROM hub FOR UPDATE")
        if since < VERSION:
            names = Names(
                quoted(hub.address.schema), made.members, made.leads, channel_of(hub.address),
                quoted(seen_of(hub.address.schema)),
            )  # fmt: skip
            work.do(script(names, since))
            work.do("UPDATE hub SET version = %s", VERSION)
    return int(since)


def people(hub: Hub) -> list[Person]:
    """Give the people of a hub whom whoever asks may know, by name."""
    with hub.reading() as work:
        more = "account, removed" if work.one("SELECT is_lead()") else "NULL, false"
        rows = work.rows(f"SELECT id, name, role, {more} FROM people ORDER BY name, id")
    return [Person(*row) for row in rows]


def invite(
    hub: Hub, person: tuple[UUID, str], account: str, role: Role, *, named: bool = False
) -> str | None:
    """Let a role of the database into the project, made where the server has none of that name.

    One that is there may be anybody's, so it is let in only where it was `named` as theirs.

    Returns:
        The password of a role that was made; it is kept nowhere.

    Raises:
        HubError: Whoever asks may not do that, or somebody else has that role.
    """
    here = state(hub)
    with hub.writing() as work:
        if not here.is_lead:
            raise HubError(f"Only a lead of {hub.address.schema} can invite people.")
        whose = work.rows("SELECT id, name FROM people WHERE account = %s", account)
        if whose and whose[0][0] != person[0]:
            raise HubError(f"The role {account} belongs to {whose[0][1]} already.")
        password = None
        if not work.one("SELECT 1 FROM pg_roles WHERE rolname = %s", account):
            password = _make_role(hub, work, account)
        elif not (named or whose):
            raise HubError(
                f"The server knows a role {account} already, of whomever: say with `--account "
                f"{account}` that it is {person[1]}'s, or name another one."
            )
        _let_in(work, here, account, role)
        work.do(
            "INSERT INTO people(id, name, role, account) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT (id) DO UPDATE SET name = excluded.name, role = excluded.role, "
            "account = excluded.account, removed = false, xid = pg_current_xact_id()",
            *person, role, account,
        )  # fmt: skip
    return password


def _let_in(work: Work, here: State, account: str, role: Role) -> None:
    members, leads = quoted(here.members), quoted(here.leads)
    work.do(f"GRANT {members} TO {quoted(account)}")
    if role == "lead":
        work.do(f"GRANT {leads} TO {quoted(account)} WITH ADMIN OPTION")
    elif work.one("SELECT pg_has_role(%s, %s, 'MEMBER')", account, here.leads):
        work.do(f"REVOKE {leads} FROM {quoted(account)}")


def _make_role(hub: Hub, work: Work, account: str) -> str:
    if len(account) > LONGEST_NAME or not account.isprintable():
        raise HubError(
            f"{account[:80]!r} cannot be the name of a role; choose one with --account."
        )
    may = work.one("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")
    if not may:
        raise HubError(
            f"{hub.server} may not make roles in {hub.address.words}: whoever runs it makes one "
            f"with `CREATE ROLE {quoted(account)} LOGIN`, and then you invite again."
        )
    password = secrets.token_urlsafe(_WORD_BYTES)
    kept = hub.scrambled(password, account)
    work.do(f"CREATE ROLE {quoted(account)} LOGIN PASSWORD '{kept}'")
    return password


def remove(hub: Hub, name: str) -> Person:
    """Take somebody out of the project; what they gave stays under their name.

    Raises:
        HubError: There is nobody of that name, or whoever asks may not do that.
    """
    here = state(hub)
    if not here.is_lead:
        raise HubError(f"Only a lead of {hub.address.schema} can take people out.")
    found = [x for x in people(hub) if name in (x.name, x.account) and not x.removed]
    if not found:
        raise HubError(f"Nobody called {name!r} takes part in {hub.address.schema}.")
    person = found[0]
    if person.id == here.me:
        raise HubError("Nobody takes out themselves; another lead does that.")
    with hub.writing() as work:
        work.do(
            "UPDATE people SET removed = true, xid = pg_current_xact_id() WHERE id = %s", person.id
        )
        if person.account is not None:
            groups = f"{quoted(here.members)}, {quoted(here.leads)}"
            work.do(f"REVOKE {groups} FROM {quoted(person.account)}")
    return person._replace(removed=True)


def restamp(hub: Hub) -> None:
    """Say that the hub came out of an older backup, so that everybody sends what it lacks."""
    if not state(hub).is_lead:
        raise HubError(f"Only a lead of {hub.address.schema} can say that it was restored.")
    with hub.writing() as work:
        work.one("SELECT restamp()")
