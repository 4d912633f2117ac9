"""What leads are told of how people work: looks before the answer, answers given twice, paces.

It is kept in a setting of the file, so that it is there without a line, and told to the hub once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain import uids
from reviewer.domain.evaluation import to_micros
from reviewer.hub import team as there
from reviewer.hub.connecting import Hub, Work
from reviewer.services.parcels import returned
from reviewer.services.parcels.returned import Conflict
from reviewer.services.project import accounts, pace
from reviewer.services.project.session import Session
from reviewer.services.sharing.link import Link
from reviewer.store import labelers, shares
from reviewer.store.project import Project

_TEAM: Final = "team"


class _Twice(Struct, frozen=True, array_like=True):
    person: str
    run: str
    name: str
    metric: str
    here: str
    there: str


class _Look(Struct, frozen=True, array_like=True):
    person: str
    run: str
    name: str
    at: str


class _Team(Struct, frozen=True, kw_only=True):
    twice: tuple[_Twice, ...] = ()
    looks: tuple[_Look, ...] = ()
    told: str = ""


@dataclass(frozen=True)
class AnsweredTwice:
    """Two answers of one person that neither of their computers knew of the other.

    Attributes:
        key: Of the evaluation.
        answers: Both in words, the one before first.
        counts: What counts now: the later of both, or what they answered since.
    """

    key: int
    run: str
    id: str
    metric: str
    labeler: str
    answers: tuple[str, str]
    counts: str
    since: bool


@dataclass(frozen=True)
class LookedBefore:
    """Somebody who asked to see the auto scores before they had answered."""

    key: int
    run: str
    id: str
    labeler: str
    at: str


def note(project: Project, link: Link, conflicts: Iterable[Conflict]) -> None:
    """Keep answers that whoever works here gave twice."""
    me = str(link.person)
    _add(project, twice=[_Twice(me, x.run, x.id, x.metric, *x.uids) for x in conflicts])


def send(project: Project, hub: Hub, link: Link) -> None:
    """Tell the hub what leads are to know of whoever works here, unless it knows."""
    kept = _read(project)
    mine = [x for x in kept.twice if x.person == str(link.person)]
    told = f"{link.incarnation} {pace.is_shown(project)} {len(mine)}"
    if kept.told == told or (not kept.told and not mine and not pace.is_shown(project)):
        return
    with hub.writing() as work:
        there.show_pace(work, shown=pace.is_shown(project))
        there.add_twice(
            work,
            (
                there.Twice(link.person, x.run, x.name, x.metric, UUID(x.here), UUID(x.there))
                for x in mine
            ),
        )
    _keep(project, replace(_read(project), told=told))


def take(work: Work, project: Project, since: int, until: int) -> None:
    """Keep what a lead is told of everybody."""
    _add(
        project,
        twice=[
            _Twice(str(x.person), x.run, x.name, x.metric, str(x.here), str(x.there))
            for x in there.twice(work)
        ],
        looks=[
            _Look(str(x.person), x.run, x.name, x.at.isoformat())
            for x in there.looks(work, since, until)
        ],
    )
    numbers = labelers.uids_of_people(project.conn)
    for people, keep in (
        (there.paced(work), pace.keep_agreed),
        (there.seated(work), accounts.keep),
    ):
        named = {number.bytes for number in people}
        keep(project, [key for key, uid in numbers.items() if uid in named])


def answered_twice(session: Session) -> list[AnsweredTwice]:
    """Give what people answered on two computers; of others it is told to leads alone."""
    found = []
    names = _names(session)
    kept = [x for x in _read(session.project).twice if _may_know(session, names.get(x.person))]
    keys = shares.find(session.project.conn, [(x.run, x.name) for x in kept])
    for one in kept:
        at, name = keys.get((one.run, one.name)), names.get(one.person)
        if at is None or name is None:
            continue
        arrived = shares.Arrived(at[0], (at[1], one.run), {})
        entries = shares.known_entries(session.project, arrived).get("labels") or []
        told = _told(entries, one, name)
        if told is not None:
            metric = session.rubric_of(at[0]).by_name[one.metric].heading
            found.append(AnsweredTwice(at[0], one.run, one.name, metric, name, *told))
    return found


def looked_before(session: Session) -> list[LookedBefore]:
    """Give who asked to see before they answered, the newest first; for leads, of everybody."""
    conn, names = session.project.conn, _names(session)
    people = {person.key: person.name for person in session.labelers()}
    runs = dict(zip(session.run_keys(), session.run_names(), strict=True))
    found: dict[tuple[int, str], LookedBefore] = {}
    for key, who, at in shares.asked(conn):
        run, name, _ = session.place(key)
        found[key, people[who]] = LookedBefore(key, runs[run], name, people[who], at or "")
    looks = _read(session.project).looks
    keys = shares.find(conn, [(x.run, x.name) for x in looks])
    for one in looks:
        place, asker = keys.get((one.run, one.name)), names.get(one.person)
        if place is not None and asker is not None:
            look = LookedBefore(place[0], one.run, one.name, asker, one.at)
            found.setdefault((place[0], asker), look)
    told = [x for x in found.values() if _may_know(session, x.labeler)]
    return sorted(told, key=lambda x: to_micros(x.at) or 0, reverse=True)


def _told(
    entries: Sequence[dict[str, Any]], one: _Twice, name: str
) -> tuple[tuple[str, str], str, bool] | None:
    both = [x for x in entries if x["uid"] in (one.here, one.there)]
    counted = returned.current(entries, name).get(one.metric)
    if len(both) < 2 or counted is None:
        return None
    both.sort(key=lambda x: to_micros(x.get("at")) or 0)
    first, second = (returned.answer_words(x) for x in both)
    return (first, second), returned.answer_words(counted), counted not in both


def _may_know(session: Session, name: str | None) -> bool:
    return name is not None and (session.labeler.role == "lead" or name == session.labeler.name)


def _names(session: Session) -> dict[str, str]:
    numbers = labelers.uids_of_people(session.project.conn)
    return {uids.text_of(numbers[x.key]): x.name for x in labelers.every(session.project.conn)}


def _add(project: Project, *, twice: Sequence[_Twice] = (), looks: Sequence[_Look] = ()) -> None:
    before = _read(project)
    after = replace(before, twice=_united(before.twice, twice), looks=_united(before.looks, looks))
    if after != before:
        _keep(project, after)


def _united(known: Sequence[Any], new: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*known, *new)))


def _read(project: Project) -> _Team:
    text = project.setting(_TEAM)
    try:
        return msgspec.json.decode(text, type=_Team) if text else _Team()
    except msgspec.DecodeError:
        return _Team()


def _keep(project: Project, team: _Team) -> None:
    project.set_setting(_TEAM, msgspec.json.encode(team).decode())
