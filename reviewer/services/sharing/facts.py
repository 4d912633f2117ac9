"""Exclusions and tags of a shared project: what leads did, whoever of them, comes to all files.

What stands here and there is held against what both sides knew last: what changed on one side
alone is followed on the other, and of two leads the second is told.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from reviewer.domain import uids
from reviewer.domain.wording import counted
from reviewer.hub import changes
from reviewer.hub.changes import Fact
from reviewer.hub.connecting import Hub, Work
from reviewer.hub.writing import MOST
from reviewer.services.sharing import link as links
from reviewer.services.sharing.entries import is_sayable, text_of
from reviewer.services.sharing.link import Link
from reviewer.store import labelers, shared_changes, shares
from reviewer.store.project import Project
from reviewer.store.shared_changes import Excluded

EXCLUDED, TAG = "excluded", "tag"
UNTOLD: Final = "left out by a lead"
"""The reason of an exclusion for those who may not know it."""
Key = tuple[str, str, str, str]
"""Run and id of an evaluation, the kind of fact, and the tag."""
Value = tuple[bool, str]
"""Whether it holds, and why and by whom."""
NOTHING: Value = (False, "")


class Merged(NamedTuple):
    """What became of both sides.

    Attributes:
        changed: How many facts were changed here.
        send: What the hub is to hear.
        told: What is to be told, in sentences.
    """

    link: Link
    changed: int = 0
    send: tuple[Fact, ...] = ()
    told: tuple[str, ...] = ()


def merge(project: Project, work: Work, link: Link, until: int) -> Merged:
    """Follow what other leads did, and find what was done here alone."""
    here = _here(project)
    mark = _mark(here)
    if mark == link.facts and not changes.anything_new(work, "facts", link.seen, until):
        return Merged(link)
    last = {_key(x): x for x in changes.facts(work, link.seen, link.own, as_lead=True)}
    now = {_key(x): x for x in changes.facts(work, until, link.own, as_lead=True)}
    mine = _with_known_tags(project, here, {*last, *now})
    follow, send, lost = [], [], []
    there = shares.find(project.conn, [key[:2] for key in mine])
    for key, value in mine.items():
        if key[:2] not in there:
            continue
        before = _before(last.get(key), key, value, here)
        new = now.get(key)
        theirs = before if new is None else _value(new)
        if value == theirs:
            continue
        if value == before or theirs != before:
            follow.append((key, theirs))
            if value != before:
                lost.append("/".join(key[:2]))
        else:
            send.append(Fact(*key, new.version + 1 if new else 1, *value))
    _apply(project, follow, {place: key for place, (key, _) in there.items()})
    if not send:
        link = replace(link, facts=_mark(_here(project)))
    return Merged(link, len(follow), tuple(send), tuple(_told(lost)))


def take(project: Project, work: Work, until: int, keys: Sequence[int]) -> int:
    """Follow what a labeler may know of some evaluations, and count what changed."""
    if not keys:
        return 0
    found = {_key(x): x for x in changes.facts(work, until, (), keys, as_lead=False)}
    mine = _with_known_tags(project, _here(project), set(found))
    there = {
        place: key for place, (key, _) in shares.find(
            project.conn, [key[:2] for key in found]
        ).items()
    }  # fmt: skip
    follow = [
        (key, (one.present, text_of({"reason": UNTOLD}) if key[2] == EXCLUDED else ""))
        for key, one in found.items()
        if key[:2] in there and mine[key][0] != one.present
    ]
    _apply(project, follow, there)
    return len(follow)


def send(project: Project, hub: Hub, link: Link, facts: Sequence[Fact]) -> Link:
    """Send what was done here; what somebody else came first with is told the next time."""
    count = 0
    for start in range(0, len(facts), MOST):
        with hub.writing() as work:
            # known to be one's own also where the answer is lost on its way
            link = replace(link, own=(*link.own, changes.transaction(work)))
            links.follow(project, link)
            count += changes.put_facts(work, facts[start : start + MOST])
    if facts and count == len(facts):
        link = replace(link, facts=_mark(_here(project)))
    return link


def _here(project: Project) -> dict[Key, Value]:
    conn = project.conn
    numbers = labelers.uids_of_people(conn)
    found: dict[Key, Value] = {}
    for place, one in shared_changes.excluded(conn).items():
        who = None if one.labeler is None else uids.text_of(numbers[one.labeler])
        body = text_of({"reason": one.reason, "labeler": who, "at": one.at})
        found[(*place, EXCLUDED, "")] = (True, body)
    for (run, name, tag), present in shared_changes.tagged(conn).items():
        if is_sayable(tag):
            found[run, name, TAG, tag] = (present, "")
    return found


def _mark(here: Mapping[Key, Value]) -> str:
    return hashlib.sha256(repr(sorted(here.items())).encode(errors="surrogatepass")).hexdigest()


def _with_known_tags(
    project: Project, here: Mapping[Key, Value], known: set[Key]
) -> dict[Key, Value]:
    """Add how it stands here with what the hub knows of."""
    asked = {(x[0], x[1], x[3]) for x in known if x[2] == TAG}
    having = shared_changes.having(project.conn, asked)
    found = dict.fromkeys(known, NOTHING) | dict(here)
    return found | {(run, name, TAG, tag): ((run, name, tag) in having, "")
                    for run, name, tag in asked}  # fmt: skip


def _key(fact: Fact) -> Key:
    return fact.run, fact.name, fact.kind, fact.what


def _value(fact: Fact) -> Value:
    return (True, fact.body) if fact.present else NOTHING


def _before(last: Fact | None, key: Key, value: Value, here: Mapping[Key, Value]) -> Value:
    """Give how it stood when both sides knew the same."""
    if last is not None:
        return _value(last)
    if key[2] == EXCLUDED:
        return NOTHING
    # a record brings tags: what nobody changed is as it came
    return (not value[0], "") if key in here else value


def _apply(
    project: Project, follow: Iterable[tuple[Key, Value]], there: Mapping[tuple[str, str], int]
) -> None:
    follow = list(follow)
    if not follow:
        return
    people = {uids.text_of(x): key for key, x in labelers.uids_of_people(project.conn).items()}
    excluding: dict[int, Excluded | None] = {}
    tagging = []
    for key, (present, body) in follow:
        number = there[key[:2]]
        if key[2] == TAG:
            tagging.append((number, key[3], present))
        elif not present:
            excluding[number] = None
        else:
            told = json.loads(body)
            excluding[number] = Excluded(
                told["reason"], people.get(told.get("labeler")), told.get("at")
            )
    with project.write() as conn:
        shared_changes.apply(project, conn, excluding, tagging)


def _told(lost: Sequence[str]) -> Iterable[str]:
    if lost:
        yield (
            f"Of {counted(len(set(lost)), 'evaluation')} ({', '.join(sorted(set(lost))[:5])}) "
            "another lead changed exclusion or tags in the meantime: theirs is taken."
        )
