"""Texts of a shared project that were replaced: the newest comes to all files.

Labels say beside which of them they were given; those of another one than stands here are stale,
on whichever computer they were given.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from reviewer.domain.wording import counted
from reviewer.hub import changes
from reviewer.hub.changes import Text
from reviewer.hub.connecting import Hub, Work
from reviewer.services.parcels.stripping import mark_of
from reviewer.services.project import sight
from reviewer.services.project.session import Session
from reviewer.services.sharing import link as links
from reviewer.services.sharing import uploading
from reviewer.services.sharing.entries import Place
from reviewer.services.sharing.link import Link
from reviewer.store import shared_changes, shares
from reviewer.store.project import Project
from reviewer.store.shares import OTHER_TEXT, Made

FIRST = 1
"""The version of the text that a record was sent with."""


class Merged(NamedTuple):
    """What became of both sides.

    Attributes:
        take: The hub's numbers of the records whose newest text is not here.
        send: Run and id of those that the hub is to hear, with the version that comes.
        told: What is to be told, in sentences.
    """

    link: Link
    take: tuple[int, ...] = ()
    send: tuple[tuple[Place, int], ...] = ()
    told: tuple[str, ...] = ()


def merge(project: Project, work: Work, link: Link, until: int) -> Merged:
    """Find whose newest text is not here, and which were replaced here alone."""
    revised = shared_changes.revised(project.conn) if link.lead else {}
    state = _state(revised)
    if state == link.texts and not changes.anything_new(work, "texts", link.seen, until):
        return Merged(link)
    last = _newest(work, link.seen, link.own)
    now = _newest(work, until, link.own)
    mine = _marks(project, {*revised, *now})
    unsent = [place for place in mine if place not in last]
    first = {x: mark_of(json.loads(seen)) for x, seen in changes.first_texts(work, unsent)}
    take, send, lost = [], [], []
    for place, mark in mine.items():
        before = last[place].mark if place in last else first.get(place)
        new = now.get(place)
        theirs = new.mark if new else before
        if before is None or theirs == mark:
            continue
        if new is not None and (not link.lead or mark == before or theirs != before):
            take.append(new.key)
            if link.lead and mark != before:
                lost.append("/".join(place))
        elif link.lead:
            send.append((place, new.version + 1 if new else FIRST + 1))
    if not send:
        link = replace(link, texts=state)
    return Merged(link, tuple(take), tuple(send), tuple(_told(lost)))


def send(session: Session, hub: Hub, link: Link, replaced: Sequence[tuple[Place, int]]) -> Link:
    """Send the texts that were replaced here; who comes second hears of it the next time."""
    project, all_sent = session.project, True
    for place, version in replaced:
        ((key, _),) = shares.find(project.conn, [place]).values()
        with hub.writing() as work:
            link = replace(link, own=(*link.own, changes.transaction(work)))
            links.follow(project, link)
            all_sent &= uploading.put_text(work, session, (key, place[0]), version)
    if replaced and all_sent:
        link = replace(link, texts=_state(shared_changes.revised(project.conn)))
    return link


def settled(project: Project, link: Link) -> Link:
    """Keep that what is here by now came from the hub."""
    return replace(link, texts=_state(shared_changes.revised(project.conn)))


def _newest(work: Work, below: int, own: Sequence[int]) -> dict[Place, Text]:
    return {(x.run, x.name): x for x in changes.texts(work, below, own)}


def _state(revised: Mapping[Place, tuple[int, int]]) -> str:
    found = sorted((*place, revision) for place, (_, revision) in revised.items())
    return hashlib.sha256(repr(found).encode(errors="surrogatepass")).hexdigest() if found else ""


def _marks(project: Project, places: set[Place]) -> dict[Place, str]:
    there = shares.find(project.conn, sorted(places))
    names = {key: place for place, (key, _) in there.items()}
    keys = {key: place[0] for key, place in names.items()}
    return {
        names[key]: mark_of(fields)
        for key, fields in shared_changes.records(project, keys, sight.TEXTS)
    }


def _told(lost: Sequence[str]) -> list[str]:
    if not lost:
        return []
    return [
        f"The text of {counted(len(lost), 'evaluation')} ({', '.join(sorted(lost)[:5])}) was "
        "replaced by another lead in the meantime: theirs is taken, yours stays as an earlier one."
    ]


class Versions:
    """Which of the hub's texts stand here, and beside which of them labels were given."""

    def __init__(self, project: Project, work: Work) -> None:
        """Look at what the hub has by now; `work` may be any transaction."""
        self._project, self._work = project, work
        self._revised = shared_changes.revised(project.conn)
        self._any = bool(self._revised) or changes.any_text(work)

    def here(self, places: Sequence[Place]) -> dict[Place, int]:
        """Give the version that stands here, by run and id; what is left out has its first.

        A text that the hub is still to hear of is none of its.
        """
        return {
            x: number(mark) if number(mark) == number("") else OTHER_TEXT
            for x, mark, number in self._known(places)
        }

    def of(self, made: Sequence[Made]) -> list[int]:
        """Give the version beside which each of some entries was given, 0 for none of the hub."""
        known = {
            place: (mark, number)
            for place, mark, number in self._known([(x.run, x.name) for x in made])
        }
        return [
            FIRST if (found := known.get((x.run, x.name))) is None else self._of(x, *found)
            for x in made
        ]

    def _of(self, made: Made, mark: str, number: Callable[[str], int]) -> int:
        _, now = self._revised.get((made.run, made.name), (0, FIRST))
        if made.revision is None or made.revision == now:
            return number(mark)
        if made.revision == OTHER_TEXT:
            return OTHER_TEXT
        before = shared_changes.earlier(self._project.conn, made.evaluation)
        return number(mark_of(before[made.revision])) if made.revision in before else OTHER_TEXT

    def _known(self, places: Sequence[Place]) -> list[tuple[Place, str, Callable[[str], int]]]:
        """Give those that have had several texts, with what tells the version of a mark.

        Of no mark it tells the newest.
        """
        if not self._any:
            return []
        asked = sorted(set(places))
        had = changes.versions(self._work, asked)
        several = [x for x in asked if x in had or x in self._revised]
        first = {
            x: mark_of(json.loads(seen)) for x, seen in changes.first_texts(self._work, several)
        }
        marks = _marks(self._project, set(several))

        def told(place: Place) -> Callable[[str], int]:
            versions: dict[str, Any] = {"": [FIRST], **had.get(place, {})}
            versions[""] = [max(map(max, versions.values()))]
            return lambda mark: max(
                versions.get(mark, [FIRST if first.get(place) == mark else OTHER_TEXT])
            )

        return [(place, mark, told(place)) for place, mark in marks.items()]
