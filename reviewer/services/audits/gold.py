"""How often labelers hit the known answers of gold evaluations."""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import counted, listed, percent, upper_first
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.human_columns import Flags, Ints
from reviewer.services.findings.insights_source import LabelRows, Source
from reviewer.services.findings.insights_values import Topic
from reviewer.services.project.session import Session, may_lead
from reviewer.stats.clustering import share_interval
from reviewer.stats.intervals import Interval
from reviewer.store import queues

NO_GOLD = "no response is tagged gold with a decided answer"
NOBODY = "nobody but those who decided has labelled a gold response"
LEADS_ONLY = "only a lead sees who hits gold responses"
EQUAL = 1e-9
NEAR = 0.05
"""Part of an open range within which a label hits."""
NAMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """One person's labels on gold evaluations.

    Attributes:
        interval: Of their share; labels on several metrics of a response count as one draw.
        keys: All of theirs with a known answer, those first on which a label differs from it.
    """

    labeler: str
    n: int
    hits: int
    share: float
    interval: Interval | None
    keys: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold(Topic):
    """Everybody's hits.

    Attributes:
        people: On the metric asked for, lowest share first.
        overall: On all metrics, by name.
        evaluations: Gold evaluations in scope with a known answer on the metric.
    """

    people: tuple[Hits, ...] = ()
    overall: dict[str, Hits]
    evaluations: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Answered:
    """Labels on gold evaluations, and whether each is the known answer."""

    places: Ints
    labelers: Ints
    hit: Flags


def gold(session: Session, source: Source, metric: str) -> Gold:
    """Compare labels on gold evaluations with the decisions on them.

    A decision's own author is left out where they labelled it too. Who labels blind and does not
    lead is told nothing: misses would give the gold responses away.
    """
    if session.blind and not may_lead(session):
        return Gold(sentence=upper_first(LEADS_ONLY), reason=LEADS_ONLY, overall={})
    tagged = np.array(queues.gold(session.project.conn), dtype=np.int64)
    inside = np.flatnonzero(np.isin(source.table.keys, tagged))
    found = {
        one.name: _answered(source, one, inside)
        for one in source.table.rubric.metrics
        if one.is_labelled
    }
    mine = found.get(metric)
    known = source.decisions.get(metric)
    evaluations = int(np.intersect1d(known.places, inside).size) if known is not None else 0
    everything = _Answered(
        *(
            np.concatenate([getattr(one, name) for one in found.values()])
            for name in ("places", "labelers", "hit")
        )
    )
    people = _people(source, mine) if mine is not None else {}
    reason = None if people else NOBODY if evaluations else NO_GOLD
    ranked = tuple(sorted(people.values(), key=lambda one: (one.share, one.labeler)))
    return Gold(
        sentence=upper_first(reason) if reason else _sentence(ranked, evaluations),
        reason=reason,
        people=ranked,
        overall=_people(source, everything),
        evaluations=evaluations,
    )


def _answered(source: Source, metric: Metric, inside: Ints) -> _Answered:
    decided = source.decisions[metric.name]
    decided = decided.at(np.asarray(np.isin(decided.places, inside)))
    size = source.table.keys.size
    answer, author = np.full(size, np.nan), np.full(size, -1, dtype=np.int64)
    # oldest first, so that the newest decision stays
    answer[decided.places], author[decided.places] = decided.values, decided.labelers
    rows: LabelRows = source.labels[metric.name]
    counted_ = np.isfinite(answer[rows.places]) & (author[rows.places] != rows.labelers)
    rows = rows.at(np.asarray(counted_))
    apart = np.abs(rows.values - answer[rows.places])
    return _Answered(rows.places, rows.labelers, np.asarray(apart <= _room(metric)))


def _room(metric: Metric) -> float:
    if metric.grid or metric.bounds is None:
        return EQUAL
    low, high = metric.bounds
    return NEAR * (high - low) + EQUAL


def _people(source: Source, found: _Answered) -> dict[str, Hits]:
    made = {}
    for key in np.unique(found.labelers).tolist():
        rows = found.labelers == key
        hit, where = found.hit[rows], found.places[rows]
        shared = where if np.unique(where).size < where.size else None
        name = source.table.labelers[key]
        misses = np.unique(source.table.keys[where[~hit]])
        every = np.unique(source.table.keys[where])
        made[name] = Hits(
            labeler=name,
            n=int(hit.size),
            hits=int(hit.sum()),
            share=float(hit.mean()),
            interval=share_interval(hit, shared, source.level),
            keys=np.concatenate([misses, np.setdiff1d(every, misses)]),
        )
    return made


def _sentence(people: tuple[Hits, ...], evaluations: int) -> str:
    on = counted(evaluations, "gold response")
    shown = [f"{one.labeler} {percent(one.share)} of {one.n:,}" for one in people]
    if len(shown) > NAMED:
        return f"On {on} people hit the known answer from {shown[0]} to {shown[-1]}."
    return f"On {on} people hit the known answer: {listed(shown)}."


def told(found: Hits) -> str:
    """Say one person's hits in a sentence that stands alone."""
    around = ""
    if found.interval is not None:
        around = f", 95 % {percent(found.interval.low)} to {percent(found.interval.high)}"
    return (
        f"{found.labeler} hits the known answer of gold responses in {found.hits:,} of "
        f"{counted(found.n, 'label')} ({percent(found.share)}{around})."
    )


def steps(found: Hits) -> tuple[Step, ...]:
    """Explain one person's share."""
    return (
        Step(
            "Hits on gold responses",
            f"hits / labels = {found.hits:,} / {found.n:,} = {percent(found.share)}. "
            "A label hits that equals the decision on a response tagged gold.",
        ),
    )
