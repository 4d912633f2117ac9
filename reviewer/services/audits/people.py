"""What people said in the scope of the Audit page, and how they compare with each other."""

from dataclasses import dataclass

from reviewer.domain.progress import Progress, heed
from reviewer.services.audits import anchoring, ceiling, gold, rest
from reviewer.services.audits.anchoring import Anchoring
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.ceiling import Ceiling
from reviewer.services.audits.gold import Gold
from reviewer.services.audits.reconsidered import Reconsidered, reconsidered
from reviewer.services.audits.rest import WithRest
from reviewer.services.figures.human_columns import Ints
from reviewer.services.findings import insights_source
from reviewer.services.findings.insights_people import consensus, labeler_drift
from reviewer.services.findings.insights_source import Source
from reviewer.services.findings.insights_values import Consented, LabelerDrift
from reviewer.services.project.session import Session
from reviewer.services.tallying.live_loading import held_back


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
    others = rest.with_rest(source, table)
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
