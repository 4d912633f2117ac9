"""Profiles of labelers: who works in a project, in which colour, and who leads."""

from typing import Literal

from msgspec.structs import replace

from reviewer.domain.change import PeopleChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.run import Labeler
from reviewer.services.project import accounts, naming
from reviewer.services.project.session import UNNAMED, Session, may_lead
from reviewer.store import labelers

COLOURS = ("blue", "orange", "green", "vermilion", "purple", "sky", "yellow", "grey")
"""Names of the colours that people can have; what they look like is the theme's matter."""
Role = Literal["labeler", "lead"]


def every(session: Session) -> tuple[Labeler, ...]:
    """Give everybody with a profile and the active labeler, each with a colour, by name."""
    people, me = session.labelers(), active(session)
    found = [coloured(person) for person in people if person.name != me.name]
    if session.is_named:
        found.append(me)
    return tuple(sorted(found, key=lambda person: person.name.casefold()))


def dealt_to(session: Session) -> tuple[Labeler, ...]:
    """Give whom the active labeler may make queues for: leads for everybody, others themselves."""
    return every(session) if may_lead(session) else (active(session),)


def labelling(session: Session) -> tuple[str, ...]:
    """Give the names of those who label without leading, whom a queue is first thought for.

    A name that merely came with an import, or has no account in a shared project, answers nothing.
    """
    people = [x for x in dealt_to(session) if x.role == "labeler"]
    seated = accounts.of(session.project)
    if seated is not None:
        found = [x.name for x in people if x.key in seated]
    else:
        strangers = labelers.merely_imported(session.project.conn)
        found = [x.name for x in people if x.key not in strangers]
    return tuple(found) or (session.labeler.name,)


def active(session: Session) -> Labeler:
    """Give the active labeler with a colour, that of their row to come where they have none."""
    me = session.labeler
    if me.key:
        return coloured(me)
    place = max((person.key for person in session.labelers()), default=0) + 1
    return replace(coloured(replace(me, key=place)), key=0)


def coloured(person: Labeler) -> Labeler:
    """Give a labeler their colour: the one they chose, else the next in turn."""
    if person.colour in COLOURS:
        return person
    return replace(person, colour=COLOURS[(max(person.key, 1) - 1) % len(COLOURS)])


def add(session: Session, name: str, *, colour: str | None = None, role: Role = "labeler") -> None:
    """Make a profile; the first one of a project leads it.

    Raises:
        LabelError: The name is empty, too long or taken; the colour is none of `COLOURS`;
            somebody who does not lead would make a lead.
    """
    if role == "lead":
        _check_may_lead(session)
    made = naming.free(name, (x.name for x in session.labelers()))
    _check_colour(colour)
    with session.project.write() as conn:
        # whoever makes the first profile leads, not whom they make it for
        session.my_key()
        key = labelers.ensure(conn, made)
        found = labelers.find(conn, made)
        asked: Role = "lead" if found is not None and found.role == "lead" else role
        labelers.change(conn, Labeler(key=key, name=made, colour=colour, role=asked))
    session.publish(PeopleChanged(f"{made} takes part"))


def change(
    session: Session,
    name: str,
    *,
    new_name: str | None = None,
    colour: str | None = None,
    role: Role | None = None,
) -> Labeler:
    """Rename a labeler, or give them another colour or role; what they labelled stays theirs.

    Raises:
        LabelError: Nobody has the name, the new one cannot be had, nobody would lead, or somebody
            who does not lead would say who does.
    """
    _check_colour(colour)
    if not session.is_named:
        raise LabelError(UNNAMED)
    if role is not None:
        _check_may_lead(session)
    if name == session.labeler.name and session.labeler.key == 0:
        with session.project.write() as conn:
            labelers.ensure(conn, name)
    # the session knows who it is by now, and stays with them under another name
    people = (*session.labelers(), session.labeler)
    with session.project.write() as conn:
        person = labelers.find(conn, name)
        if person is None:
            raise LabelError(f"There is no labeler {name!r} in this project.")
        if new_name is not None:
            others = (x.name for x in people if x.key != person.key)
            person = replace(person, name=naming.free(new_name, others))
        was_led = labelers.has_lead(conn)
        person = replace(person, colour=colour or person.colour, role=role or person.role)
        labelers.change(conn, person)
        if was_led and not labelers.has_lead(conn):
            raise LabelError(f"{person.name} is the only lead; let somebody else lead first.")
    session.publish(PeopleChanged(f"the profile of {person.name} changed"))
    return person


def is_lead(session: Session) -> bool:
    """Tell whether the active labeler leads."""
    return session.labeler.role == "lead"


def _check_may_lead(session: Session) -> None:
    if not may_lead(session):
        raise LabelError("Only a lead says who leads; ask one of the leads listed here.")


def _check_colour(colour: str | None) -> None:
    if colour is not None and colour not in COLOURS:
        raise LabelError(f"There is no colour {colour!r}; there are: {', '.join(COLOURS)}.")
