"""How many labels a wanted width still takes, and which evaluations to label next.

Labels in the order of `next_order` are drawn at random inside levels of the judge's score, with
the probability of each beside it, so that corrected means and pass rates stay valid.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import SelectionReason
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.domain.wording import counted, listed, plain, two
from reviewer.services.figures import figure_table
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.human_scores import Choice
from reviewer.services.figures.request import covered
from reviewer.services.figures.statistics_agreement import evidence_of
from reviewer.services.findings.insights_judge import labels_needed, wanted_half_width
from reviewer.services.findings.insights_source import Source
from reviewer.services.findings.insights_values import LabelsNeeded
from reviewer.services.project.session import Session
from reviewer.stats.agreement import coefficient_interval, coefficient_or_reason
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.clustering import design_effect
from reviewer.stats.intervals import INTERVALS_FROM, IntervalPolicy
from reviewer.stats.planning import (
    WIDTH_FROM,
    is_narrow_enough,
    kappa_labels,
    labels_to_width,
    next_strata,
    spreads,
)
from reviewer.stats.strata import Stratum, level_places, strata_by_level
from reviewer.store import figures

HALF_WIDTH = 0.1
"""The half-width to aim at unless the lead sets another."""
WIDE = 10.0
"""Extent of a scale from which `HALF_WIDTH` is out of all proportion."""
REASON: SelectionReason = "stratum"
NO_AUTO = "there is no auto score to draw by"
NOTHING_LEFT = "every evaluation with an auto score is labelled"
BEYOND = "takes more labels than there are evaluations"
FEW_PAIRS = f"an interval needs {INTERVALS_FROM} labelled evaluations"


def usual_half_width(metric: Metric) -> float:
    """Give the half-width of a metric's mean to begin with: 0.10, more on wide scales."""
    low, high = metric.bounds or (0.0, 1.0)
    return HALF_WIDTH if high - low <= WIDE else wanted_half_width(metric)


@dataclass(frozen=True, slots=True)
class MeanBudget:
    """Labels that a metric's corrected mean still takes.

    Attributes:
        needed: The plan for random labels, with the interval there is.
        in_order: Labels more in the order of `next_order`; None where out of reach or unknown.
    """

    needed: LabelsNeeded
    in_order: int | None


@dataclass(frozen=True, slots=True)
class KappaBudget:
    """Labels that a metric's kappa still takes.

    Attributes:
        name: `kappa_quadratic`, or `kappa` of categories.
        n: Pairs behind it.
        half_width: Half of its interval now.
        more: Labels more; None with a reason.
    """

    name: str
    n: int
    value: float | None
    half_width: float | None
    wanted: float
    more: int | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """What a metric still takes.

    Attributes:
        left: Evaluations with an auto score that nobody has labelled.
    """

    metric: str
    title: str
    left: int
    mean: MeanBudget
    kappa: KappaBudget
    sentence: str


@dataclass(frozen=True, slots=True)
class StratumPlan:
    """One level of the judge's scores, and how many are drawn from it.

    Attributes:
        level: Its scores in words.
        spread: Standard deviation of human scores that was planned with.
    """

    level: str
    judged: int
    labelled: int
    taken: int
    spread: float


@dataclass(frozen=True, slots=True, eq=False)
class NextOrder:
    """Which evaluations to label next, the one that shrinks the interval most first.

    Attributes:
        keys: Evaluations.
        probabilities: Of each to be drawn; what labels record as `selection_prob`.
        reason: What labels record as `selection_reason`.
    """

    keys: Ints
    probabilities: Floats
    reason: SelectionReason
    metric: str
    strata: tuple[StratumPlan, ...]
    sentence: str


def budgets(
    source: Source, *, mean: float | None = None, kappa: float = HALF_WIDTH
) -> tuple[Budget, ...]:
    """Work out what every metric that people label still takes, in the rubric's order.

    Args:
        source: What was read.
        mean: Half-width wanted of corrected means; None the usual one of each metric.
        kappa: Half-width wanted of kappa.
    """
    tables = (source.table.metrics[x.name] for x in source.table.rubric.metrics if x.is_labelled)
    return tuple(of_metric(source, table, mean=mean, kappa=kappa) for table in tables)


def of_metric(
    source: Source, table: MetricTable, *, mean: float | None = None, kappa: float = HALF_WIDTH
) -> Budget:
    """Work out what one metric still takes."""
    wanted = mean or usual_half_width(table.metric)
    needed = labels_needed(source, table, wanted)
    of_mean = MeanBudget(needed, _in_order(source, table, needed, wanted))
    of_kappa = _kappa(source, table, kappa)
    return Budget(
        metric=table.metric.name,
        title=table.metric.heading,
        left=int((table.has_auto & ~table.has_human).sum()),
        mean=of_mean,
        kappa=of_kappa,
        sentence=f"{_mean_sentence(of_mean)} {_kappa_sentence(of_kappa)}",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    """A metric's evaluations by level of the judge.

    Attributes:
        strata: With the labels that count towards corrected means.
        told: With all labels where none of them counts: they tell at least how scores spread.
        labelled: The labels of `told`.
    """

    strata: list[Stratum]
    told: list[Stratum]
    labelled: Flags

    @property
    def spread(self) -> Floats:
        return spreads(self.told)


def _levels(table: MetricTable) -> _Levels:
    human = table.whole
    every = np.asarray(table.has_auto & np.isfinite(human.score))
    usable = np.asarray(every & (human.chosen > Choice.UNKNOWN))
    told = usable if usable.any() else every
    autos = table.auto[table.has_auto]
    made = [
        list(strata_by_level(autos, table.auto[labelled], human.score[labelled]))
        for labelled in (usable, told)
    ]
    return _Levels(made[0], made[1], told)


def _in_order(
    source: Source, table: MetricTable, needed: LabelsNeeded, wanted: float
) -> int | None:
    if needed.reason is not None or needed.plan is None:
        return None
    if needed.plan.more == 0:
        return 0
    found = _levels(table)
    auto, human = table.auto[found.labelled], table.whole.score[found.labelled]
    clusters = source.table.clusters
    effect = 1.0
    if clusters is not None and human.size > 1:
        known = level_places(auto, auto)[0]
        rest = human - (np.bincount(known, human) / np.bincount(known).clip(1))[known]
        effect = design_effect(rest, clusters[found.labelled]) or 1.0
    more = labels_to_width(
        found.strata, half_width=wanted, told=found.told, effect=effect, level=source.level
    )
    left = np.count_nonzero(table.has_auto & ~table.has_human)
    return None if more is None or more > left else more


def _kappa(source: Source, table: MetricTable, wanted: float) -> KappaBudget:
    name = table.metric.kind.coefficient
    evidence = evidence_of(source.table, table, source.counting)
    n = evidence.n_table
    value, reason = coefficient_or_reason(evidence, name)
    found = KappaBudget(name, n, value, None, wanted, None, reason)
    if value is None:
        return found
    interval = coefficient_interval(evidence, name, IntervalPolicy(level=source.level))
    if interval is None or interval.high <= interval.low:
        return replace(found, reason=FEW_PAIRS)
    half = (interval.high - interval.low) / 2
    more = kappa_labels(n, half, wanted)
    if not more and not is_narrow_enough(n, half, wanted=wanted):
        more = WIDTH_FROM - n
    found = replace(found, half_width=half)
    if n + more > int(table.has_auto.sum()):
        return replace(found, reason=f"±{two(wanted)} {BEYOND}")
    return replace(found, more=more)


def _mean_sentence(found: MeanBudget) -> str:
    said = found.needed.sentence
    more, random = found.in_order, found.needed.plan.more if found.needed.plan else None
    if more and random and more < random:
        return f"{said} Drawn by the judge's scores about {more:,} are enough."
    return said


def _kappa_sentence(found: KappaBudget) -> str:
    title = FIGURES[found.name].sign
    # a letter of its own, which has no capital here
    first = title if title == "κ" else f"{title[:1].upper()}{title[1:]}"
    if found.more is None:
        return f"{first}: {found.reason}."
    now = f"±{two(found.half_width or 0.0)}"
    if not found.more:
        return f"{first} is known to {now}, as narrow as wanted."
    more = counted(found.more, "more label", "more labels")
    if (found.half_width or 0.0) <= found.wanted:
        return f"{first} is known to {now}; to stop for that takes {more}."
    return f"About {more} bring {title} from {now} to ±{two(found.wanted)}."


def next_order(
    session: Session,
    scope: Scope,
    n: int,
    *,
    metric: str | None = None,
    among: Iterable[int] | None = None,
    seed: int = 0,
) -> NextOrder:
    """Draw the evaluations whose labels shrink the interval of a corrected mean fastest.

    Levels of the judge's score without labels come first, then the level whose next label takes
    most from the variance (Neyman); inside a level the draw is random.

    Args:
        session: The project.
        scope: Which evaluations, labels and scorer count.
        n: How many; fewer where fewer are unlabelled.
        metric: The metric that is to become surest; None the one that lacks most labels.
        among: Evaluations to draw from; None all in scope.
        seed: Of the draw.

    Raises:
        ReviewerError: The metric is unknown or has no auto scores, or nothing is left to label.
    """
    with figures.snapshot(session.project):
        covers = covered(session.project, scope)
        whole = figure_table.load(
            session.project,
            scope,
            rubric=covers.rubric,
            within=covers.within,
            options=kept_options(session.project, covers.rubric),
        )
    inside = np.ones(whole.keys.size, dtype=np.bool_)
    if among is not None:
        inside = np.isin(whole.keys, np.fromiter(among, dtype=np.int64))
    return _drawn(_only(_chosen(whole, metric, inside), inside), whole, n, seed)


def _only(table: MetricTable, inside: Flags) -> MetricTable:
    return replace(table, auto=np.where(inside, table.auto, np.nan))


def _chosen(whole: FigureTable, name: str | None, inside: Flags) -> MetricTable:
    if name is not None:
        if name not in whole.metrics:
            raise ReviewerError(
                f"The rubric {whole.rubric.name} has no metric {name!r}; it has: "
                f"{', '.join(whole.metrics)}."
            )
        return whole.metrics[name]
    open_to = [
        whole.metrics[one.name]
        for one in whole.rubric.metrics
        if one.is_labelled and one.is_numeric and whole.metrics[one.name].has_auto[inside].any()
    ]
    if not open_to:
        raise ReviewerError(f"Nothing can be drawn here: {NO_AUTO}.")
    return max(open_to, key=lambda one: _lack(_only(one, inside)))


def _lack(table: MetricTable) -> float:
    """Give how wide a metric's interval is against what is wanted; without labels widest."""
    found = _levels(table)
    if not any(one.n for one in found.strata):
        return math.inf
    total = sum(one.judged for one in found.strata)
    squares = sum(
        (one.judged / total * float(s)) ** 2 / max(one.n, 1)
        for one, s in zip(found.strata, found.spread, strict=True)
    )
    return math.sqrt(squares) / usual_half_width(table.metric)


def _drawn(table: MetricTable, whole: FigureTable, n: int, seed: int) -> NextOrder:
    metric = table.metric
    if not metric.is_numeric or not table.has_auto.any():
        raise ReviewerError(f"{metric.heading}: {NO_AUTO}.")
    open_to = table.has_auto & ~table.has_human
    if not open_to.any():
        raise ReviewerError(f"{metric.heading}: {NOTHING_LEFT}.")
    judged = np.flatnonzero(table.has_auto)
    places, _ = level_places(table.auto[judged], table.auto[judged])
    _, places = np.unique(places, return_inverse=True)
    found = _levels(table)
    strata = found.strata
    rng = np.random.default_rng(seed)
    waiting = [
        rng.permutation(judged[(places == at) & open_to[judged]]).tolist()
        for at in range(len(strata))
    ]
    # what has a label that counts nowhere cannot be drawn any more: its level is that much smaller
    closed = [replace(x, judged=x.n + len(some)) for x, some in zip(strata, waiting, strict=True)]
    spread = found.spread
    order = list(islice(next_strata(closed, spread), max(n, 0)))
    rows = np.array([waiting[at].pop() for at in order], dtype=np.int64)
    taken = np.bincount(order, minlength=len(strata)) if order else np.zeros(len(strata))
    share = taken / np.array([one.judged for one in strata])
    autos = table.auto[judged]
    plans = tuple(
        StratumPlan(
            level=_level(autos[places == at]),
            judged=one.judged,
            labelled=one.n,
            taken=int(taken[at]),
            spread=float(spread[at]),
        )
        for at, one in enumerate(strata)
    )
    return NextOrder(
        keys=whole.keys[rows],
        probabilities=share[np.array(order, dtype=np.int64)],
        reason=REASON,
        metric=metric.name,
        strata=plans,
        sentence=_order_sentence(metric, plans, wanted=n),
    )


def _level(autos: Floats) -> str:
    low, high = float(autos.min()), float(autos.max())
    return plain(low) if low == high else f"{plain(low)} – {plain(high)}"


def _order_sentence(metric: Metric, plans: Sequence[StratumPlan], *, wanted: int) -> str:
    taken = sum(one.taken for one in plans)
    parts = [f"{one.taken:,} where the judge gave {one.level}" for one in plans if one.taken]
    said = f"{counted(taken, 'evaluation')} drawn by {metric.heading}: {listed(parts)}."
    if taken < wanted:
        said += f" No more than {taken:,} are left to label."
    return said
