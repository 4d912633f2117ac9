"""What people said in the scope of the Audit page: each with the others, and with all the rest.

How well people agree with each other is what a judge can reach with them.
"""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.errors import Progress, heed
from reviewer.domain.wording import (
    counted,
    in_percent,
    level_percent,
    percent,
    two,
    upper_first,
)
from reviewer.services.audits import anchoring, gold
from reviewer.services.audits.anchoring import Anchoring, Reconsidered, reconsidered
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.gold import Gold
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.column_memory import held_now
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.statistics_trust import (
    CEILING_RESAMPLES,
    Shared,
    judged_units,
    names_of,
    shared,
)
from reviewer.services.findings import insights_source
from reviewer.services.findings.insights_people import consensus, labeler_drift
from reviewer.services.findings.insights_source import LabelRows, Source, numbered
from reviewer.services.findings.insights_values import Consented, LabelerDrift, Topic
from reviewer.services.project.figure_rules import scale_of
from reviewer.services.project.session import Session
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.ceiling import NO_BOUND, NO_UNITS, Name, Reach, reach, units_of
from reviewer.stats.intervals import Interval, IntervalPolicy

NOBODY = "nobody has labelled this here yet"
ONE_LABELER = "only one person has labelled: there is nobody to compare with"
NO_AUTO = "the judge scored none of the evaluations that two people labelled"


@dataclass(frozen=True, slots=True)
class OwnRepeats:
    """How one person agrees with their own earlier labels."""

    labeler: str
    figures: tuple[Reach, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling(Topic):
    """People among themselves and with the judge, on the same evaluations.

    Attributes:
        figures: By statistic, the one of the sentence first.
        keys: The evaluations behind them.
        repeats: Everybody who labelled something twice, by name.
    """

    figures: tuple[Reach, ...] = ()
    keys: Ints
    repeats: tuple[OwnRepeats, ...] = ()


def ceiling(source: Source, table: MetricTable) -> Ceiling:
    """Compare people with each other and with the judge on one metric."""
    rows = source.labels[table.metric.name]
    found = shared(rows.places, rows.values)
    units, places = judged_units(table, found)
    policy = IntervalPolicy(level=source.level, resamples=CEILING_RESAMPLES)
    clusters = source.table.clusters
    figures = tuple(
        reach(units, name, policy, None if clusters is None else clusters[places])
        for name in names_of(units)
    )
    reason = _reason(rows, found, figures)
    return Ceiling(
        sentence=upper_first(reason) if reason else _sentence(figures[0], source.level),
        reason=reason,
        figures=figures,
        keys=source.table.keys[places],
        repeats=_repeats(source, table, policy),
    )


def _reason(rows: LabelRows, found: Shared, figures: tuple[Reach, ...]) -> str | None:
    if not rows.labelers.size:
        return NOBODY
    if np.unique(rows.labelers).size < 2:
        return ONE_LABELER
    if found.places.size and not figures[0].n:
        return NO_AUTO
    if not found.places.size:
        return NO_UNITS
    return figures[0].undefined.get("share")


def _repeats(source: Source, table: MetricTable, policy: IntervalPolicy) -> tuple[OwnRepeats, ...]:
    made = []
    for name, groups in sorted(source.relabelled.get(table.metric.name, {}).items()):
        values = [np.array(group) for group in numbered(table.metric, groups)]
        units = units_of(values, None, scale_of(table.metric))
        if len(units.sums):
            figures = tuple(reach(units, one, policy) for one in names_of(units))
            made.append(OwnRepeats(name, figures))
    return tuple(made)


def _sentence(found: Reach, level: float) -> str:
    title = FIGURES[found.name].sign
    people, judge, share = found.people or 0.0, found.judge or 0.0, found.share or 0.0
    interval = found.intervals.get("share")
    around = "" if interval is None else f" ({level_percent(level)} {_ends(interval)})"
    said = (
        f"On {counted(found.n, 'evaluation')} that two people or more labelled, people agree "
        f"with each other at {title} {two(people)} and with the judge at {two(judge)}: "
    )
    if is_boundless(found):
        return f"{said}what share the judge reaches cannot be told, as {NO_BOUND}."
    said += f"the judge reaches {percent_of(share)} of what people reach{around}"
    return f"{said}{_verdict(interval)}."


def _verdict(interval: Interval | None) -> str:
    if interval is None:
        return ""
    if interval.high < 1:
        return ", less than one more person would"
    if interval.low > 1:
        return ", more than one more person would"
    return ", which may be as much as one more person would"


def _ends(interval: Interval) -> str:
    return f"{percent_of(interval.low)} to {percent_of(interval.high)}"


def percent_of(share: float) -> str:
    """Write a share that may be negative or above 1."""
    return percent(share) if 0 <= share <= 1 else in_percent(share, 0)


def is_boundless(found: Reach) -> bool:
    """Tell whether people agree so little that the share says nothing."""
    return found.undefined.get("interval") == NO_BOUND


def ceiling_told(found: Reach, level: float) -> str:
    """Say one statistic in a sentence that stands alone."""
    if found.share is None:
        return f"{upper_first(FIGURES[found.name].sign)[:-1]}: {found.undefined['share']}."
    return _sentence(found, level)


def ceiling_steps(found: Reach) -> tuple[Step, ...]:
    """Explain a statistic with its numbers."""
    drawn = "one label, drawn at random, beside"
    parts = [
        Step(
            "People among themselves",
            f"{FIGURES[found.name].sign} of {drawn} another person's on the same evaluation = "
            f"{_number(found.people)} ({counted(found.labels, 'label')} on "
            f"{counted(found.n, 'evaluation')}; every evaluation counts alike).",
        ),
        Step(
            "People and judge",
            f"{FIGURES[found.name].sign} of {drawn} the judge's score on the same evaluations = "
            f"{_number(found.judge)}.",
        ),
    ]
    if found.share is None:
        return (*parts, Step("Reached", upper_first(found.undefined["share"])))
    interval = found.intervals.get("share")
    around = f"{_ends(interval)}, from drawing evaluations again" if interval else "no interval"
    return (
        *parts,
        Step(
            "Reached",
            f"{_number(found.judge)} / {_number(found.people)} = {percent_of(found.share)} "
            f"({around}).",
        ),
    )


def _number(value: float | None) -> str:
    return "—" if value is None else two(value)


MOST = 20
"""People of a metric up to whom intervals are resampled; of more, each has figures only."""
ALONE = "nobody else labelled these"
RESAMPLES = 400


@dataclass(frozen=True, slots=True, eq=False)
class WithRest:
    """One person's labels beside everybody else's on the same evaluations.

    Attributes:
        figures: By statistic, the usual one first; the person stands in the judge's place.
        keys: The evaluations that somebody else labelled too.
    """

    labeler: str
    figures: tuple[Reach, ...]
    keys: Ints

    @property
    def usual(self) -> Reach:
        """Give the usual statistic."""
        return self.figures[0]


def with_rest(source: Source, table: MetricTable) -> tuple[WithRest, ...]:
    """Hold every labeler of a metric to the others, by name; a label of theirs drawn at random."""
    rows = source.labels[table.metric.name]
    people = np.unique(rows.labelers).tolist()
    crowded = len(people) > MOST
    policy = None if crowded else IntervalPolicy(level=source.level, resamples=RESAMPLES)
    ordered = rows.at(np.argsort(rows.places, kind="stable"))
    there, starts = np.unique(ordered.places, return_index=True)
    values = np.split(ordered.values, starts[1:])
    who = np.split(ordered.labelers, starts[1:])
    made = []
    for key in people:
        mine = np.flatnonzero([bool((some == key).any()) and some.size > 1 for some in who])
        own = np.array([float(values[at][who[at] == key][0]) for at in mine.tolist()])
        others = [values[at][who[at] != key] for at in mine.tolist()]
        units = units_of(others, own, scale_of(table.metric), least=1)
        clusters = source.table.clusters
        shared = None if clusters is None else clusters[there[mine]]
        figures = tuple(reach(units, name, policy, shared) for name in _names(table))
        made.append(WithRest(source.table.labelers[key], figures, source.table.keys[there[mine]]))
    return tuple(sorted(made, key=lambda one: one.labeler))


def _names(table: MetricTable) -> tuple[Name, ...]:
    if not table.metric.is_numeric:
        return ("kappa", "percent")
    return ("kappa_quadratic", "percent")


def told(found: WithRest) -> str:
    """Say one person's agreement in a sentence that stands alone."""
    usual = found.usual
    if usual.judge is None:
        return f"{found.labeler}: {reason(usual)}."
    interval = usual.intervals.get("judge")
    around = "" if interval is None else f", 95 % {two(interval.low)} to {two(interval.high)}"
    same = next((x.judge for x in found.figures if x.name == "percent"), None)
    often = "" if same is None else f" and gives the same answer in {percent(same)}"
    return (
        f"{found.labeler} agrees with the other labelers at {FIGURES[usual.name].sign} "
        f"{two(usual.judge)} ({counted(usual.n, 'evaluation')}{around}){often}."
    )


def reason(found: Reach) -> str:
    """Say why a person has no figure."""
    return found.undefined.get("judge", ALONE) if found.n else ALONE


def steps(found: WithRest) -> tuple[Step, ...]:
    """Explain one person's agreement with the rest."""
    return tuple(
        Step(
            upper_first(FIGURES[one.name].sign)[:-1],
            f"Their label beside another person's, drawn at random, on {one.n:,} evaluations: "
            f"{'—' if one.judge is None else two(one.judge)}; every evaluation counts alike.",
        )
        for one in found.figures
    )


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """How often one person's label on a metric is that of another one on the same evaluation.

    Attributes:
        share: Every evaluation counts alike.
        keys: The evaluations that somebody else labelled too.
    """

    labeler: str
    metric: str
    share: float
    keys: Ints


def alike_by_metric(source: Source) -> tuple[Alike, ...]:
    """Hold everybody to the others on every metric, by name and in the rubric's order.

    Only pairs of person and metric with something in common; the share is the one of `with_rest`.
    """
    found = []
    for metric, rows in source.labels.items():
        if not rows.places.size:
            continue
        values = np.unique(np.round(rows.values, 9), return_inverse=True)[1]
        of_place = np.bincount(rows.places)
        _, at, of_value = np.unique(
            np.stack([rows.places, values]), axis=1, return_inverse=True, return_counts=True
        )
        others = of_place[rows.places] - 1
        equal = (of_value[at.ravel()] - 1) / np.maximum(others, 1)
        # a crowd has thousands of people: each label is looked at once
        order = np.lexsort((rows.places, rows.labelers))
        order = order[others[order] > 0]
        if not order.size:
            continue
        people, starts = np.unique(rows.labelers[order], return_index=True)
        for key, mine in zip(people.tolist(), np.split(order, starts[1:]), strict=True):
            keys = source.table.keys[rows.places[mine]]
            share = float(equal[mine].mean())
            found.append(Alike(source.table.labelers[key], metric, share, keys))
    return tuple(sorted(found, key=lambda one: one.labeler))


@dataclass(frozen=True, slots=True, eq=False)
class PeopleFigures:
    """Everything that the Audit page says of people on one metric.

    Attributes:
        labelled: By name, the evaluations that each person labelled.
        alike: Everybody on every metric, not only this one.
    """

    metric: str
    level: float
    labelled: dict[str, Ints]
    ceiling: Ceiling
    rest: tuple[WithRest, ...]
    anchoring: Anchoring
    consensus: Consented
    drift: LabelerDrift
    gold: Gold
    reconsidered: Reconsidered | None = None
    alike: tuple[Alike, ...] = ()


def read(session: Session, audit: Audit) -> Source:
    """Read everybody's labels beside the page's columns; call it beside the window.

    The labeler's own answers on hidden evaluations are left out while they are blind.

    Raises:
        ReviewerError: The scope names a labeler that the project does not have any more.
    """
    request = audit.request
    return insights_source.people_of(
        session.project,
        request.scope,
        audit.frame.table,
        held=held_now(session),
        level=request.level,
    )


def figures(
    session: Session, audit: Audit, metric: str, progress: Progress | None = None
) -> PeopleFigures:
    """Compare people with each other and with the judge; call it beside the window.

    Raises:
        ReviewerError: The scope names a labeler that the project does not have any more.
        CancelledError: Nobody waits for it any more.
    """
    source = read(session, audit)
    table = source.table.metrics[metric]
    heed(progress)
    reached = ceiling(source, table)
    heed(progress)
    anchored = anchoring.anchoring(source, table)
    heed(progress)
    others = with_rest(source, table)
    heed(progress)
    return PeopleFigures(
        metric=metric,
        level=source.level,
        labelled=_labelled(source, metric),
        ceiling=reached,
        rest=others,
        anchoring=anchored,
        consensus=consensus(source, table),
        drift=labeler_drift(source, table),
        gold=gold.gold(session, source, metric),
        reconsidered=reconsidered(session, source, table),
        alike=alike_by_metric(source),
    )


def _labelled(source: Source, metric: str) -> dict[str, Ints]:
    rows = source.labels[metric]
    found = {
        name: source.table.keys[rows.places[rows.labelers == key]]
        for key, name in source.table.labelers.items()
    }
    return {name: keys for name, keys in sorted(found.items()) if keys.size}
