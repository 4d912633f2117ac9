"""What people said in the scope of the Audit page: each with the others, and with all the rest."""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.progress import Progress, heed
from reviewer.domain.wording import counted, percent, two, upper_first
from reviewer.services.audits import anchoring, ceiling, gold
from reviewer.services.audits.anchoring import Anchoring
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.ceiling import Ceiling
from reviewer.services.audits.gold import Gold
from reviewer.services.audits.reconsidered import Reconsidered, reconsidered
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Ints
from reviewer.services.findings import insights_source
from reviewer.services.findings.insights_people import consensus, labeler_drift
from reviewer.services.findings.insights_source import Source
from reviewer.services.findings.insights_values import Consented, LabelerDrift
from reviewer.services.project.figure_rules import scale_of
from reviewer.services.project.session import Session
from reviewer.services.tallying.live_loading import held_back
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.ceiling import Name, Reach, reach, units_of
from reviewer.stats.intervals import IntervalPolicy

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
    order = np.argsort(rows.places, kind="stable")
    ordered = rows.at(order)
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
class PeopleFigures:
    """Everything that the Audit page says of people on one metric.

    Attributes:
        labelled: By name, the evaluations that each person labelled.
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


def read(session: Session, audit: Audit) -> Source:
    """Read everybody's labels beside the page's columns; call it beside the window.

    The labeler's own answers on hidden evaluations are left out while they are blind.

    Raises:
        ReviewerError: The scope names a labeler that the project does not have any more.
    """
    held = held_back(session.project, session.labeler.name) if session.blind else None
    request = audit.request
    return insights_source.people_of(
        session.project, request.scope, audit.frame.table, held=held, level=request.level
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
    reached = ceiling.ceiling(source, table)
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
    )


def _labelled(source: Source, metric: str) -> dict[str, Ints]:
    rows = source.labels[metric]
    found = {
        name: source.table.keys[rows.places[rows.labelers == key]]
        for key, name in source.table.labelers.items()
    }
    return {name: keys for name, keys in sorted(found.items()) if keys.size}
