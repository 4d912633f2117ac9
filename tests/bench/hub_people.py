"""People who share a project, simulated: each with a file, an account and a way of working.

Answers come into a file in bulk, as the store appends them, one transaction for some hundred: what
is tried here is what becomes of them afterwards. A few of each round are pressed as the window
does, each down to the disk.
"""

import contextlib
import hashlib
import itertools
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from reviewer.domain.evaluation import Label, now_text
from reviewer.hub import address as addresses
from reviewer.hub.address import HubError
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.sharing import syncing, taking_part
from reviewer.services.sharing.syncing import Synced
from reviewer.store import labels, states
from tests.servers.postgres import Server

PRESSED = 3
"""Answers of each round that are pressed one by one."""
AT_ONCE = 100
"""Evaluations whose answers are one transaction."""
TRIES = 1_000
PAUSE_S = 0.2
_TABLES = ("labels", "marks")


@dataclass(frozen=True)
class Person:
    """Somebody's file and how they come in."""

    name: str
    file: Path
    address: str
    password: str

    def through(self, port: int) -> "Person":
        """Let them come in another way."""
        place = addresses.parse(self.address)._replace(port=port)
        return Person(self.name, self.file, place.text, self.password)

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        with closing(Session.open(self.file, self.name)) as session:
            yield session

    def sync(self, session: Session) -> Synced:
        with taking_part.opened(addresses.parse(self.address), self.password) as hub:
            return syncing.sync(session, hub)


@dataclass
class Tally:
    """What some people did, and what it cost."""

    pressed: int = 0
    answered: int = 0
    sent: int = 0
    came: int = 0
    tries: int = 0
    broken: dict[str, int] = field(default_factory=dict)
    cpu: float = 0.0
    peak: int = 0
    wrong: str = ""

    def note(self, done: Synced) -> None:
        self.sent += done.sent
        self.came += done.pulled.labels + done.pulled.marks

    def failed(self, error: HubError) -> None:
        if not error.passing:
            raise error
        said = str(error).split(" to ")[0].split(" at ")[0].split(" of ")[0]
        self.broken[said] = self.broken.get(said, 0) + 1


@contextlib.contextmanager
def handing_in(tally: "Queue[Tally]") -> Iterator[Tally]:
    """Hand in what was done within the block, and what went wrong."""
    own = Tally()
    try:
        yield own
    except BaseException as error:
        own.wrong = f"{type(error).__name__}: {error}"
        raise
    finally:
        used = resource.getrusage(resource.RUSAGE_SELF)
        own.cpu, own.peak = used.ru_utime + used.ru_stime, used.ru_maxrss
        tally.put(own)


def own_places(session: Session) -> list[int]:
    """Give the evaluations of whoever works here, in the order of their queue."""
    query = (
        "SELECT i.evaluation FROM queue_items i JOIN labelers p ON p.id = i.labeler "
        "WHERE p.name = ? ORDER BY i.queue, i.position"
    )
    return [x for (x,) in session.project.conn.execute(query, (session.labeler.name,))]


def answer(session: Session, keys: Sequence[int], chance: random.Random) -> int:
    """Answer every metric of some evaluations, in bulk, and count the answers."""
    project, count = session.project, 0
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        with project.write() as conn:
            me = session.my_key()
            for key in some:
                for metric in session.rubric_of(key).labelled_metrics:
                    label = Label(
                        evaluation=key, metric=metric.name, labeler=session.labeler.name,
                        value=chance.randint(1, 5), at=now_text(), blind=True,
                        seconds=round(chance.uniform(2, 40), 1), seq=project.next_seq(),
                        rubric_version="1",
                    )  # fmt: skip
                    number = labels.metric_key(conn, metric.name)
                    labels.append(conn, label, metric=number, labeler=me, revision=1)
                    count += 1
            states.refresh(conn, some)
    return count


def press(session: Session, keys: Sequence[int], chance: random.Random) -> int:
    """Change one's mind on a few, as keys do it."""
    for key in keys:
        metrics = [x.name for x in session.rubric_of(key).labelled_metrics]
        entering.commit(session, key, chance.choice(metrics), chance.randint(1, 5),
                        comment=f"seen again {chance.random():.6f}")  # fmt: skip
    return len(keys)


def label_in_turn(
    people: Sequence[Person], rounds: int, until: float, written: "Synchronized[int]",
    over: Event, tally: "Queue[Tally]",
) -> None:  # fmt: skip
    """Let people answer their parts in some rounds, and send after each of them.

    Who is done changes their mind now and then until it is over or too late.
    """
    with handing_in(tally) as own:
        chance = random.Random(people[0].name)  # noqa: S311
        for number in itertools.count():
            for person in people:
                if over.is_set() or time.time() > until:
                    return
                with person.session() as session:
                    places = own_places(session)
                    some = places[number::rounds] if number < rounds else []
                    count = answer(session, some, chance)
                    own.pressed += press(session, (some or places)[:PRESSED], chance)
                    own.answered += count
                    with written:
                        written.value += count
                    try:
                        own.note(person.sync(session))
                    except HubError as error:
                        own.failed(error)


def lead_on(person: Person, over: Event, tally: "Queue[Tally]") -> None:
    """Take in what others answer, and answer a little, until it is over."""
    with handing_in(tally) as own:
        chance = random.Random(person.name)  # noqa: S311
        with person.session() as session:
            keys = [k for (k,) in session.project.conn.execute("SELECT id FROM evaluations")]
            while not over.is_set():
                own.pressed += press(session, chance.sample(keys, min(PRESSED, len(keys))), chance)
                try:
                    own.note(person.sync(session))
                except HubError as error:
                    own.failed(error)
                over.wait(PAUSE_S)


def settle(people: Sequence[Person], tally: "Queue[Tally]") -> None:
    """Send and take in until nothing is left, as on a quiet evening."""
    with handing_in(tally) as own:
        for person in people:
            with person.session() as session:
                while own.tries < TRIES:
                    own.tries += 1
                    try:
                        done = person.sync(session)
                    except HubError as error:
                        own.failed(error)
                        time.sleep(PAUSE_S)
                        continue
                    own.note(done)
                    if not done.sent and not done.pulled.anything:
                        break


def entries_of(person: Person, *, mine: bool) -> list[bytes]:
    """Give the numbers of all entries of a file, or of `mine` alone, as often as they are met."""
    whose = "WHERE labeler = (SELECT id FROM labelers WHERE name = ?)" if mine else ""
    values = (person.name, person.name) if mine else ()
    with person.session() as session:
        query = " UNION ALL ".join(f"SELECT uid FROM {x} {whose}" for x in _TABLES)  # noqa: S608
        return [bytes(x) for (x,) in session.project.conn.execute(query, values)]


def on_hub(server: Server, database: str) -> dict[str, list[bytes]]:
    """Give the numbers of all entries of a hub by who gave them, as often as they are there."""
    found: dict[str, list[bytes]] = {}
    with server.superuser(database) as conn, conn.transaction(), conn.cursor("all") as rows:
        rows.itersize = 20_000
        rows.execute(
            "SELECT p.name, n.id FROM chats.entries n JOIN chats.people p ON p.id = n.person"
        )
        for name, number in rows:
            found.setdefault(str(name), []).append(number.bytes)  # type: ignore[attr-defined]
    return found


def differences(there: dict[str, list[bytes]], people: Sequence[Person], leads: Sequence[Person]
) -> list[str]:  # fmt: skip
    """Tell where files and hub hold other entries, or one twice; empty where all is the same."""
    told = []
    every = [x for some in there.values() for x in some]
    if len(set(every)) < len(every):
        told.append(f"the hub has {len(every) - len(set(every)):,} entries twice")
    for person, expected, mine in (
        *((x, there.get(x.name, []), True) for x in people),
        *((x, every, False) for x in leads),
    ):
        here = entries_of(person, mine=mine)
        lost, more = len(set(expected) - set(here)), len(set(here) - set(expected))
        twice = len(here) - len(set(here))
        if lost or more or twice:
            told.append(
                f"{person.name}: {lost:,} lacking, {more:,} unknown there, {twice:,} twice"
            )
    return told


def figures(person: Person) -> bytes:
    """Give every figure of a file as the command line writes it.

    When an import named the scores that count is left out: each file notes its own time.
    """
    # named from its own folder, so that the document of each file names the same
    command = [sys.executable, "-m", "reviewer", "stats", person.file.name, "--json",
               "--run", "all"]  # fmt: skip
    done = subprocess.run(command, cwd=person.file.parent, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    document: dict[str, Any] = json.loads(done.stdout)
    for one in document["record"]:
        if one["by"] is None:
            del one["at"]
    return json.dumps(document, ensure_ascii=False).encode()


def mark(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
