"""Hold the figures of a scope to limits: what `reviewer check` does."""

from collections.abc import Iterator
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.scoring.summaries.guest_targets import Target
from reviewer.services.checks import baseline, monitor
from reviewer.services.checks.check import Check, held
from reviewer.services.checks.limits import OVERALL, AgreementLimit, Limits
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.figures.statistics_pass import NO_MARK, NO_RULE
from reviewer.services.project.session import Session
from reviewer.services.reporting import targets
from reviewer.services.reporting.targets import Performed

NO_COST = "no record carries a cost"
NO_LATENCY = "no record carries a latency"


def run(session: Session, scope: Scope, limits: Limits) -> list[Check]:
    """Make every check that is asked for, in the order of the options.

    Raises:
        ReviewerError: Nothing is asked for, a limit names something that is not there, or a pass
            rate is asked of a rubric without a pass rule.
    """
    if not limits.any:
        raise ReviewerError(
            "Nothing is asked for; name a limit, such as --min-pass-rate 0.8 or --targets."
        )
    found = list(_checks(session, scope, limits))
    if not found:
        raise ReviewerError("There is nothing in scope that these limits could be held to.")
    return found


def _checks(session: Session, scope: Scope, limits: Limits) -> Iterator[Check]:
    found = statistics.compute(session.project, StatsRequest(scope=scope))
    labelled = _labelled(session, found)
    if limits.min_pass_rate is not None:
        yield _pass_rate(found, limits.min_pass_rate)
    for limit in limits.min_agreement:
        yield from _agreement(found, labelled, limit)
    if limits.max_gap is not None:
        yield from (_gap(found.metrics[name], limits.max_gap) for name in labelled)
    if limits.min_labels is not None:
        for name in labelled:
            n = found.metrics[name].gaps.n_human
            yield held(f"min-labels {name}", n, limits.min_labels, n=n)
    yield from (_score(found, *limit) for limit in limits.min_score)
    if limits.targets or limits.max_avg_cost is not None or limits.max_latency:
        yield from _operations(targets.of_scope(session.project, scope), limits)
    yield from baseline.checks(session, scope, limits)
    yield from monitor.checks(session, scope, limits)


def _labelled(session: Session, found: StatsDocument) -> list[str]:
    known = {x.name for x in session.rubric(found.rubric).labelled_metrics}
    return [name for name in found.metrics if name in known]


def _pass_rate(found: StatsDocument, least: float) -> Check:
    if not 0 <= least <= 1:
        raise ReviewerError(f"--min-pass-rate {least:g}: a share from 0 to 1 is expected.")
    why = found.passing.undefined.get("auto_rate")
    if why in (NO_RULE, NO_MARK):
        raise ReviewerError(f"There is no pass rate to check: {why}.")
    return held(
        "min-pass-rate",
        found.passing.auto_rate,
        least,
        n=found.passing.n_auto,
        undefined=why,
    )


def _agreement(
    found: StatsDocument, labelled: list[str], limit: AgreementLimit
) -> Iterator[Check]:
    for name in labelled if limit.metric is None else [limit.metric]:
        block = _metric(found, name, "--min-agreement").judge_human
        yield held(
            f"min-agreement {name} {limit.statistic}",
            getattr(block, limit.statistic),
            limit.least,
            n=block.n,
            undefined=block.undefined.get(limit.statistic),
        )


def _gap(block: MetricBlock, most: float) -> Check:
    gap = block.gaps.deviations.gap_mean
    return held(
        f"max-gap {block.name}",
        None if gap is None else abs(gap),
        most,
        n=block.gaps.deviations.n_labelled,
        side="most",
        undefined=block.gaps.undefined.get("gap_mean"),
    )


def _score(found: StatsDocument, name: str, least: float) -> Check:
    gaps = found.satisfaction if name == OVERALL else _metric(found, name, "--min-score").gaps
    return held(
        f"min-score {name}",
        gaps.auto_mean,
        least,
        n=gaps.n_auto,
        undefined=gaps.undefined.get("auto_mean"),
    )


def _metric(found: StatsDocument, name: str, option: str) -> MetricBlock:
    if name not in found.metrics:
        raise ReviewerError(
            f"{option} {name}: the rubric {found.rubric} has no such metric in scope; there are: "
            f"{', '.join(found.metrics)}."
        )
    return found.metrics[name]


def _operations(made: Performed, limits: Limits) -> Iterator[Check]:
    performed = made.operations
    if limits.targets:
        if not made.targets:
            raise ReviewerError(f"The rubric {made.rubric} has no [targets] to check.")
        yield from map(_target, made.targets)
    if limits.max_avg_cost is not None:
        yield held(
            "max-avg-cost",
            performed.average_cost,
            limits.max_avg_cost,
            n=performed.n_cost,
            side="most",
            undefined=NO_COST,
        )
    for name, most in limits.max_latency:
        value: Any = getattr(performed.latency, name)
        yield held(
            f"max-latency {name}",
            value,
            most,
            n=performed.latency.n,
            side="most",
            undefined=NO_LATENCY,
        )


def _target(target: Target) -> Check:
    reasons = {
        "met": None,
        "missed": f"the target {target.wanted} is missed",
        "too few": "too few cases carry the figure",
    }
    return Check(
        name=f"target {target.name}",
        value=target.value,
        limit=target.wanted,
        n=target.n,
        ok=target.result == "met",
        reason=reasons[target.result],
    )
