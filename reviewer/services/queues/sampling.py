"""Which evaluations a plan draws, with which chance each of them came, and in which order."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import numpy as np

from reviewer.domain.errors import QueueError
from reviewer.domain.evaluation import SelectionReason
from reviewer.domain.filters import All, has_words, needs_sight, parse, terms
from reviewer.domain.run import Scope
from reviewer.services.audits import budget
from reviewer.services.figures import filtered
from reviewer.services.figures.human_columns import Ints
from reviewer.services.project import project_days
from reviewer.services.project.session import Session
from reviewer.services.queues.candidates import (
    disagreeing,
    for_release,
    newest_run,
    scored,
    strata_of,
    undecided,
)
from reviewer.services.queues.plans import QueuePlan, Sampling, last_day
from reviewer.services.queues.sharing import allocated, chance_of
from reviewer.store import queues
from reviewer.store import queues as kept_queues
from reviewer.store.queues import DrawingColumns

_STRATA: Final = frozenset(
    {"category", "run", "model", "complexity", "date", "latency", "cost", "tag", "auto", "turns",
     "tokens_in", "tokens_out"}
)  # fmt: skip
"""Fields that are known before anybody labels: what they choose is a stratum."""


_BY_JUDGE: Final = frozenset(
    {Sampling.ACTIVE, Sampling.DISAGREEMENT, Sampling.UNDECIDED, Sampling.RELEASE}
)


@dataclass(frozen=True, slots=True)
class StratumDrawn:
    """How many evaluations of a stratum there are and how many of them were drawn."""

    name: str
    population: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a plan draws.

    Attributes:
        keys: The evaluations; the order counts where `ordered`.
        chances: With which each was drawn, None where chance did not decide.
        population: How many they were drawn from.
        note: What to know of the draw, empty for nothing.
    """

    keys: tuple[int, ...]
    chances: tuple[float | None, ...]
    reason: SelectionReason
    population: int
    strata: tuple[StratumDrawn, ...] = ()
    ordered: bool = False
    note: str = ""


def draw(session: Session, plan: QueuePlan) -> Drawn:
    """Draw what a plan asks for; the same seed draws the same evaluations.

    Raises:
        QueueError: The plan names something that is not there, or may not be read by this person.
        FilterError: The filter cannot be understood.
    """
    if plan.sampling is Sampling.CHOSEN:
        return _chosen(session, plan)
    if plan.sampling is Sampling.GOLD:
        found = kept_queues.gold(session.project.conn)
        return Drawn(tuple(found), (None,) * len(found), "browse", len(found))
    if _reads_judge(plan) and session.labeler.role != "lead":
        raise QueueError("Only a lead can make a queue from auto scores or other people's labels.")
    columns = queues.read_drawable(session.project, filtered.within(session, plan.filter_text))
    return _WAYS[plan.sampling](session, plan, columns)


def _reads_judge(plan: QueuePlan) -> bool:
    """Tell whether what a plan draws says something of the judge's scores."""
    by_level = plan.sampling is Sampling.STRATIFIED and plan.stratify.startswith("auto:")
    return by_level or plan.sampling in _BY_JUDGE or needs_sight(parse(plan.filter_text))


def _chosen(session: Session, plan: QueuePlan) -> Drawn:
    everything = frozenset(
        queues.read_drawable(session.project, filtered.within(session, "")).keys
    )
    kept = [key for key in dict.fromkeys(plan.keys) if key in everything]
    gone = len(set(plan.keys)) - len(kept)
    note = f"{gone:,} of the chosen evaluations are excluded or gone." if gone else ""
    return Drawn(tuple(kept), (None,) * len(kept), "browse", len(kept), ordered=True, note=note)


def _by_chance(plan: QueuePlan, *, narrowed: bool = False) -> SelectionReason:
    """Say what a random draw within the plan's filter is, as corrected means need to know."""
    tree = parse(plan.filter_text)
    named = {term.field for term in terms(tree)}
    if tree == All() or (named == {"run"} and not has_words(tree)):
        # figures are about runs: within one, the draw is plainly random
        return "stratum" if narrowed else "random"
    if has_words(tree):
        return "search"
    return "stratum" if named <= _STRATA else "browse"


def _simple(
    keys: Ints, count: int, reason: SelectionReason, *, seed: int, population: int
) -> Drawn:
    count = min(count, keys.size)
    some = np.sort(chance_of(seed, "drawing").choice(keys.size, count, replace=False))
    chance = count / keys.size if keys.size else 0.0
    chances = (chance,) * count if reason in ("random", "stratum") else (None,) * count
    return Drawn(tuple(keys[some].tolist()), chances, reason, population)


def _all(_: Session, plan: QueuePlan, columns: DrawingColumns) -> Drawn:
    """Take everything, or the first n in the order of the files."""
    keys = _keys(columns)
    if plan.n is None or plan.n >= keys.size:
        reason = _by_chance(plan)
        return _simple(keys, keys.size, reason, seed=plan.seed, population=keys.size)
    some = tuple(keys[: plan.n].tolist())
    return Drawn(some, (None,) * len(some), "browse", keys.size)


def _random(_: Session, plan: QueuePlan, columns: DrawingColumns) -> Drawn:
    keys = _keys(columns)
    return _simple(keys, plan.n or 0, _by_chance(plan), seed=plan.seed, population=keys.size)


def _stratified(session: Session, plan: QueuePlan, columns: DrawingColumns) -> Drawn:
    keys = _keys(columns)
    if not keys.size:
        return Drawn((), (), "stratum", 0)
    strata = strata_of(session, plan, columns)
    sizes = np.bincount(strata.codes, minlength=len(strata.names))
    counts = _counts(plan, sizes)
    chance = chance_of(plan.seed, "drawing")
    picked, chances = [], np.zeros(keys.size)
    for code, count in enumerate(counts):
        mine = np.flatnonzero(strata.codes == code)
        picked.append(chance.choice(mine, count, replace=False))
        chances[mine] = count / mine.size
    some = np.sort(np.concatenate(picked))
    reason = _by_chance(plan, narrowed=True)
    known = reason == "stratum"
    return Drawn(
        tuple(keys[some].tolist()),
        tuple(chances[some].tolist()) if known else (None,) * some.size,
        reason,
        keys.size,
        strata=tuple(
            StratumDrawn(name, int(size), count)
            for name, size, count in zip(strata.names, sizes, counts, strict=True)
        ),
    )


def _counts(plan: QueuePlan, sizes: Ints) -> list[int]:
    """Share n out among strata; each gets one at least where n allows that."""
    n, most = min(plan.n or 0, int(sizes.sum())), sizes.tolist()
    weights = sizes / sizes.sum() if plan.allocation == "proportional" else 1 / sizes.size
    wanted = np.broadcast_to(np.asarray(weights, dtype=np.float64) * n, sizes.shape)
    if n < sizes.size:
        return allocated(np.array(wanted), n, most)
    return allocated(np.maximum(wanted - 1, 0), n - sizes.size, [x - 1 for x in most], least=1)


def _newest(_: Session, plan: QueuePlan, columns: DrawingColumns) -> Drawn:
    keys, dates = (
        _keys(columns),
        np.array([-np.inf if x is None else x for x in columns.dates], dtype=np.float64),
    )
    some = np.argsort(-dates, kind="stable")[: plan.n]
    return Drawn(
        tuple(keys[some].tolist()), (None,) * some.size, "browse", keys.size, ordered=True
    )


def _recent(session: Session, plan: QueuePlan, columns: DrawingColumns) -> Drawn:
    """Draw from whole days, counted back from the plan's or that of the newest evaluation."""
    newest = max((date for date in columns.dates if date is not None), default=None)
    zone = project_days.zone_of(project_days.zone_name(session.project))
    day = None if newest is None else project_days.day_of(newest, zone)
    if day is None:
        raise QueueError("None of these evaluations has a date, so there are no last days.")
    day = last_day(plan) or day
    words = f"date>={day - timedelta(days=plan.days - 1)} date<={day}"
    if plan.unlabelled:
        words += " -labeler:1"
    if plan.filter_text.strip():
        words = f"({plan.filter_text}) {words}"
    found = queues.read_drawable(session.project, filtered.within(session, words))
    recent = scored(session, found) if plan.unlabelled else _keys(found)
    reason = _by_chance(plan, narrowed=True)
    return _simple(recent, plan.n or 0, reason, seed=plan.seed, population=recent.size)


def _active(session: Session, plan: QueuePlan, columns: DrawingColumns) -> Drawn:
    found = budget.next_order(
        session,
        Scope(every_run=True),
        plan.n or 0,
        metric=plan.metric,
        among=list(columns.keys),
        seed=plan.seed,
    )
    return Drawn(
        tuple(found.keys.tolist()),
        tuple(found.probabilities.tolist()),
        found.reason,
        len(columns.keys),
        strata=tuple(StratumDrawn(x.level, x.judged, x.taken) for x in found.strata),
        note=found.sentence,
    )


def _of_interest(
    find: Callable[[Session, QueuePlan, DrawingColumns], list[int]],
) -> Callable[[Session, QueuePlan, DrawingColumns], Drawn]:
    def found(session: Session, plan: QueuePlan, columns: DrawingColumns) -> Drawn:
        keys = tuple(find(session, plan, columns)[: plan.n])
        return Drawn(keys, (None,) * len(keys), "disputed", len(columns.keys))

    return found


def _release(session: Session, plan: QueuePlan, _: DrawingColumns) -> Drawn:
    """Draw a third at random from the newest run, then its fails and what was off before."""
    runs = session.run_names()
    if not runs:
        raise QueueError("The project has no run yet; import evaluation results first.")
    run = filtered.within(session, newest_run(session))
    columns = queues.read_drawable(session.project, run)
    keys = _keys(columns)
    count = min(plan.n or 0, keys.size)
    part = _simple(keys, max(count // 3, 1), "random", seed=plan.seed, population=keys.size)
    known = set(part.keys)
    interesting = for_release(session, plan, columns)
    more = [key for key in interesting if key not in known][: count - len(known)]
    rest = [key for key in keys.tolist() if key not in known and key not in set(more)]
    fill = chance_of(plan.seed, "filling").permutation(len(rest))[: count - len(known) - len(more)]
    more.extend(rest[at] for at in fill.tolist())
    return Drawn(
        (*part.keys, *more),
        (*part.chances, *(None for _ in more)),
        "random",
        keys.size,
        strata=(
            StratumDrawn("at random", keys.size, len(part.keys)),
            StratumDrawn("fails and earlier disagreements", len(interesting), len(more)),
        ),
    )


def _keys(columns: DrawingColumns) -> Ints:
    return np.frombuffer(columns.keys, dtype=np.int64)


_WAYS: Final[dict[Sampling, Callable[[Session, QueuePlan, DrawingColumns], Drawn]]] = {
    Sampling.ALL: _all,
    Sampling.RANDOM: _random,
    Sampling.STRATIFIED: _stratified,
    Sampling.NEWEST: _newest,
    Sampling.RECENT: _recent,
    Sampling.ACTIVE: _active,
    Sampling.DISAGREEMENT: _of_interest(disagreeing),
    Sampling.UNDECIDED: _of_interest(undecided),
    Sampling.RELEASE: _release,
}
