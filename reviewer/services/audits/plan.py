"""What the Plan section of the Audit page reads: labels still worth asking for, and from where."""

from dataclasses import dataclass

from reviewer.domain.errors import ReviewerError
from reviewer.domain.progress import Progress, heed
from reviewer.services.audits import budget, people
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.budget import HALF_WIDTH, Budget, NextOrder
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Ints
from reviewer.services.findings.insights_judge import calibrated, pass_labels_needed
from reviewer.services.findings.insights_values import Calibrated, LabelsNeeded
from reviewer.services.project.session import Session


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
    """Labels that metrics still take, what to label next, and what a score of the judge means.

    Attributes:
        order: What to label next on the metric; None with a reason.
        table: The metric's columns, beside the keys of the evaluations.
        calibrated: Which of them the calibration is made of.
    """

    metric: str
    wishes: Wishes
    budgets: tuple[Budget, ...]
    passing: LabelsNeeded
    order: NextOrder | None
    reason: str | None
    calibration: Calibrated
    table: MetricTable
    keys: Ints
    calibrated: Flags


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
    table = source.table.metrics[metric]
    return PlanFigures(
        metric=metric,
        wishes=wishes,
        budgets=made,
        passing=pass_labels_needed(source),
        order=order,
        reason=reason,
        calibration=calibrated(source, table),
        table=table,
        keys=source.table.keys,
        calibrated=source.both(table),
    )
