"""Hold the figures of a scope, and its monitor, to limits: what `reviewer check` does."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.reports.operations import LatencyFigures
from reviewer.reports.targets import Target
from reviewer.services.checks import baseline
from reviewer.services.checks.check import (
    OVERALL,
    AgreementLimit,
    Check,
    Limits,
    State,
    held,
    held_by_interval,
    share_limit,
)
from reviewer.services.checks.ground import Ground, ground
from reviewer.services.figures.auto_columns import RunRecord
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.figures.statistics_document import record_json
from reviewer.services.monitoring import looking, status
from reviewer.services.project.session import Session
from reviewer.services.reporting import targets
from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import Interval, order_interval
from reviewer.stats.quantities import Quantity, known, mean_of
from reviewer.stats.reasons import NO_MARK, NO_RULE
from reviewer.store import evaluation_columns

NONE_YET = "no monitor has looked at this project yet; run `reviewer monitor` first"


def checks(session: Session, scope: Scope, limits: Limits) -> Iterator[Check]:
    """Hold the monitors' status to the one from which a release is stopped, a line each.

    A monitor holds where its status is better than the alarm, and fails without a verdict. A
    scope says which rubric by its runs, and nothing else.

    Nothing is sampled or scored; the status is that of the samples that are there, under the
    window and thresholds of the monitor.
    """
    alarm = limits.monitor
    if alarm is None:
        return
    keys = zip(session.run_names(), session.run_keys(), strict=True)
    wanted = {session.rubric_of_run(key).name for name, key in keys if name in scope.runs}
    found = [x for x in looking.all_shown(session) if not wanted or x.monitor.rubric in wanted]
    limit = f"better than {alarm}"
    if not found:
        yield Check(name="monitor", value=None, limit=limit, n=0, state="fails", reason=NONE_YET)
    for view in found:
        n = view.tally.total
        standing = f"{view.tally.words}: {view.tally.sentence}" if n else view.reason
        ok = n > 0 and not status.reaches(view.status, alarm)
        yield Check(
            name=f"monitor {view.monitor.rubric}",
            value=view.status if n else None,
            limit=limit,
            n=n,
            state="holds" if ok else "fails",
            reason=None if ok and not view.tally.status.uncertain else standing,
        )


NO_COST = "no record carries a cost"
NO_LATENCY = "no record carries a latency"


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """The checks in the order of the options, and whose scores they are made of, by metric."""

    checks: tuple[Check, ...]
    records: tuple[tuple[str, RunRecord], ...]

    @property
    def ok(self) -> bool:
        """Tell whether every check holds."""
        return all(check.ok for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """Give the document of `reviewer check --json`, without its schema."""
        return {
            "ok": self.ok,
            "checks": [check.to_json() for check in self.checks],
            "record": [record_json(name, one) for name, one in self.records],
        }


def run(session: Session, scope: Scope, limits: Limits) -> Checked:
    """Make every check that is asked for.

    Raises:
        ReviewerError: Nothing is asked for, a limit names something that is not there, or a pass
            rate is asked of a rubric without a pass rule.
    """
    if not limits.any:
        raise ReviewerError(
            "Nothing is asked for; name a limit, such as --min-pass-rate 0.8 or --targets."
        )
    share_limit("--min-pass-rate", limits.min_pass_rate)
    share_limit("--min-corrected-pass-rate", limits.min_corrected_pass_rate)
    share_limit("--min-coverage", limits.min_coverage)
    on = ground(session, scope, limits)
    found = tuple(_checks(session, scope, limits, on))
    if not found:
        raise ReviewerError("There is nothing in scope that these limits could be held to.")
    return Checked(found, on.document.records)


def _checks(session: Session, scope: Scope, limits: Limits, on: Ground) -> Iterator[Check]:
    labelled = [x.name for x in on.table.rubric.labelled_metrics if x.name in on.document.metrics]
    yield from _pass_rates(on, limits)
    if limits.min_coverage is not None and limits.only_coverage:
        yield from (_coverage(on, name, limits.min_coverage) for name in labelled)
    for limit in limits.min_agreement:
        yield from _agreement(on, labelled, limit, limits)
    if limits.max_gap is not None:
        for name in labelled:
            yield _gap(on.document.metrics[name], limits.max_gap, limits)
    if limits.min_labels is not None:
        for name in labelled:
            n = on.document.metrics[name].gaps.n_human
            yield held(f"min-labels {name}", Quantity(n, n), limits.min_labels)
    yield from (_score(on, *limit, limits) for limit in limits.min_score)
    if limits.targets or limits.max_avg_cost is not None or limits.max_latency:
        yield from _operations(session, on, limits)
    yield from baseline.checks(session, on.scope, limits)
    yield from checks(session, scope, limits)


def _pass_rates(on: Ground, limits: Limits) -> Iterator[Check]:
    """Hold the judge's rate as published, and the corrected one by its interval."""
    if limits.min_pass_rate is None and limits.min_corrected_pass_rate is None:
        return
    found = on.document.passing
    why = found.undefined.get("auto_rate")
    if why in (NO_RULE, NO_MARK):
        raise ReviewerError(f"There is no pass rate to check: {why}.")
    auto, people = (
        Quantity.of(rate, n, found.intervals.get(name), found.undefined.get(name))
        for name, rate, n in (
            ("auto_rate", found.auto_rate, found.n_auto),
            ("human_rate", found.human_rate, found.n_human),
        )
    )
    corrected = Quantity(
        found.corrected.mean,
        found.corrected.n,
        found.corrected.low,
        found.corrected.high,
        found.corrected.reason,
    )
    made = []
    if limits.min_pass_rate is not None:
        made.append(held("min-pass-rate", auto, limits.min_pass_rate, by_end=limits.lower))
    if limits.min_corrected_pass_rate is not None:
        least = limits.min_corrected_pass_rate
        made.append(held_by_interval("min-corrected-pass-rate", corrected, least))
    coverage, judges = on.coverage_of_verdicts(), on.judges_of_verdicts()
    for one in made:
        beside = replace(one, people=people, corrected=corrected, judge=judges)
        yield beside.covering(coverage, limits.coverage)


def _coverage(on: Ground, name: str, least: float) -> Check:
    n = int(np.count_nonzero(on.table.metrics[name].has_auto))
    share = on.coverage_of(name)
    found = held(f"min-coverage {name}", Quantity(share, n, reason="nothing is in scope"), least)
    return replace(found, coverage=share, judge=on.table.metrics[name].scorer or "")


def _agreement(
    on: Ground, labelled: list[str], limit: AgreementLimit, limits: Limits
) -> Iterator[Check]:
    for name in labelled if limit.metric is None else [limit.metric]:
        metric = _metric(on, name, "--min-agreement")
        block = metric.judge_human
        figure = Quantity.of(
            block[limit.statistic],
            block.n,
            block.intervals.get(limit.statistic),
            block.undefined.get(limit.statistic),
        )
        title = f"min-agreement {name} {limit.statistic}"
        found = held(title, figure, limit.least, by_end=limits.lower)
        yield replace(found, judge=metric.scorer or "")


def _gap(block: MetricBlock, most: float, limits: Limits) -> Check:
    gap, interval = block.gaps.deviations.gap_mean, block.gaps.intervals.get("gap_mean")
    figure = Quantity.of(
        None if gap is None else abs(gap),
        block.gaps.deviations.n_labelled,
        None if interval is None else _sizes(interval),
        block.gaps.undefined.get("gap_mean"),
    )
    found = held(f"max-gap {block.name}", figure, most, side="most", by_end=limits.upper)
    return replace(found, judge=block.scorer or "")


def _sizes(interval: Interval) -> Interval:
    """Give the interval of a size from that of a difference."""
    ends = sorted((abs(interval.low), abs(interval.high)))
    least = 0.0 if interval.low <= 0 <= interval.high else ends[0]
    return replace(interval, low=least, high=ends[1])


def _score(on: Ground, name: str, least: float, limits: Limits) -> Check:
    overall = name == OVERALL
    gaps = on.document.satisfaction if overall else _metric(on, name, "--min-score").gaps
    figure = Quantity.of(
        gaps.auto_mean,
        gaps.n_auto,
        gaps.intervals.get("auto_mean"),
        gaps.undefined.get("auto_mean"),
    )
    found = held(f"min-score {name}", figure, least, by_end=limits.lower)
    judge = on.judges_of_verdicts() if overall else on.table.metrics[name].scorer
    share = on.coverage_of_overall() if overall else on.coverage_of(name)
    return replace(found, judge=judge or "", coverage=share)


def _metric(on: Ground, name: str, option: str) -> MetricBlock:
    document = on.document
    if name not in document.metrics:
        raise ReviewerError(
            f"{option} {name}: the rubric {document.rubric} has no such metric in scope; there "
            f"are: {', '.join(document.metrics)}."
        )
    return document.metrics[name]


def _operations(session: Session, on: Ground, limits: Limits) -> Iterator[Check]:
    made = targets.of_table(session.project, on.covers, on.table)
    performed = made.operations
    if limits.targets:
        if not made.targets:
            raise ReviewerError(f"The rubric {made.rubric} has no [targets] to check.")
        yield from map(_target, made.targets)
    columns = evaluation_columns.read_performance(session.project, on.covers.within)
    costs, latencies = (
        np.frombuffer(x, dtype=np.float64) for x in (columns.costs, columns.latencies)
    )
    if limits.max_avg_cost is not None:
        cost = replace(mean_of(costs), reason=NO_COST)
        yield held("max-avg-cost", cost, limits.max_avg_cost, side="most", by_end=limits.upper)
    for name, most in limits.max_latency:
        figure = replace(_latency(latencies, performed.latency, name), reason=NO_LATENCY)
        yield held(f"max-latency {name}", figure, most, side="most", by_end=limits.upper)


def _latency(column: Floats, figures: LatencyFigures, name: str) -> Quantity:
    found = {
        "p50": (figures.p50, 0.5),
        "p95": (figures.p95, 0.95),
        "p99": (figures.p99, 0.99),
    }.get(name)
    if found is None:
        return mean_of(column)
    value, share = found
    return Quantity.of(value, figures.n, order_interval(known(column), share))


def _target(target: Target) -> Check:
    reasons = {
        "met": None,
        "missed": f"the target {target.target} is missed",
        "too few": "too few cases carry the figure",
    }
    states: dict[str, State] = {"met": "holds", "missed": "fails", "too few": "cannot_be_said"}
    return Check(
        name=f"target {target.name}",
        value=target.value,
        limit=target.target,
        n=target.n,
        state=states[target.result],
        low=target.low,
        high=target.high,
        reason=reasons[target.result],
    )
