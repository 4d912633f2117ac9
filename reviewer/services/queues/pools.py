"""Queues that are given out: whoever is free gets the next evaluation, through the project's hub.

Nothing of such a queue is dealt out beforehand. Its plan has what is given out, in order; what
somebody took is a place of theirs as in any other queue.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from reviewer.domain import uids
from reviewer.domain.change import PeopleChanged
from reviewer.domain.errors import QueueError
from reviewer.domain.wording import counted
from reviewer.services.project.session import Session, require_lead
from reviewer.services.queues.plans import QueuePlan
from reviewer.store import labelers, pools, queues
from reviewer.store.queues import QueueRow
from reviewer.store.schema import HUB

ALONE = (
    "Only a shared project can give evaluations to whoever is free, as its hub knows who took "
    "what: share it first (menu People), or share out in turns."
)


def require_hub(session: Session) -> None:
    """Refuse to give out what no hub gives out.

    Raises:
        QueueError: The project is not shared.
        LabelError: Whoever asks does not lead.
    """
    require_lead(session, "let others take evaluations as they are free", "Ask a lead.")
    if not session.project.setting(HUB):
        raise QueueError(ALONE)


def numbers_of(session: Session, names: Iterable[str]) -> tuple[str, ...]:
    """Give the numbers that people of this file have everywhere."""
    keys = {person.name: person.key for person in session.labelers()}
    numbers = labelers.uids_of_people(session.project.conn)
    return tuple(uids.text_of(numbers[keys[name]]) for name in names)


def takers(session: Session, plan: QueuePlan) -> dict[int, str]:
    """Give key and name of those here who may take of a plan's pool."""
    wanted = set(plan.takers)
    numbers = labelers.uids_of_people(session.project.conn)
    return {x.key: x.name for x in session.labelers() if uids.text_of(numbers[x.key]) in wanted}


@dataclass(frozen=True, slots=True)
class PoolProgress:
    """How far a queue is that is given out.

    Attributes:
        total: Evaluations in all.
        done: Those that enough people have answered.
        free: Answers that nobody holds yet.
    """

    total: int
    done: int
    free: int

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        people = f"{self.done:,} of {self.total:,} answered by enough people"
        return f"{people}, {counted(self.free, 'answer')} still free."


def progress(session: Session, queue: QueueRow) -> PoolProgress | None:
    """Tell how far a queue is that is given out, None for one that is dealt out."""
    plan = QueuePlan.from_json(queue.plan)
    if not plan.pool:
        return None
    done = free = total = 0
    for _, _, _, people, answered, held in _places(session, queue, plan):
        total += 1
        done += len(answered) >= people
        free += max(people - len(answered | held), 0)
    return PoolProgress(total, done, free)


def given_out(session: Session) -> dict[str, PoolProgress]:
    """Tell how far the open queues are that are given out, by name; none is in labelers' files."""
    rows = (row for row in queues.every(session.project.conn) if row.is_open)
    return {row.name: found for row in rows if (found := progress(session, row)) is not None}


def drawn(queue: QueueRow) -> int:
    """Count what was drawn for a queue that is given out; none where all is dealt out."""
    return sum(kind == "label" for _, kind, _, _ in QueuePlan.from_json(queue.plan).pool)


def free_answers(session: Session, queue: QueueRow) -> int:
    """Count the answers of a queue that nobody holds; none where all is dealt out."""
    found = progress(session, queue)
    return found.free if found is not None else 0


def _places(
    session: Session, queue: QueueRow, plan: QueuePlan
) -> Iterable[tuple[int, str, float | None, int, frozenset[int], frozenset[int]]]:
    """Give every evaluation that is given out, who has answered it, and who holds it."""
    conn = session.project.conn
    keys = [key for key, *_ in plan.pool]
    answered = pools.answered(conn, keys, list(takers(session, plan)))
    held = pools.held(conn, queue.key)
    here = pools.visible(conn, keys)
    nobody: frozenset[int] = frozenset()
    for key, kind, chance, people in plan.pool:
        if key in here:
            yield key, kind, chance, people, answered.get(key, nobody), held.get(key, nobody)


def deal_out(session: Session) -> None:
    """Deal out what nobody has taken of all queues, as no hub will give it out any more."""
    conn = session.project.conn
    for row in queues.every(conn):
        plan = QueuePlan.from_json(row.plan)
        if not plan.pool:
            continue
        people = list(takers(session, plan)) or [session.my_key()]
        many = Counter(dict.fromkeys(people, 0))
        many.update(who for them in pools.held(conn, row.key).values() for who in them)
        parts: dict[int, list[tuple[int, str, float | None]]] = {who: [] for who in people}
        for key, kind, chance, wanted, answered, held in _places(session, row, plan):
            others = [x for x in people if x not in answered | held]
            for who in sorted(others, key=lambda x: (many[x], x))[
                : max(wanted - len(answered | held), 0)
            ]:
                parts[who].append((key, kind, chance))
                many[who] += 1
        dealt = replace(plan, assignment="round_robin", pool=(), takers=())
        with session.project.write():
            pools.append(conn, row.key, parts)
            pools.replan(conn, row.key, dealt.to_json())
        session.publish(PeopleChanged(f"what was free of the queue {row.name} was dealt out"))
