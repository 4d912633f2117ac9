"""What comes from a hub, put where it belongs; nothing that is here already changes."""

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from msgspec.structs import replace

from reviewer.domain.errors import Progress, Silent, heed
from reviewer.domain.wording import counted
from reviewer.hub import changes, reading
from reviewer.hub.connecting import Work
from reviewer.hub.reading import PulledEntry, PulledItem, PulledQueue, PulledRecord
from reviewer.services.parcels import returned
from reviewer.services.parcels.returned import Conflict
from reviewer.services.project.session import Session
from reviewer.services.queues.plans import QueuePlan
from reviewer.services.sharing import (
    claims,
    documents,
    entries,
    facts,
    forgetting,
    team,
    texts,
    uploading,
)
from reviewer.services.sharing.entries import Fields, Place
from reviewer.services.sharing.link import FIRST_PLACE, NOBODY, STOPPED, Link, follow_in
from reviewer.services.sharing.link import follow as keep_link
from reviewer.services.transfer.admission import Admission
from reviewer.store import labelers, pools, shares
from reviewer.store import queues as kept_queues
from reviewer.store.queues import NewQueue
from reviewer.store.shares import Arrived

CHUNK: Final = 1_000
HELD_S: Final = 60
"""Seconds for which entries may wait for an older transaction before it is said."""
PLAIN_REASON: Final = "browse"
"""How a queue that somebody else made says here that its evaluations were drawn."""


@dataclass
class Pulled:
    """What came.

    Attributes:
        held: Entries that are there and come when older transactions have ended.
        missing: Entries of evaluations that are not here.
        texts: Texts that came in the place of others.
        facts: Exclusions and tags that were given or taken.
        others: Evaluations whose text here is another than where they were answered.
        conflicts: Answers of whoever works here that differ from some that they gave elsewhere.
        told: What is to be told, in sentences.
    """

    evaluations: int = 0
    labels: int = 0
    marks: int = 0
    scores: int = 0
    texts: int = 0
    facts: int = 0
    held: int = 0
    missing: int = 0
    others: dict[str, None] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def then(self, later: "Pulled") -> "Pulled":
        """Give all that came, here and later."""
        return Pulled(
            evaluations=self.evaluations + later.evaluations, labels=self.labels + later.labels,
            marks=self.marks + later.marks, scores=self.scores + later.scores,
            texts=self.texts + later.texts, facts=self.facts + later.facts, held=later.held,
            missing=self.missing + later.missing, others=self.others | later.others,
            conflicts=self.conflicts + later.conflicts, refused=self.refused + later.refused,
            told=self.told + later.told,
        )  # fmt: skip

    @property
    def anything(self) -> bool:
        """Tell whether anything came."""
        return bool(
            self.evaluations or self.labels or self.marks or self.scores or self.texts
            or self.facts or self.told
        )  # fmt: skip


class Pull:
    """One pull: everything that came since the last one, as the database lets one read it."""

    def __init__(self, session: Session, work: Work, link: Link, progress: Progress) -> None:
        """Begin; `work` reads all as it stands at one moment."""
        self.link = link
        self.pulled = Pulled()
        self._session, self._work, self._progress = session, work, progress
        self._until = reading.horizon(work)
        self.pulled.held, seconds = reading.held_back(work, self._until)
        self.pulled.told += _told_of_waiting(self.pulled.held, seconds)
        self._names: dict[UUID, str] = {}
        self._admissions: dict[str, Admission] = {}
        conn = session.project.conn
        mine = labelers.find(conn, session.labeler.name)
        own = shares.made_in(session.project, link.unsent, CHUNK, mine.key if mine else -1)
        self._unsent = {x.fields["uid"] for x in own}
        self.facts: Sequence[changes.Fact] = ()
        self.texts: Sequence[tuple[Place, int]] = ()
        self._versions = texts.Versions(session.project, work)

    def run(self) -> Link:
        """Take everything in, page by page, and give the link as it is then."""
        project, before = self._session.project, self.link
        self.link, told = forgetting.take(project, self._work, self.link, self._until)
        self.pulled.told += told
        self._meet_people()
        self.link, told = documents.take(self._work, project, self.link)
        self.pulled.told += told
        if self.link != before:
            keep_link(project, self.link)
        since, lead = self.link.seen, self.link.lead
        moved = reading.new_records(self._work, since, self._until, as_lead=lead)
        new = self._take_records(moved)
        self._take_texts()
        if moved and self.link.left:
            # what had no place there may have one now: everything is offered again
            self.link = replace(self.link, sent=0, came=(), left=0)
        opened = set(reading.new_scores(self._work, since, self._until))
        if not lead:
            opened |= set(reading.opened(self._work, since, self._until, self.link.person))
        self._take_scores(sorted(opened - new if lead else opened))
        self._take_queues()
        if lead:
            self.link = documents.take_record(self._work, project, self.link)
            self._merge_facts()
            team.take(self._work, project, since, self._until)
        else:
            told_of = {*moved, *opened, *changes.changed_facts(self._work, since, self._until)}
            self.pulled.facts = facts.take(project, self._work, self._until, sorted(told_of))
            for page in reading.entries_of(self._work, sorted(opened)):
                self._take_entries(page, self.link)
        for page in reading.new_entries(self._work, self.link.after, self._until, as_lead=lead):
            self._take_entries(page, replace(self.link, after=page[-1].after))
            heed(self._progress, STOPPED)
        reached = {
            "seen": self._until, "after": (self._until, FIRST_PLACE, NOBODY, NOBODY),
            "own": tuple(x for x in self.link.own if x >= self._until),
        }  # fmt: skip
        self.link = replace(self.link, **reached)
        # each write holds up whoever labels: how far one has looked alone is worth none
        if self.pulled.anything or self.link != replace(before, **reached):
            keep_link(project, self.link)
        return self.link

    def _meet_people(self) -> None:
        """Learn who takes part, and write down what is new of them."""
        people, project = reading.people(self._work), self._session.project
        numbers = labelers.uids_of_people(project.conn)
        here = {UUID(bytes=numbers[x.key]): x for x in self._session.labelers()}
        if all(number in here and here[number].role == role for number, _, role in people):
            self._names = {number: here[number].name for number, *_ in people}
            return
        with project.write() as conn:
            for number, name, role in people:
                called = self._names[number] = shares.known_as(conn, number.bytes, name)
                person = labelers.find(conn, called)
                if person is not None and person.role != role:
                    labelers.change(conn, replace(person, role=role))

    def _take_records(self, keys: Sequence[int]) -> set[int]:
        """Import records that are not here, with their scores for a lead; give their keys."""
        new: set[int] = set()
        for some in _chunks(keys, CHUNK):
            there = list(reading.records(self._work, some, as_lead=self.link.lead))
            here = shares.find(self._session.project.conn, [(x.run, x.name) for x in there])
            lacking = [x for x in there if (x.run, x.name) not in here]
            if lacking:
                self._import(lacking)
                new.update(x.key for x in lacking)
                self.pulled.evaluations += len(lacking)
                self._progress.advance(len(new), len(keys), "evaluations")
                heed(self._progress, STOPPED)
        return new

    def _import(self, records: Sequence[PulledRecord], *, instead: bool = False) -> None:
        """Take records in, or the texts of some in the place of those that are here."""
        # most times nothing but answers comes: what reads every format costs a second to load
        from reviewer.services.project import rubrics
        from reviewer.services.transfer import importing

        project = self._session.project
        scores: dict[Place, list[Any]] = defaultdict(list)
        if self.link.lead and not instead:
            for run, name, body in reading.scores(self._work, [x.key for x in records]):
                scores[run, name].append(json.loads(body))
        by_rubric: dict[str, list[PulledRecord]] = defaultdict(list)
        for record in records:
            by_rubric[record.rubric].append(record)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            for _, path, content in reading.attachments(self._work, [x.key for x in records]):
                target = (folder / path).resolve()
                if target.is_relative_to(folder):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
            for rubric, some in by_rubric.items():
                file = folder / "hub.jsonl"
                with file.open("w", encoding="utf-8") as lines:
                    for one in some:
                        fields = json.loads(one.body) | {"run": one.run}
                        if scores[one.run, one.name]:
                            fields["scores"] = scores[one.run, one.name]
                        lines.write(json.dumps(fields, ensure_ascii=False) + "\n")
                request = importing.ImportRequest(
                    files=(file,), rubric=rubrics.current(project, rubric), spells=False, own=True,
                    allow_refused=True, rejected=folder / "rejected.jsonl",
                    on_conflict="version" if instead else "skip",
                )  # fmt: skip
                report = importing.run(project, request, Silent())
                self.pulled.refused += [x.sentence for x in report.first_rejected]

    def _take_texts(self) -> None:
        """Put texts in the place of those here that other leads replaced."""
        project = self._session.project
        found = texts.merge(project, self._work, self.link, self._until)
        self.link, self.texts = found.link, found.send
        self.pulled.told += found.told
        for some in _chunks(found.take, CHUNK):
            replaced = list(reading.records(self._work, some, as_lead=self.link.lead))
            self._import(replaced, instead=True)
            self.pulled.texts += len(replaced)
        if found.take and not found.send:
            self.link = texts.settled(project, self.link)
        if found.take:
            keep_link(project, self.link)
        self._versions = texts.Versions(project, self._work)

    def _merge_facts(self) -> None:
        found = facts.merge(self._session.project, self._work, self.link, self._until)
        self.link, self.facts = found.link, found.send
        self.pulled.facts = found.changed
        self.pulled.told += found.told

    def _take_scores(self, keys: Sequence[int]) -> None:
        for some in _chunks(keys, CHUNK):
            lines: dict[Place, Fields] = {}
            for run, name, body in reading.scores(self._work, some):
                lines.setdefault((run, name), {"scores": []})["scores"].append(json.loads(body))
            self._unite(lines, self.link)

    def _take_queues(self) -> None:
        lead, conn = self.link.lead, self._session.project.conn
        known = dict(self.link.queues)
        changed = reading.queues(self._work, self.link.seen, self._until, as_lead=lead)
        for one in changed:
            key, since = known.get(str(one.id)) or self._own_queue(one.id), self.link.seen
            is_here = key is not None and kept_queues.read(conn, key) is not None
            if one.deleted:
                known.pop(str(one.id), None)
                if key is not None and is_here:
                    self.pulled.told.append(_delete_queue(self._session, key, one.name))
                continue
            if key is None or not is_here:
                if self._is_deleted(one):
                    continue
                key, since = self._make_queue(one), 0
            self._follow_name(key, one.name)
            known[str(one.id)] = key
            items = reading.items(self._work, one.id, since, as_lead=lead)
            self._put_items(key, items, is_open=one.is_open)
        self.link = replace(self.link, queues=known)
        if lead and changed:
            # what came from elsewhere is no change of one's own
            taken = {str(x.id): x.version for x in changed}
            here = uploading.queues_here(self._session, self.link, taken)
            marks = {str(x.id): uploading.mark_of(x, items) for x, items, _ in here}
            gone = {str(x.id) for x in changed if x.deleted}
            parts = {x: mark for x, mark in self.link.parts.items() if x not in gone}
            self.link = replace(
                self.link, parts=parts | {x: marks[x] for x in taken if x in marks},
                versions=self.link.versions | taken,
            )  # fmt: skip

    def _is_deleted(self, queue: PulledQueue) -> bool:
        """Tell whether a queue was deleted here and the hub is still to hear of it."""
        number = str(queue.id)
        if number not in self.link.parts:
            return False
        if queue.version == self.link.versions.get(number):
            return True
        self.pulled.told.append(uploading.COMES_BACK)
        return False

    def _follow_name(self, key: int, name: str) -> None:
        conn = self._session.project.conn
        rows = kept_queues.every(conn)
        row = next(x for x in rows if x.key == key)
        if row.name != name and all(x.name.casefold() != name.casefold() for x in rows):
            with self._session.project.write() as conn:
                kept_queues.rename(conn, key, name)

    def _own_queue(self, number: UUID) -> int | None:
        rows = kept_queues.every(self._session.project.conn)
        return next(
            (x.key for x in rows if uploading.number_of_queue(self._session, x) == number), None
        )

    def _make_queue(self, queue: PulledQueue) -> int:
        project, name, blind = self._session.project, queue.name, queue.blind
        told = json.loads(queue.plan) if queue.plan else {}
        taken = {x.name.casefold() for x in kept_queues.every(project.conn)}
        called, count = name, 1
        while called.casefold() in taken:
            count += 1
            called = f"{name} {count}"
        plan = told.get("plan") or QueuePlan(name=called, blind=blind, recipe="hub").to_json()
        if self.link.lead:
            plan = claims.with_pool(self._work, project, queue.id, plan)
        made = NewQueue(
            called, told.get("recipe", "hub"), plan, told.get("reason", PLAIN_REASON), blind
        )
        owner = labelers.find(project.conn, self._session.labeler.name)
        with project.write() as conn:
            who = owner.key if owner else labelers.known(conn, self._session.labeler.name)
            return kept_queues.add(project, made, who)

    def _put_items(self, key: int, items: Sequence[PulledItem], *, is_open: bool) -> None:
        project = self._session.project
        there = shares.find(project.conn, [(x.run, x.name) for x in items])
        people = {person.name: person.key for person in self._session.labelers()}
        with project.write() as conn:
            kept_queues.set_open(conn, key, is_open=is_open)
            here = [x for x in items if (x.run, x.name) in there]
            places = [(people[self._names[x.person]], there[x.run, x.name][0]) for x in here]
            both, before = list(zip(places, here, strict=True)), conn.total_changes
            pools.let_go(conn, key, (place for place, x in both if x.place < 0))
            shares.replace_items(
                conn, key,
                [
                    (who, x.place, evaluation, x.kind, x.chance)
                    for (who, evaluation), x in both
                    if x.place >= 0
                ],
            )  # fmt: skip
            if conn.total_changes > before and any(x.person == self.link.person for x in here):
                pools.tell_moved(conn)

    def _take_entries(self, page: Sequence[PulledEntry], after: Link) -> None:
        whole, page = len(page) >= reading.PAGE, self._lacking(page)
        if not (page or whole):
            # how far one has looked alone is worth no write
            self.link = after
            return
        strangers = {x.person for x in page} - self._names.keys()
        if strangers:
            with self._session.project.write() as conn:
                for number in strangers:
                    self._names[number] = shares.known_as(conn, number.bytes, "labeler")
        places = {(x.run, x.name) for x in page}
        here = self._versions.here(sorted(places))
        beside: dict[bool, list[PulledEntry]] = {False: [], True: []}
        for one in page:
            beside[one.text != here.get((one.run, one.name), texts.FIRST)].append(one)
        for one in beside[True]:
            self.pulled.others[f"{one.run}/{one.name}"] = None
        given = {}
        for is_other, some in beside.items():
            given[is_other], refused = entries.incoming(some, self._names)
            self.pulled.refused += refused
        self._unite(given[False], after, given[True])

    def _lacking(self, page: Sequence[PulledEntry]) -> list[PulledEntry]:
        """Leave out evaluations of which all that came is here, as one's own comes back."""
        conn = self._session.project.conn
        there = shares.find(conn, [(x.run, x.name) for x in page])
        here = shares.here(conn, (key for key, _ in there.values()))
        lacking = {
            place
            for one in page
            if (place := (one.run, one.name)) not in there
            or (there[place][0], one.id.bytes) not in here
        }
        return [x for x in page if (x.run, x.name) in lacking]

    def _unite(
        self,
        lines: Mapping[Place, Fields],
        after: Link,
        others: Mapping[Place, Fields] | None = None,
    ) -> None:
        """Add to what is here, and keep how far one is in the same transaction.

        Args:
            lines: What was given beside the text that is here, by run and id.
            after: The link as it is then.
            others: What was given beside another text.
        """
        session = self._session
        there = shares.find(session.project.conn, [*lines, *(others or ())])
        arrived = []
        for is_other, some in ((False, lines), (True, others or {})):
            for place, line in some.items():
                if place not in there:
                    self.pulled.missing += sum(map(len, line.values()))
                    continue
                key, run = there[place]
                self._admit(place, (key, run), line)
                arrived.append(Arrived(key, (run, place[0]), line, is_other=is_other))
        self.pulled.conflicts += self._conflicts(arrived)

        def keep(conn: Any, united: shares.United) -> None:  # noqa: ANN401 - the store's own
            self.link = after
            if united.labels or united.marks:
                # it need not be offered to the hub again
                last = shares.newest(conn)
                first = last - united.labels - united.marks + 1
                alone = shares.is_free(conn, (after.unsent[-1][0], first - 1))
                self.link = after.with_came(first, last, alone=alone)
            follow_in(conn, self.link)

        united = shares.unite(session.project, arrived, keep)
        self.pulled.labels += united.labels
        self.pulled.marks += united.marks
        self.pulled.scores += united.scores

    def _admit(self, place: Place, keys: tuple[int, int], line: Fields) -> None:
        """Leave out what the rubric has no place for, and say how an evaluation was drawn."""
        if not line.get("labels"):
            return
        rubric = self._session.rubric_of_run(keys[1])
        admission = self._admissions.setdefault(rubric.name, Admission(rubric))
        self.pulled.refused += [x.sentence for x in returned.refused(place, line, admission)]
        if not self.link.lead:
            return
        drawn: dict[str, Any] = {}
        for label in line["labels"]:
            if label.get("kind") == "comment" or "selection_reason" in label:
                continue
            who = label["labeler"]
            if who not in drawn:
                drawn[who] = self._drawn(who, keys[0])
            if drawn[who] is not None:
                label["selection_reason"], label["selection_prob"] = drawn[who]

    def _drawn(self, name: str, evaluation: int) -> Any:  # noqa: ANN401 - the store's own
        conn = self._session.project.conn
        person = labelers.find(conn, name)
        return kept_queues.drawn(conn, person.key, evaluation) if person else None

    def _conflicts(self, arrived: Iterable[Arrived]) -> Iterator[Conflict]:
        """Give answers that were given here and elsewhere, neither in sight of the other."""
        me = self._session.labeler.name
        for one in arrived:
            came = [x for x in one.fields.get("labels", ()) if x["labeler"] == me]
            if not (came and self._unsent):
                continue
            known = shares.known_entries(self._session.project, one)
            # one's own comes back among the rest: what both sides have is in sight of both
            here = {x["uid"]: x for x in known.get("labels") or ()}
            there = {x["uid"]: x for x in came}
            mine = [x for uid, x in here.items() if uid in self._unsent and uid not in there]
            theirs = [x for uid, x in there.items() if uid not in here]
            place = (one.run[1], str(known["id"]))
            yield from returned.conflicts(
                {place: {"labels": mine}}, {place: {"labels": theirs}}, me, ()
            )


def _delete_queue(session: Session, key: int, name: str) -> str:
    with session.project.write() as conn:
        kept_queues.delete(conn, key)
    return f"The queue {name} was deleted by a lead; the answers stay."


def _told_of_waiting(count: int, seconds: float) -> Iterator[str]:
    if seconds >= HELD_S:
        what = counted(count, "entry", "entries")
        yield (
            f"A long transaction in the database holds {what} back, since "
            f"{counted(round(seconds / 60), 'minute')}; they come when it ends."
        )


def _chunks(keys: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
