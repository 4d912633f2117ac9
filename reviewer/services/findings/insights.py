"""What the numbers say of a metric, in plain sentences: every topic of one metric or one alone.

    source = insights.read(session, scope, options=options)
    insights.of_metric(source, "accuracy").slices.sentence

Reading needs the project and may take a while; topics are computed from what was read.
"""

from functools import partial

from reviewer.domain.progress import Progress, heed
from reviewer.domain.scope import Scope
from reviewer.services.findings import insights_source
from reviewer.services.findings.insights_judge import (
    calibrated,
    labels_needed,
    pass_labels_needed,
    self_consistency,
)
from reviewer.services.findings.insights_people import consensus, labeler_drift
from reviewer.services.findings.insights_runs import from_golden, pass_change, run_change
from reviewer.services.findings.insights_slices import slices
from reviewer.services.findings.insights_source import Source
from reviewer.services.findings.insights_values import MetricInsights
from reviewer.services.project.session import Session
from reviewer.services.tallying.live_loading import held_back
from reviewer.stats.deviations import DeviationOptions


def read(
    session: Session,
    scope: Scope,
    *,
    options: DeviationOptions,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Source:
    """Read what insights need, without the answers that the labeler may not see figures of.

    Raises:
        ReviewerError: The scope names something that the project does not have.
        CancelledError: Nobody waits any more.
    """
    held = held_back(session.project, session.labeler.name) if session.blind else None
    return insights_source.read(
        session.project,
        scope,
        by=insights_source.By(options, held),
        level=level,
        go_on=partial(heed, progress),
    )


def of_metric(source: Source, name: str) -> MetricInsights:
    """Compute every topic of a metric of the scope's rubric."""
    table = source.table.metrics[name]
    return MetricInsights(
        metric=name,
        labels=labels_needed(source, table),
        pass_labels=pass_labels_needed(source),
        calibration=calibrated(source, table),
        consistency=self_consistency(source, table),
        change=run_change(source, name),
        pass_change=pass_change(source),
        golden=from_golden(source),
        drift=labeler_drift(source, table),
        consensus=consensus(source, table),
        slices=slices(source, table),
        bounds=table.metric.bounds,
    )
