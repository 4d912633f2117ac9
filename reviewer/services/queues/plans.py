"""The plan of a queue: which evaluations, how they are drawn, and who gets which."""

import json
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Literal

from reviewer.domain.errors import QueueError
from reviewer.domain.filters import parse
from reviewer.domain.wording import in_percent
from reviewer.services.project import naming

MOST_OVERLAP = 10


class Sampling(StrEnum):
    """How a queue draws from what its filter finds."""

    ALL = "all"
    RANDOM = "random"
    STRATIFIED = "stratified"
    NEWEST = "newest"
    RECENT = "recent"
    DISAGREEMENT = "disagreement"
    ACTIVE = "active"
    UNDECIDED = "undecided"
    RELEASE = "release"
    GOLD = "gold"
    CHOSEN = "chosen"


Allocation = Literal["proportional", "equal"]
Assignment = Literal["round_robin", "by_person", "free"]
Pooled = tuple[int, str, float | None, int]
"""An evaluation that is given out: its key, kind and chance, and how many people answer it."""
NEEDS_N = frozenset({Sampling.RANDOM, Sampling.STRATIFIED, Sampling.NEWEST, Sampling.RECENT,
                     Sampling.ACTIVE, Sampling.RELEASE})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlan:
    """How a queue is made; the same plan on the same project makes the same queue.

    Attributes:
        name: What the queue is called.
        filter_text: Which evaluations it draws from; empty for all.
        n: How many evaluations are drawn; None for as many as there are, where that makes sense.
        stratify: `category`, `run` or `auto:METRIC`.
        days: `recent` draws from so many days.
        until: The last of them, as 2026-11-23; None for that of the newest evaluation.
        unlabelled: Whether `recent` draws only what was scored and has no label of anybody yet.
        other: For `disagreement`: the other scorer NAME, NAME@VERSION or full name, or the other
            run.
        other_is_run: Whether `other` is a run.
        metric: Which metric disagreement or information is about; None for all, or the neediest.
        overlap: How many people answer each evaluation of the overlap's share, 1 to 10.
        overlap_share: The share of evaluations that `overlap` people answer; the rest has one.
        assignment: `free` deals nothing out: through the hub whoever is free gets the next one.
        labelers: Who takes part; empty for the active labeler alone.
        shares: With `by_person`, how much each of them gets, in any unit.
        repeats: Share of their own earlier evaluations that people answer once more.
        gold: Share of evaluations with known answers that are mixed in.
        blind: Whether auto scores stay hidden until an evaluation is answered.
        recipe: Which recipe made the plan, `custom` for none.
        keys: With `chosen`, the evaluations by hand.
        pool: With `free`, what is given out, in order.
        takers: The numbers that those have everywhere who may take of it, as `labelers` may be
            renamed.
    """

    name: str
    filter_text: str = ""
    sampling: Sampling = Sampling.ALL
    n: int | None = None
    seed: int = 0
    stratify: str = "category"
    allocation: Allocation = "proportional"
    days: int = 10
    until: str | None = None
    unlabelled: bool = False
    other: str | None = None
    other_is_run: bool = False
    metric: str | None = None
    overlap: int = 1
    overlap_share: float = 1.0
    assignment: Assignment = "round_robin"
    labelers: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()
    repeats: float = 0.0
    gold: float = 0.0
    blind: bool = True
    recipe: str = "custom"
    keys: tuple[int, ...] = ()
    pool: tuple[Pooled, ...] = ()
    takers: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Write the plan as the project keeps it."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "QueuePlan":
        """Read a plan that a project keeps; fields of a newer program are left out.

        Raises:
            QueueError: It is damaged.
        """
        try:
            fields: dict[str, Any] = json.loads(text)
            known = {name: fields[name] for name in cls.__slots__ if name in fields}
            for name in ("labelers", "shares", "keys", "takers"):
                known[name] = tuple(known.get(name, ()))
            known["pool"] = tuple(map(tuple, known.get("pool", ())))
            known["sampling"] = Sampling(known.get("sampling", "all"))
            return cls(**known)
        except (ValueError, TypeError, RecursionError):
            raise QueueError(
                f"The plan of a queue in this project is damaged ({text[:80]!r}); a backup holds "
                "it whole."
            ) from None


def check(plan: QueuePlan, people: int) -> None:
    """Say what a plan for so many people lacks.

    Raises:
        QueueError: The first thing that cannot be done as asked.
        FilterError: Its filter cannot be understood.
        LabelError: It has no name.
    """
    naming.checked(plan.name, "queue")
    parse(plan.filter_text)
    problem = (
        _size_problem(plan)
        or _days_problem(plan)
        or _people_problem(plan, people)
        or _share_problem(plan)
    )
    if problem:
        raise QueueError(problem)


def _size_problem(plan: QueuePlan) -> str | None:
    if plan.n is None and plan.sampling in NEEDS_N:
        return "Say how many evaluations the queue shall have."
    if plan.n is not None and plan.n < 1:
        return f"A queue of {plan.n} evaluations cannot be drawn; ask for 1 or more."
    if plan.seed < 0:
        return f"The seed is {plan.seed}; it must be 0 or more."
    if plan.sampling is Sampling.DISAGREEMENT and not plan.other:
        return "Name the other judge or the other run that the judge disagrees with."
    return None


def _days_problem(plan: QueuePlan) -> str | None:
    if plan.days < 1:
        return f"The last {plan.days} days hold nothing; ask for 1 day or more."
    if plan.until is not None and last_day(plan) is None:
        return f"{plan.until!r} is no day; give one such as 2026-11-23, or none for the newest."
    return None


def last_day(plan: QueuePlan) -> date | None:
    """Give the last day that a plan draws from; None where it names none that there is."""
    try:
        return date.fromisoformat(plan.until or "")
    except ValueError:
        return None


def _people_problem(plan: QueuePlan, people: int) -> str | None:
    if not 1 <= plan.overlap <= MOST_OVERLAP:
        return (
            f"The overlap is {plan.overlap}; 1 to {MOST_OVERLAP} people can share an evaluation."
        )
    if plan.overlap > people and plan.overlap_share > 0:
        return f"An overlap of {plan.overlap} needs as many labelers; the plan names {people}."
    if plan.assignment != "by_person":
        return None
    if len(plan.shares) != people:
        return f"{people} labelers need as many shares; the plan has {len(plan.shares)}."
    if min(plan.shares, default=0.0) < 0 or sum(plan.shares) <= 0:
        return "The shares of the labelers must be 0 or more, and one of them above 0."
    return None


def _share_problem(plan: QueuePlan) -> str | None:
    named = {"overlap": plan.overlap_share, "repeats": plan.repeats, "gold": plan.gold}
    for name, share in named.items():
        if not 0 <= share <= 1:
            found = in_percent(share, 0)
            return f"The share of {name} is {found}; it must lie between 0 % and 100 %."
    if plan.assignment == "free" and plan.repeats > 0:
        return (
            "Own repeats are not carried by a hub, so whoever is free gets none: leave them out, "
            "or share out in turns."
        )
    return None


FEWEST, MOST = 20, 50
"""Evaluations that a validation of the judge may have; the usual number is the most."""
