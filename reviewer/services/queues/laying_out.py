"""What a queue gives out that deals nothing out beforehand, in its order."""

from collections.abc import Sequence

from reviewer.services.project.session import Session
from reviewer.services.queues.plans import Pooled, QueuePlan, Sampling
from reviewer.services.queues.sampling import Drawn
from reviewer.services.queues.sharing import chance_of
from reviewer.store import queues


def laid_out(
    session: Session, plan: QueuePlan, drawn: Drawn, people: int
) -> tuple[tuple[Pooled, ...], str]:
    """Put what was drawn in the order in which it is given out, known answers among it.

    Returns:
        The pool, and what to know of it, empty for nothing.
    """
    count = len(drawn.keys)
    overlap = min(plan.overlap, people)
    shared = round(plan.overlap_share * count) if overlap > 1 else 0
    several = set(chance_of(plan.seed, "sharing").permutation(count)[:shared].tolist())
    order = range(count) if drawn.ordered else chance_of(plan.seed, "order").permutation(count)
    kind = "gold" if plan.sampling is Sampling.GOLD else "label"
    found: list[Pooled] = [
        (drawn.keys[at], kind, drawn.chances[at], overlap if at in several else 1)
        for at in map(int, order)
    ]
    if kind == "gold" or not plan.gold:
        return tuple(found), ""
    asked = set(drawn.keys)
    known = [key for key in queues.gold(session.project.conn) if key not in asked]
    wanted = round(plan.gold * sum(people for *_, people in found))
    mixed = _known_answers(plan, known, wanted, people)
    chance = chance_of(plan.seed, "mixing")
    for one in mixed:
        found.insert(int(chance.integers(len(found) + 1)), one)
    given = sum(people for *_, people in mixed)
    note = f"{given} of {wanted} known answers are mixed in: there are no more."
    return tuple(found), note if given < wanted else ""


def _known_answers(
    plan: QueuePlan, known: Sequence[int], wanted: int, people: int
) -> list[Pooled]:
    """Give as many people as are needed the same known answers where there are too few."""
    count = min(wanted, len(known))
    if not count:
        return []
    each, more = divmod(min(wanted, count * people), count)
    chosen = chance_of(plan.seed, "gold").permutation(len(known))[:count].tolist()
    return [(known[at], "gold", None, each + (nth < more)) for nth, at in enumerate(chosen)]
