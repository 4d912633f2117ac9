"""A plan worked out: what a queue would hold for whom, in which order, and the queue itself."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.domain.change import PeopleChanged
from reviewer.domain.errors import QueueError
from reviewer.domain.evaluation import SelectionReason
from reviewer.domain.run import Labeler
from reviewer.services.project import naming
from reviewer.services.project.session import Session, is_blind, require_lead
from reviewer.services.queues import laying_out, pools, sampling
from reviewer.services.queues.plans import Pooled, QueuePlan, Sampling, check
from reviewer.services.queues.sampling import Drawn, StratumDrawn
from reviewer.services.queues.sharing import chance_of, shared_out
from reviewer.store import journal, labelers, queue_acts, queues, states
from reviewer.store.journal import Body, Queueing
from reviewer.store.queues import ItemKind, NewQueue, QueueRow

Items = list[tuple[int, ItemKind, float | None]]
WHOEVER = "whoever is free"
DISTANCE = 10
"""Evaluations that lie at least between an answer and its repeat, where there are that many."""


@dataclass(frozen=True, slots=True)
class Part:
    """One person's evaluations in order, and what to know of them."""

    items: Items
    note: str = ""


def mixed(
    session: Session,
    plan: QueuePlan,
    person: Labeler | None,
    mine: Sequence[tuple[int, float | None]],
    *,
    ordered: bool,
) -> Part:
    """Put a person's evaluations in order and mix repeats and gold in, by the plan's seed.

    Repeats are drawn from what they answered before; where that is too little, also from the first
    half of the queue itself. Gold is what they have not answered yet.
    """
    name = person.name if person is not None else session.labeler.name
    chance = chance_of(plan.seed, "order", name)
    order = range(len(mine)) if ordered else chance.permutation(len(mine)).tolist()
    kind: ItemKind = "gold" if plan.sampling is Sampling.GOLD else "label"
    items: Items = [(mine[at][0], kind, mine[at][1]) for at in order]
    known = states.of_labeler(session.project.conn, person.key) if person is not None else {}
    done = {key for key, state in known.items() if state.complete}
    asked = {key for key, _ in mine}
    gold: list[int] = []
    if plan.gold and kind == "label":
        unseen = [
            x for x in queues.gold(session.project.conn) if x not in asked and x not in known
        ]
        gold = _some(unseen, plan.gold, len(mine), chance_of(plan.seed, "gold", name))
    again: list[int] = []
    waiting = queues.waiting_repeats(session.project.conn, person.key) if person else []
    if plan.repeats:
        earlier = sorted(done - asked - set(waiting) - set(gold))
        again = _some(earlier, plan.repeats, len(mine), chance_of(plan.seed, "repeats", name))
    chance = chance_of(plan.seed, "mixing", name)
    for key in gold:
        items.insert(int(chance.integers(len(items) + 1)), (key, "gold", None))
    for key in again:
        items.insert(int(chance.integers(len(items) + 1)), (key, "repeat", None))
    wanted = round(plan.repeats * len(mine))
    if kind == "label":
        _repeat_within(items, wanted - len(again), chance)
    return Part(items, _note(plan, name, items, wanted))


def _some(keys: Sequence[int], share: float, of: int, chance: np.random.Generator) -> list[int]:
    count = min(round(share * of), len(keys))
    return [keys[at] for at in chance.permutation(len(keys))[:count].tolist()]


def _repeat_within(items: Items, count: int, chance: np.random.Generator) -> None:
    """Ask for some of the first evaluations once more, at a distance drawn by chance."""
    firsts = [key for key, kind, _ in items if kind == "label"]
    half = firsts[: len(firsts) // 2]
    for at in chance.permutation(len(half))[: max(count, 0)].tolist():
        place = next(n for n, item in enumerate(items) if item[0] == half[at])
        nearest = min(place + 1 + DISTANCE, len(items))
        items.insert(int(chance.integers(nearest, len(items) + 1)), (half[at], "repeat", None))


def _note(plan: QueuePlan, name: str, items: Items, wanted: int) -> str:
    repeats = sum(kind == "repeat" for _, kind, _ in items)
    gold = sum(kind == "gold" for _, kind, _ in items)
    labels = len(items) - repeats - gold
    lacking = []
    if repeats < wanted:
        lacking.append(f"{repeats} of {wanted} repeats")
    wanted_gold = round(plan.gold * labels)
    if plan.sampling is not Sampling.GOLD and gold < wanted_gold:
        lacking.append(f"{gold} of {wanted_gold} evaluations with known answers")
    more = "no more" if repeats or gold else "none"
    return f"{name} gets {' and '.join(lacking)}: there are {more}." if lacking else ""


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
    pool: tuple[Pooled, ...] = ()
    note: str = ""


def preview(session: Session, plan: QueuePlan) -> Preview:
    """Work a plan out without writing anything; call it beside the window.

    Raises:
        ReviewerError: The plan cannot be carried out; the sentence says why.
    """
    worked = _work_out(session, plan)
    people = _given_out(worked) or tuple(
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
    ) or {key: people for key, kind, _, people in worked.pool if kind == "label"}
    return Preview(
        population=worked.drawn.population,
        drawn=drawn,
        shared=sum(count > 1 for count in spread.values()),
        reason=worked.drawn.reason,
        people=people,
        strata=worked.drawn.strata,
        sentence=_sentence(worked, drawn, answers),
        notes=tuple(
            filter(None, (worked.drawn.note, worked.note, *(x.note for x in worked.parts)))
        ),
    )


def _given_out(worked: _Worked) -> tuple[PersonPreview, ...]:
    """Say in one line what nobody gets beforehand."""
    many = Counter[str]()
    for _, kind, _, people in worked.pool:
        many[kind] += people
    line = PersonPreview(WHOEVER, labels=many["label"], repeats=0, gold=many["gold"])
    return (line,) if worked.pool else ()


def create(session: Session, plan: QueuePlan) -> QueueRow:
    """Make the queue of a plan, which undo takes back: everything or nothing is written.

    Raises:
        ReviewerError: The plan cannot be carried out, the name is taken, or nothing was drawn.
    """
    worked = _work_out(session, plan)
    if not (worked.pool or any(part.items for part in worked.parts)):
        raise QueueError("Nothing matches this plan, so there is no queue to make.")
    conn = session.project.conn
    name = naming.free(plan.name, (x.name for x in queues.every(conn)), "queue")
    made = replace(worked.plan, name=name, pool=worked.pool)
    with session.project.write():
        me = session.my_key()
        if made.pool:
            made = replace(made, takers=pools.numbers_of(session, worked.people))
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
    if set(people) != {session.labeler.name}:
        require_lead(session, "make queues for other people", "Choose yourself alone.")
    if not plan.blind and is_blind(session.project):
        require_lead(session, "show auto scores in a queue", "Leave it blind.")
    check(plan, len(people))
    if len({name.casefold() for name in people}) < len(people):
        raise QueueError("The plan names a labeler twice.")
    if plan.assignment == "free":
        pools.require_hub(session)
        drawn = sampling.draw(session, plan)
        pool, note = laying_out.laid_out(session, plan, drawn, len(people))
        none = tuple(Part([]) for _ in people)
        return _Worked(replace(plan, labelers=people), drawn, people, none, pool, note)
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
    folk = _folk(worked.people)
    whom = f"whoever of {folk} is free" if worked.pool else folk
    each = f"{_counted(answers, 'answer')} by {whom}"
    return f"{chosen}, {each}."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _folk(people: Sequence[str]) -> str:
    return people[0] if len(people) == 1 else f"{len(people)} labelers"
