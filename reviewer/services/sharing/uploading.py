"""What a lead's file has that a hub lacks: runs, scores, people, queues, rubrics and settings."""

import hashlib
import json
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from msgspec.structs import replace

from reviewer.domain import uids
from reviewer.domain.errors import Progress, heed
from reviewer.hub import changes, reading, writing
from reviewer.hub.connecting import Hub, Work
from reviewer.services.parcels import stripping
from reviewer.services.project import pictures
from reviewer.services.project.session import Session
from reviewer.services.sharing import claims, documents
from reviewer.services.sharing.entries import is_sayable, text_of
from reviewer.services.sharing.link import STOPPED, Link
from reviewer.store import labelers, shares
from reviewer.store import queues as kept_queues
from reviewer.store import reading as stored
from reviewer.store.queues import QueueRow
from reviewer.store.records import RecordReader, Stored

Fields = dict[str, Any]
BLOCK: Final = 250
COMES_BACK: Final = (
    "A queue that was deleted here was changed by another lead in the meantime: it comes back as "
    "theirs."
)
_ENTRIES: Final = ("scores", "labels", "marks", "excluded")


def send_all(session: Session, hub: Hub, link: Link, progress: Progress) -> tuple[Link, list[str]]:
    """Send what a lead's file has and the hub lacks, apart from entries.

    Returns:
        The link, and what is to be told.
    """
    project = session.project
    with hub.writing() as work:
        link, told = documents.send(work, project, link)
        writing.put_people(work, people_here(session).values())
    counts, known = shares.scores_since(project.conn), dict(link.counts)
    for key, name in zip(session.run_keys(), session.run_names(), strict=True):
        rubric = session.rubric_of_run(key)
        wanted = [metric.name for metric in rubric.labelled_metrics]
        if not is_sayable(name, rubric.name, *wanted):
            told.append(f"The run {name!r} has a name that no database can hold; it stays here.")
            continue
        with hub.writing() as work:
            writing.put_run(work, writing.Run(name, rubric.name, wanted))
        if known.get(name) != counts.get(name):
            told += _send_run(session, hub, (key, name), progress)
            known[name] = counts.get(name, (0, 0))
    link, more = _send_queues(session, hub, replace(link, counts=known))
    return link, told + more


def people_here(session: Session) -> dict[int, tuple[UUID, str, str]]:
    """Give number, name and role of everybody of this file, by key."""
    numbers = labelers.uids_of_people(session.project.conn)
    return {x.key: (UUID(bytes=numbers[x.key]), x.name, x.role) for x in session.labelers()}


def _send_run(
    session: Session, hub: Hub, run: tuple[int, str], progress: Progress
) -> Iterator[str]:
    with hub.reading() as work:
        there = reading.names(work, run[1])
    reader = RecordReader(session.project)
    block: list[Stored] = []
    done = 0
    for one in reader.of_run(run, {}):
        if not is_sayable(str(one.fields["id"])):
            yield f"{run[1]}/{one.fields['id']!r} has an id that no database can hold."
            continue
        block.append(one)
        if len(block) == BLOCK:
            _send_block(session, hub, run[1], block, there)
            done += len(block)
            progress.advance(done, None, run[1])
            heed(progress, STOPPED)
            block = []
    if block:
        _send_block(session, hub, run[1], block, there)


def _send_block(
    session: Session, hub: Hub, run: str, block: Sequence[Stored], there: set[str]
) -> None:
    new = [x for x in block if x.fields["id"] not in there]
    with hub.writing() as work:
        writing.put_evaluations(work, [_evaluation(run, x) for x in new])
        _put_files(work, [file for one in new for file in _files(session, run, one)])
        writing.put_scores(work, [score for x in block for score in _scores(run, x.fields)])


def put_text(work: Work, session: Session, place: tuple[int, str], version: int) -> bool:
    """Send what stands in a record's place, by key and run; False where another came before."""
    key, run = place
    one = next(iter(RecordReader(session.project).of_keys((key,), run)))
    done = changes.put_text(work, _evaluation(run, one), version, stripping.mark_of(one.fields))
    if done:
        _put_files(work, list(_files(session, run, one)))
    return done


def _put_files(work: Work, files: Sequence[writing.Attachment]) -> None:
    lacking = writing.lacking(work, sorted({x.sha256 for x in files})) if files else set()
    for file in files:
        writing.put_attachment(work, file, with_content=file.sha256 in lacking)
        lacking.discard(file.sha256)


def _evaluation(run: str, one: Stored) -> writing.Evaluation:
    seen = stripping.stripped(one, "", blind=True, repeat=False)
    # exclusions and tags of people go their own way
    whole = {x: y for x, y in one.as_it_came.items() if x not in _ENTRIES}
    return writing.Evaluation(run, one.fields["id"], text_of(seen), text_of(whole))


def _files(session: Session, run: str, one: Stored) -> Iterator[writing.Attachment]:
    for path in pictures.paths(one.fields):
        content = stored.attachment(session.project.conn, one.key, path)
        if content is not None and is_sayable(path):
            digest = hashlib.sha256(content).hexdigest()
            yield writing.Attachment(run, one.fields["id"], path, digest, content)


def _scores(run: str, fields: Fields) -> Iterator[writing.Score]:
    met: Counter[str] = Counter()
    for place, score in enumerate(fields.get("scores") or ()):
        body = text_of(score)
        canonical = json.dumps(score, sort_keys=True)
        number = uids.of_content("score", run, fields["id"], canonical, met[canonical])
        met[canonical] += 1
        yield writing.Score(run, fields["id"], UUID(bytes=number), place, body)


def _send_queues(session: Session, hub: Hub, link: Link) -> tuple[Link, list[str]]:
    """Send the queues that changed, and tell where another lead came first."""
    parts, versions, told = {}, dict(link.versions), []
    for queue, items, plan in queues_here(session, link):
        number = str(queue.id)
        parts[number] = mark_of(queue, items)
        if link.parts.get(number) == parts[number]:
            continue
        with hub.writing() as work:
            version = writing.put_queue(work, queue, items, versions.get(number))
            if number not in versions:
                claims.put(work, session.project, queue.id, plan)
        if version is None:
            state = "open" if queue.is_open else "closed"
            told.append(
                f"The queue {queue.name} was changed by another lead in the meantime: theirs is "
                f"taken; here it was called {queue.name!r} and {state}."
            )
        else:
            versions[number] = version
    gone = [x for x in link.parts if x not in parts]
    for number in gone:
        with hub.writing() as work:
            version = writing.delete_queue(work, UUID(number), versions.get(number))
        if version is None:
            told.append(COMES_BACK)
        else:
            versions[number] = version
    known = {x: key for x, key in link.queues.items() if x not in gone}
    return replace(link, parts=parts, versions=versions, queues=known), told


def queues_here(
    session: Session, link: Link, among: Container[str] | None = None
) -> Iterator[tuple[writing.Queue, list[writing.Item], str]]:
    """Give the queues of this file with everybody's places, as a hub has them, and their plans.

    Args:
        session: Of the project.
        link: With which numbers they have on the hub.
        among: The numbers of those that are wanted; None for all.
    """
    conn, people = session.project.conn, people_here(session)
    names = {key: name for name, key in link.queues.items()}
    for row in kept_queues.every(conn):
        number = UUID(names[row.key]) if row.key in names else number_of_queue(session, row)
        if among is not None and str(number) not in among:
            continue
        items = [
            writing.Item(number, people[who][0], place, run, name, kind, chance)
            for who, place, run, name, kind, chance in shares.items(conn, row.key)
        ]
        plan = text_of(
            {
                "plan": claims.without_pool(row.plan), "recipe": row.recipe,
                "reason": row.reason, "created_at": row.created_at,
            }
        )  # fmt: skip
        yield writing.Queue(number, row.name, row.blind, row.is_open, plan), items, row.plan


def mark_of(queue: writing.Queue, items: Sequence[writing.Item]) -> str:
    """Give what changes when a queue changes."""
    return hashlib.sha256(repr((queue, items)).encode()).hexdigest()


def number_of_queue(session: Session, row: QueueRow) -> UUID:
    """Give the number that a queue made here has everywhere, whatever it is called later."""
    made = uids.of_content("queue", session.project.setting("project_id"), row.key, row.created_at)
    return UUID(bytes=made)
