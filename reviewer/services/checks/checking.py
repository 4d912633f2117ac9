"""Hold the figures of a scope, its monitor and an earlier run to limits, for `reviewer check`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from msgspec.structs import replace as narrowed

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.reports.targets import Target, TargetResult
from reviewer.services.checks import words
from reviewer.services.checks.check import (
    ALTERNATIVE,
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
from reviewer.services.checks.words import Subject, subject
from reviewer.services.comparing.comparison import RunColumns
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.request import Covered, covered
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.figures.statistics_document import record_json, trust_json
from reviewer.services.monitoring import looking, regressions, run_columns, trending, view
from reviewer.services.monitoring.regressions import COST, P95, PASSING
from reviewer.services.monitoring.trending import RunPoint, Step
from reviewer.services.project.session import Session
from reviewer.services.reporting import cases
from reviewer.stats.clustering import Quantity, known, mean_of
from reviewer.stats.intervals import INTERVALS_FROM, Interval, order_interval
from reviewer.stats.reasons import NO_MARK, NO_RULE
from reviewer.stats.regression import LIMIT, Change

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
    for shown in found:
        n = shown.tally.total
        standing = f"{shown.tally.words}: {shown.tally.sentence}" if n else shown.reason
        # what was scored in two ways is an alarm about neither
        standing = ". ".join((standing, *(x.removesuffix(".") for x in shown.stale)))
        ok = n > 0 and not view.reaches(shown.status, alarm)
        yield Check(
            name=f"monitor {shown.monitor.rubric}",
            value=shown.status if n else None,
            limit=limit,
            n=n,
            state="holds" if ok else "fails",
            reason=None if ok and not shown.tally.status.uncertain else standing,
        )


NO_COST = "no record carries a cost"
NO_LATENCY = "no record carries a latency"


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """The checks in the order of the options, and what they are of."""

    checks: tuple[Check, ...]
    subject: Subject

    @property
    def ok(self) -> bool:
        """Tell whether every check holds."""
        return all(check.ok for check in self.checks)

    @property
    def sentence(self) -> str:
        """Say all of it as it goes into a ticket."""
        return words.ticket(self.checks, self.subject)

    def to_json(self) -> dict[str, Any]:
        """Give the document of `reviewer check --json`, without its schema."""
        return {
            "ok": self.ok,
            "checks": [check.to_json() for check in self.checks],
            "record": [record_json(name, one) for name, one in self.subject.records],
            "sentence": self.sentence,
            "trust": {
                "headline": self.subject.headline,
                "metrics": {x.name: trust_json(x) for x in self.subject.metrics},
            },
        }


def run(session: Session, scope: Scope, limits: Limits) -> Checked:
    """Make every check that is asked for.

    Raises:
        ReviewerError: Nothing is asked for, a limit names something that is not there, or a pass
            rate is asked of a rubric without a pass rule.
    """
    if not limits.asked:
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
    return Checked(found, subject(on))


def _checks(session: Session, scope: Scope, limits: Limits, on: Ground) -> Iterator[Check]:
    labelled = [x.name for x in on.table.rubric.labelled_metrics if x.name in on.document.metrics]
    yield from _pass_rates(on, limits)
    # beside other limits it binds these
    if limits.min_coverage is not None and limits.asked == ["min_coverage"]:
        yield from (_coverage(on, name, limits.min_coverage) for name in labelled)
    for limit in limits.min_agreement:
        yield from _agreement(on, labelled, limit, limits)
    if limits.max_gap is not None:
        for name in labelled:
            gap = _gap(on.document.metrics[name], limits.max_gap, limits)
            yield on.bound(gap, name, limits)
    if limits.min_labels is not None:
        for name in labelled:
            n = on.document.metrics[name].gaps.n_human
            yield held(f"min-labels {name}", Quantity(n, n), limits.min_labels)
    yield from (_score(on, *limit, limits) for limit in limits.min_score)
    if limits.targets or limits.max_avg_cost is not None or limits.max_latency:
        yield from _operations(session, on, limits)
    yield from baseline_checks(session, on.scope, limits)
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
    coverage, judges = on.coverage_of_parts(on.table.verdict_rule), on.judges_of_verdicts()
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
        title = f"min-agreement {name} {limit.statistic}"
        figure, note = _agreeing(metric, limit.statistic)
        found = held(title, figure, limit.least, by_end=limits.lower)
        reason = "; ".join(filter(None, (found.reason, note))) or None
        found = replace(found, judge=metric.scorer or "", reason=reason)
        yield on.bound(found, name, limits)


def _agreeing(metric: MetricBlock, statistic: str) -> tuple[Quantity, str | None]:
    """Give a figure of judge and people by its name, and what to know before relying on it."""
    if statistic in ALTERNATIVE:
        test = metric.trust.alternative
        value = test.omega if statistic == "alt_omega" else test.rho
        # of so many labelers, which is no sample that an interval could be drawn around
        return Quantity(value, len(test.held), reason=test.reason), test.note
    block = metric.judge_human
    figure = Quantity.of(
        block[statistic],
        block.n,
        block.intervals.get(statistic),
        block.undefined.get(statistic),
    )
    return figure, None


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
    share = on.coverage_of_parts(on.table.overall_rule) if overall else on.coverage_of(name)
    found = replace(found, judge=judge or "", coverage=share)
    return on.bound(found, on.table.overall_rule if overall else name, limits)


def _metric(on: Ground, name: str, option: str) -> MetricBlock:
    document = on.document
    if name not in document.metrics:
        raise ReviewerError(
            f"{option} {name}: the rubric {document.rubric} has no such metric in scope; there "
            f"are: {', '.join(document.metrics)}."
        )
    return document.metrics[name]


def _operations(session: Session, on: Ground, limits: Limits) -> Iterator[Check]:
    made = cases.of_table(session.project, on.covers, on.table)
    columns = made.columns
    if limits.targets:
        if not made.targets:
            raise ReviewerError(f"The rubric {made.rubric} has no [targets] to check.")
        rules = {"pass_rate": on.table.verdict_rule, OVERALL: on.table.overall_rule}
        for target in made.targets:
            yield on.bound(_target(target), rules.get(target.name, target.name), limits)
    if limits.max_avg_cost is not None:
        cost = replace(mean_of(columns.cost), reason=NO_COST)
        yield held("max-avg-cost", cost, limits.max_avg_cost, side="most", by_end=limits.upper)
    for name, most in limits.max_latency:
        figure = replace(_latency(columns, name), reason=NO_LATENCY)
        yield held(f"max-latency {name}", figure, most, side="most", by_end=limits.upper)


def _latency(columns: RunColumns, name: str) -> Quantity:
    figures = columns.operations.latency
    found = {
        "p50": (figures.p50, 0.5),
        "p95": (figures.p95, 0.95),
        "p99": (figures.p99, 0.99),
    }.get(name)
    if found is None:
        return mean_of(columns.latency)
    value, share = found
    return Quantity.of(value, figures.n, order_interval(known(columns.latency), share))


_TARGETS: Final[Mapping[TargetResult, tuple[State, str | None]]] = {
    "reached": ("holds", None),
    "missed": ("fails", "the target {target} is missed"),
    "cannot be said": ("cannot_be_said", "{reason}"),
}


def _target(target: Target) -> Check:
    state, reason = _TARGETS[target.result]
    return Check(
        name=f"target {target.name}",
        value=target.value,
        limit=target.target,
        n=target.n,
        state=state,
        low=target.low,
        high=target.high,
        corrected=target.corrected,
        reason=reason and reason.format(target=target.target, reason=target.reason),
    )


def baseline_checks(session: Session, scope: Scope, limits: Limits) -> Iterator[Check]:
    """Hold the newest run in scope to the baseline, on the cases that both have.

    The pass rate and every average score fail where they are worse beyond chance, or, with a
    limit, where they fall by more than that. p95 latency and average cost fail where they went up
    by more than 20 % beyond chance, p95 from forty cases on. What neither run carries is not
    checked; what fewer than ten cases say is undefined and fails.

    Raises:
        ReviewerError: A run is not there, both are the same, or their rubrics differ; or a limit
            is given without a baseline.
    """
    if limits.baseline is None:
        if limits.max_drop is not None:
            raise ReviewerError("--max-drop needs --baseline RUN, the run to compare with.")
        return
    first = covered(session.project, _only(scope, limits.baseline))
    name = _newest(session, scope, first)
    second = covered(session.project, _only(scope, name))
    if first.rubric.name != second.rubric.name:
        raise ReviewerError(
            f"{limits.baseline} has the rubric {first.rubric.name} and {name} the rubric "
            f"{second.rubric.name}; runs of one rubric can be compared."
        )
    loader = Loader(session.project)
    before, after = (run_columns.load(loader, x, scope.scorer) for x in (first, second))
    point = trending.point(second.rubric, before, after)
    yield from _scores(point, second.rubric, limits)
    for title, change in ((P95, point.p95_step), (COST, point.cost_step)):
        if change is not None:
            yield _change(point, title, change)


def _only(scope: Scope, run: str) -> Scope:
    return narrowed(scope, runs=(run,), metrics=())


def _newest(session: Session, scope: Scope, first: Covered) -> str:
    baseline = first.runs[0]
    known = set(session.run_names())
    missing = next((name for name in scope.runs if name not in known), None)
    if missing is not None:
        raise ReviewerError(f"There is no run {missing!r} in this project.")
    if scope.runs == (baseline,):
        raise ReviewerError(f"{baseline} is the run itself; name an earlier run as the baseline.")
    wanted = scope.runs or trending.runs_of(session, first.rubric.name)
    others = [name for name in session.run_names() if name in wanted and name != baseline]
    if not others:
        raise ReviewerError(
            f"There is no other run with the rubric {first.rubric.name} that could be held to "
            f"{baseline}."
        )
    return others[-1]


def _scores(point: RunPoint, rubric: Rubric, limits: Limits) -> Iterator[Check]:
    passing = point.passing_step
    steps = {} if passing is None or not point.passing.n else {PASSING: passing}
    steps |= {x: step for x, step in point.steps.items() if step.n or x in point.averages}
    for title, step in steps.items():
        metric = rubric.by_name.get(title)
        if metric is not None and not metric.kind.is_answered:
            continue
        if limits.max_drop is None:
            yield _step(point, title, step)
            continue
        if step.unlike:
            name = f"max-drop {'pass_rate' if title == PASSING else title}"
            yield _unlike(name, limits.max_drop, step)
            continue
        higher = metric is None or metric.higher_is_better
        rise = step.difference
        drop = None if rise is None else (-rise if higher else rise)
        yield held(
            f"max-drop {'pass_rate' if title == PASSING else title}",
            Quantity.of(drop, step.n, _drop(step, higher=higher), step.reason),
            limits.max_drop,
            side="most",
            by_end=limits.upper,
        )


def _drop(step: Step, *, higher: bool) -> Interval | None:
    """Give the interval of how far a figure fell."""
    if step.low is None or step.high is None:
        return None
    low, high = (-step.high, -step.low) if higher else (step.low, step.high)
    return Interval(low, high, "t")


def _unlike(name: str, limit: float | str, step: Step) -> Check:
    """Say that a change cannot be told, as the two runs were not scored alike."""
    return Check(
        name=name,
        value=step.difference,
        limit=limit,
        n=step.n,
        state="cannot_be_said",
        low=step.low,
        high=step.high,
        reason=f"{step.unlike}; let one version score both runs, or name one by --scorer",
    )


def _step(point: RunPoint, name: str, step: Step) -> Check:
    if step.unlike:
        return _unlike(f"baseline {name}", "not worse", step)
    tested = step.tested is not None and step.tested.p is not None and step.n >= INTERVALS_FROM
    reason = None
    if not tested:
        reason = step.reason
    elif step.word == "worse":
        reason = regressions.step_sentence(point, name, step).removesuffix(".")
    return _against(name, step, "not worse", ok=tested and step.word != "worse", reason=reason)


def _change(point: RunPoint, name: str, change: Change) -> Check:
    worse = regressions.is_regression(change, LIMIT)
    enough = change.n >= INTERVALS_FROM
    reason, limit = None, f"at most +{100 * LIMIT:g} %"
    if worse:
        reason = regressions.change_sentence(point, name, change).removesuffix(".")
    elif not enough:
        reason = f"{change.n} values in a run: a change can be told from {INTERVALS_FROM}"
    elif not (change.paired and change.is_tested):
        # nobody asked for it by name, so that too few cases stop no release; they are said
        why = change.reason if change.paired else regressions.FEW_SHARED
        limit = f"{limit}; not checked: {why}"
    return _against(name, change, limit, ok=enough and not worse, reason=reason)


def _against(
    name: str, found: Step | Change, limit: str, *, ok: bool, reason: str | None
) -> Check:
    return Check(
        name=f"baseline {name}",
        value=found.difference,
        limit=limit,
        n=found.n,
        state="holds" if ok else "fails",
        low=found.low,
        high=found.high,
        reason=reason,
    )
