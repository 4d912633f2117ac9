"""One person's part of a queue: in their own order, with repeats and gold evaluations mixed in."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.domain.run import Labeler
from reviewer.services.assigning.plans import QueuePlan, Sampling
from reviewer.services.assigning.sharing import chance_of
from reviewer.services.project.session import Session
from reviewer.store import queues, states
from reviewer.store.queues import ItemKind

DISTANCE = 10
"""Evaluations that lie at least between an answer and its repeat, where there are that many."""
Items = list[tuple[int, ItemKind, float | None]]


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
        lacking.append(f"{gold} of {wanted_gold} gold evaluations")
    return f"{name} gets {' and '.join(lacking)}: there are no more." if lacking else ""
