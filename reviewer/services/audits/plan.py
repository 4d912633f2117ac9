"""What the Plan section reads and says: labels still worth asking for, and from where."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from reviewer.domain.errors import Progress, ReviewerError, heed
from reviewer.domain.wording import numeral
from reviewer.services.audits import budget, people
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.budget import HALF_WIDTH, Budget, NextOrder
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.human_scores import Choice
from reviewer.services.figures.statistics_corrected import best_ways
from reviewer.services.findings.insights_judge import pass_labels_needed
from reviewer.services.findings.insights_values import LabelsNeeded
from reviewer.services.project.session import Session
from reviewer.stats.coefficients import moments
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.stats.planning import labels_needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the lead sets.

    Attributes:
        mean: Half-width wanted of corrected means; None the usual one of each metric.
        kappa: Half-width wanted of kappa.
        n: How many evaluations to draw next.
        seed: Of that draw.
    """

    mean: float | None = None
    kappa: float = HALF_WIDTH
    n: int = 50
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class PlanFigures:
    """Labels that metrics still take, and what to label next.

    Attributes:
        order: What to label next on the metric; None with a reason.
        table: The metric's columns.
    """

    metric: str
    wishes: Wishes
    budgets: tuple[Budget, ...]
    passing: LabelsNeeded
    order: NextOrder | None
    reason: str | None
    table: MetricTable


def figures(
    session: Session, audit: Audit, metric: str, wishes: Wishes, progress: Progress | None = None
) -> PlanFigures:
    """Work out the plan of a scope; call it beside the window.

    Raises:
        ReviewerError: The scope names something that the project does not have any more.
        CancelledError: Nobody waits for it any more.
    """
    source = people.read(session, audit)
    heed(progress)
    made = budget.budgets(source, mean=wishes.mean, kappa=wishes.kappa)
    heed(progress)
    order, reason = None, None
    try:
        order = budget.next_order(
            session, audit.request.scope, wishes.n, metric=metric, seed=wishes.seed
        )
    except ReviewerError as error:
        reason = str(error)
    return PlanFigures(
        metric=metric,
        wishes=wishes,
        budgets=made,
        passing=pass_labels_needed(source),
        order=order,
        reason=reason,
        table=source.table.metrics[metric],
    )


FORMULA = "n = (1 − ρ²) σ² / (h² / z² − ρ² σ² / N)"


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """The labels that a plan counts, and of how many judged evaluations they are."""

    keys: Ints
    auto: Floats
    human: Floats
    n_all: int


def planned_metric(whole: FigureTable, table: MetricTable) -> Planned:
    """Give the labels behind the plan of a metric's corrected mean."""
    human = table.whole
    both = table.has_auto & np.isfinite(human.score)
    kept = _drawn(both, human.chosen > Choice.UNKNOWN, table.has_auto)
    return Planned(
        whole.keys[kept],
        table.auto[kept],
        human.score[kept],
        int(np.count_nonzero(table.has_auto)),
    )


def planned_verdicts(whole: FigureTable) -> Planned:
    """Give the labels behind the plan of the pass rate."""
    auto, human = whole.auto_verdicts(), whole.human_verdicts()
    ways = best_ways([whole.metrics[part.name].human for part in whole.verdict_rule.parts])
    judged = np.asarray(auto != OPEN)
    kept = _drawn(judged & (human != OPEN), ways.chosen > Choice.UNKNOWN, judged)
    sides = [(x[kept] == PASS).astype(np.float64) for x in (auto, human)]
    return Planned(whole.keys[kept], sides[0], sides[1], int(np.count_nonzero(judged)))


def _drawn(both: Flags, drawn: Flags, judged: Flags) -> Flags:
    """Give what was drawn; where everything judged is labelled, how is of no account."""
    return both if np.array_equal(both, judged) else both & drawn


def needed_step(title: str, found: LabelsNeeded, counted: Planned, level: float) -> Step | None:
    """Explain the labels at random that a width takes; None without a plan."""
    plan = found.plan
    if plan is None or found.reason is not None:
        return None
    many = "no number of labels" if plan.needed is None else f"{plan.needed:,} labels in all"
    text = (
        f"{many} for ±{numeral(plan.half_width)}; {found.n:,} are there. Judge and people "
        f"correlate at {numeral(plan.correlation)}. {FORMULA}"
    )
    return Step(title, text, _filled(found, counted, level))


def _filled(found: LabelsNeeded, counted: Planned, level: float) -> str:
    plan, of = found.plan, moments(counted.auto, counted.human)
    if plan is None or of.n < 2:
        return ""
    sd, z = math.sqrt(of.s_human / (of.n - 1)), NormalDist().inv_cdf(0.5 + level / 2)
    # only its square counts, which a sign before it would hide
    rho, h, n_all = abs(plan.correlation), plan.half_width, counted.n_all
    room = f"{numeral(h)}² / {numeral(z)}² − {numeral(rho)}² × {numeral(sd)}² / {n_all:,}"
    exact = labels_needed(
        sd=sd, correlation=rho, half_width=h, n_all=n_all, target="future", level=level
    )
    # labels that share conversations are worth less than the formula says
    whole = None if exact is None else min(math.ceil(round(exact, 9)), n_all)
    if whole != plan.needed:
        return ""
    if exact is None:
        return f"(1 − {numeral(rho)}²) × {numeral(sd)}² / ({room}): more than {n_all:,}"
    return f"(1 − {numeral(rho)}²) × {numeral(sd)}² / ({room}) = {numeral(exact)}"
