"""A plan worked out: what a queue would hold for whom, and the queue itself."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewer.domain.change import PeopleChanged
from reviewer.domain.errors import QueueError
from reviewer.domain.label import SelectionReason
from reviewer.services.assigning import sampling
from reviewer.services.assigning.mixing import Part, mixed
from reviewer.services.assigning.plans import QueuePlan, Sampling, check
from reviewer.services.assigning.sampling import Drawn, StratumDrawn
from reviewer.services.assigning.sharing import shared_out
from reviewer.services.project import naming
from reviewer.services.project.session import Session
from reviewer.store import journal, labelers, queue_acts, queues
from reviewer.store.journal import Body, Queueing
from reviewer.store.queues import ItemKind, NewQueue, QueueRow

Items = list[tuple[int, ItemKind, float | None]]


@dataclass(frozen=True, slots=True)
class PersonPreview:
    """What one person would get; `total` counts everything."""

    labeler: str
    labels: int
    repeats: int
    gold: int

    @property
    def total(self) -> int:
        """Count every evaluation that they are asked for."""
        return self.labels + self.repeats + self.gold


@dataclass(frozen=True, slots=True)
class Preview:
    """What a plan would make.

    Attributes:
        population: Evaluations that it draws from.
        drawn: Evaluations that it draws.
        shared: Of those, how many several people answer.
        reason: What is recorded of how they were chosen.
        sentence: The whole in one line.
        notes: What to know before making it.
    """

    population: int
    drawn: int
    shared: int
    reason: SelectionReason
    people: tuple[PersonPreview, ...]
    strata: tuple[StratumDrawn, ...]
    sentence: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Worked:
    plan: QueuePlan
    drawn: Drawn
    people: tuple[str, ...]
    parts: tuple[Part, ...]


def preview(session: Session, plan: QueuePlan) -> Preview:
    """Work a plan out without writing anything; call it beside the window.

    Raises:
        ReviewerError: The plan cannot be carried out; the sentence says why.
    """
    worked = _work_out(session, plan)
    people = tuple(
        PersonPreview(
            name,
            *(sum(kind == wanted for _, kind, _ in part.items)
              for wanted in ("label", "repeat", "gold")),
        )
        for name, part in zip(worked.people, worked.parts, strict=True)
    )  # fmt: skip
    drawn = len(worked.drawn.keys)
    answers = sum(one.labels for one in people)
    spread = Counter(
        key for part in worked.parts for key, kind, _ in part.items if kind == "label"
    )
    return Preview(
        population=worked.drawn.population,
        drawn=drawn,
        shared=sum(count > 1 for count in spread.values()),
        reason=worked.drawn.reason,
        people=people,
        strata=worked.drawn.strata,
        sentence=_sentence(worked, drawn, answers),
        notes=tuple(filter(None, (worked.drawn.note, *(x.note for x in worked.parts)))),
    )


def create(session: Session, plan: QueuePlan) -> QueueRow:
    """Make the queue of a plan, which undo takes back: everything or nothing is written.

    Raises:
        ReviewerError: The plan cannot be carried out, the name is taken, or nothing was drawn.
    """
    worked = _work_out(session, plan)
    if not any(part.items for part in worked.parts):
        raise QueueError("Nothing matches this plan, so there is no queue to make.")
    conn = session.project.conn
    name = naming.free(plan.name, (x.name for x in queues.every(conn)), "queue")
    made = replace(worked.plan, name=name)
    with session.project.write():
        me = session.my_key()
        row = NewQueue(name, made.recipe, made.to_json(), worked.drawn.reason, made.blind)
        key = queues.add(session.project, row, me)
        for person, part in zip(worked.people, worked.parts, strict=True):
            queues.put_items(conn, key, labelers.ensure(conn, person), part.items)
        seq = queue_acts.seq_of(conn, key)
        journal.add(
            conn, labeler=me, seq=seq, kind="queue", title=f"New queue {name}",
            body=Body(queue=Queueing("made", seq)),
        )  # fmt: skip
    session.publish(PeopleChanged(f"the queue {name} was made"))
    found = queues.read(conn, key)
    if found is None:
        raise QueueError(f"The queue {name} is gone already.")
    return found


def _work_out(session: Session, plan: QueuePlan) -> _Worked:
    people = _people(session, plan)
    check(plan, len(people))
    if len({name.casefold() for name in people}) < len(people):
        raise QueueError("The plan names a labeler twice.")
    drawn = sampling.draw(session, plan)
    parts = shared_out(plan, len(drawn.keys), len(people))
    made = []
    for name, places in zip(people, parts, strict=True):
        person = labelers.find(session.project.conn, name)
        mine: list[tuple[int, float | None]] = [
            (drawn.keys[at], drawn.chances[at]) for at in places
        ]
        made.append(mixed(session, plan, person, mine, ordered=drawn.ordered))
    return _Worked(replace(plan, labelers=people), drawn, people, tuple(made))


def _people(session: Session, plan: QueuePlan) -> tuple[str, ...]:
    if not plan.labelers:
        return (session.labeler.name,)
    known = {x.name for x in session.labelers()} | {session.labeler.name}
    unknown = [name for name in plan.labelers if name not in known]
    if unknown:
        there = ", ".join(sorted(known))
        raise QueueError(
            f"There is no labeler {unknown[0]!r} in this project; there are: {there}."
        )
    return plan.labelers


def _sentence(worked: _Worked, drawn: int, answers: int) -> str:
    plan, found = worked.plan, worked.drawn
    if plan.sampling is Sampling.GOLD:
        return f"{_counted(drawn, 'evaluation')} with known answers for {_folk(worked.people)}."
    chosen = f"{_counted(drawn, 'evaluation')} of {found.population:,}"
    each = f"{_counted(answers, 'answer')} by {_folk(worked.people)}"
    return f"{chosen}, {each}."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _folk(people: Sequence[str]) -> str:
    return people[0] if len(people) == 1 else f"{len(people)} labelers"
