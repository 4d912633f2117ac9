"""What the numbers say of a metric, in plain sentences and as JSON: every topic or one alone.

    source = insights.read(session, scope, options=options)
    insights.of_metric(source, "accuracy").slices.sentence

Reading needs the project and may take a while; topics are computed from what was read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from reviewer.domain.errors import Progress, heed
from reviewer.domain.run import Scope
from reviewer.domain.wording import counted, percent, two, upper_first
from reviewer.services.figures.column_memory import held_now
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.request import choices, covered
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_blocks import Json, golden_json
from reviewer.services.findings import insights_source
from reviewer.services.findings.insights_judge import (
    calibrated,
    labels_needed,
    pass_labels_needed,
    self_consistency,
)
from reviewer.services.findings.insights_people import consensus, labeler_drift
from reviewer.services.findings.insights_runs import from_golden, pass_change, passes, run_change
from reviewer.services.findings.insights_source import By, Source, Wanted
from reviewer.services.findings.insights_values import MetricInsights, Slice, Sliced, Topic
from reviewer.services.project.session import Session
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.drift import headline_change
from reviewer.stats.paired import paired_shift
from reviewer.stats.paired_shares import fisher_exact
from reviewer.stats.quantiles import t_two_sided
from reviewer.stats.reasons import NO_MARK_OF_METRIC, UNORDERED
from reviewer.stats.segments import SliceVerdict, judge_slices
from reviewer.store.project import Project


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
    return insights_source.read(
        session.project,
        scope,
        by=insights_source.By(options, held_now(session)),
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


NO_BOTH = "no evaluation has both an auto score and a label yet"
NO_CATEGORY = "the evaluations have no categories"
NO_FAILURE = "no human-failed item labelled yet"


@dataclass(frozen=True, slots=True, eq=False)
class _Gaps:
    """The gap of every pair, and the conversation it comes from where some share one."""

    values: Floats
    clusters: Ints | None


@dataclass(frozen=True, slots=True, eq=False)
class _Catches:
    """Which pairs people failed, and which of them the judge failed too."""

    failed: Flags
    caught: Flags
    reason: str | None = None


def slices(source: Source, table: MetricTable) -> Sliced:
    """Compare every category with the rest: its mean gap, and its catch rate."""
    if not table.metric.is_numeric:
        return _none(UNORDERED)
    both = source.both(table)
    if not both.any():
        return _none(NO_BOTH)
    auto, human = table.auto[both], table.human.score[both]
    names = [source.categories[place] for place in np.flatnonzero(both).tolist()]
    if set(names) == {None}:
        return _none(NO_CATEGORY)
    order = sorted(set(names), key=lambda name: (name is None, name or ""))
    masks = [np.array([name == one for name in names], dtype=np.bool_) for one in order]
    catches = _catches(table, auto, human)
    clusters = source.table.clusters
    gaps = _Gaps(human - auto, None if clusters is None else clusters[both])
    sizes = [int(mask.sum()) for mask in masks]
    by_gap = judge_slices(sizes, [_gap_p(gaps, mask) for mask in masks])
    fails = [int(catches.failed[mask].sum()) for mask in masks]
    by_catch = judge_slices(fails, [_catch_p(catches, mask, gaps.clusters) for mask in masks])
    made = []
    for place, mask in enumerate(masks):
        shift = paired_shift(
            gaps.values[mask], source.level, None if gaps.clusters is None else gaps.clusters[mask]
        )
        shown = by_gap[place].shown
        rated: SliceVerdict | None = None if catches.reason else by_catch[place]
        share = int(catches.caught[mask].sum()) / fails[place] if fails[place] else None
        made.append(
            Slice(
                category=order[place],
                n=sizes[place],
                gap=shift.difference if shown else None,
                low=shift.low if shown else None,
                high=shift.high if shown else None,
                gap_verdict=by_gap[place],
                failed=fails[place],
                caught=share if rated and rated.shown else None,
                catch_verdict=rated,
            )
        )
    found = tuple(sorted(made, key=_worst_first))
    return Sliced(
        sentence=_sentence(found, abs(float((human - auto).mean()))),
        slices=found,
        catch_reason=catches.reason,
    )


def _none(reason: str) -> Sliced:
    return Sliced(sentence=upper_first(reason), reason=reason)


def _catches(table: MetricTable, auto: Floats, human: Floats) -> _Catches:
    if table.metric.pass_at is None:
        nobody = np.zeros(auto.size, dtype=np.bool_)
        return _Catches(nobody, nobody, NO_MARK_OF_METRIC)
    failed = ~passes(table.metric, human)
    caught = failed & ~passes(table.metric, auto)
    return _Catches(failed, caught, None if failed.any() else NO_FAILURE)


def _worst_first(one: Slice) -> tuple[bool, float, str]:
    return (one.gap is None, -abs(round(one.gap or 0.0, 9)), one.category or "")


def _gap_p(gaps: _Gaps, mask: Flags) -> float | None:
    """Test a category's mean gap against that of the rest (Welch)."""
    return _apart(gaps.values, mask, gaps.clusters)


def _apart(values: Floats, mask: Flags, clusters: Ints | None) -> float | None:
    both = None if clusters is None else (clusters[~mask], clusters[mask])
    found = headline_change(values[~mask], values[mask], both)
    if found is None or not found.se:
        return None
    return t_two_sided(found.value / found.se, found.freedom)


def _catch_p(catches: _Catches, mask: Flags, clusters: Ints | None) -> float | None:
    """Test a category's catch rate against that of the rest (Fisher; Welch by conversation)."""
    failed, caught = catches.failed, catches.caught
    if clusters is not None:
        return _apart(caught[failed].astype(np.float64), mask[failed], clusters[failed])
    mine, others = int((caught & mask).sum()), int((caught & ~mask).sum())
    return fisher_exact(
        mine,
        int((failed & mask).sum()) - mine,
        others_hits=others,
        others_misses=int((failed & ~mask).sum()) - others,
    )


def _sentence(found: Sequence[Slice], usual: float) -> str:
    shown = [one for one in found if one.gap is not None]
    small = len(found) - len(shown)
    rest = f"; {counted(small, 'category', 'categories')} too small to tell" if small else ""
    if not shown:
        return f"No category has 10 labelled evaluations yet{rest}."
    apart = [one for one in shown if one.gap_verdict.differs and abs(one.gap or 0) > usual]
    if apart:
        return f"{_told(apart[0])}, unlike the rest{rest}."
    missed = [x for x in shown if x.catch_verdict and x.catch_verdict.differs]
    if missed:
        one = min(missed, key=lambda x: x.caught or 0.0)
        return (
            f"{_name(one)}: the judge catches {percent(one.caught or 0.0)} of "
            f"{counted(one.failed, 'failure')}, unlike the rest{rest}."
        )
    tested = counted(len(shown), "category", "categories")
    return (
        f"No category is worse than the rest for sure ({tested} compared); furthest: "
        f"{_told(shown[0])}{rest}."
    )


def _name(one: Slice) -> str:
    return one.category or "without category"


def _told(one: Slice) -> str:
    gap = one.gap or 0.0
    side = "high" if gap < 0 else "low"
    apart = f"scores {two(abs(gap))} too {side}" if round(gap, 2) else "scores as people do"
    return f"{_name(one)}, where the judge {apart} on average (n = {one.n:,})"


TOPICS: Mapping[str, str] = {
    "labels_needed": "labels",
    "calibration": "calibration",
    "self_consistency": "consistency",
    "run_change": "change",
    "labeler_drift": "drift",
    "consensus": "consensus",
    "slices": "slices",
}
"""The keys of the document, and the topics they stand for."""
_INTERNAL = frozenset(
    {"keys", "compared", "moved", "judge_moved", "flipped", "tied", "changes", "rates", "rest"}
)
"""Numbers of evaluations in the project file and of the way, which say nothing outside it."""


def compute(project: Project, request: StatsRequest) -> Json:
    """Give every topic of the listed metrics and of the pass rate.

    Raises:
        ReviewerError: The request names something that the project does not have.
    """
    wanted = Wanted(request.golden, request.group_by or "category")
    rubric = covered(project, request.scope).rubric
    made_by = choices(
        project, request.scope, rubric, preset=request.preset, options=request.options
    )
    source = insights_source.read(
        project, request.scope, by=By(made_by.options), level=request.level, wanted=wanted
    )
    names = [
        name
        for name in source.table.metrics
        if not request.scope.metrics or name in request.scope.metrics
    ]
    found = {name: of_metric(source, name) for name in names}
    first = next(iter(found.values()), None)
    return {
        "slice_by": source.slice_by,
        "metrics": {name: _of_metric(one) for name, one in found.items()},
        "pass": {} if first is None else _of_pass(first),
    }


def _of_metric(found: MetricInsights) -> Json:
    return {name: plain(getattr(found, topic)) for name, topic in TOPICS.items()}


def _of_pass(found: MetricInsights) -> Json:
    golden: Json = topic_json(found.golden)
    if found.golden.golden is not None:
        golden |= golden_json(found.golden.golden)
    return {
        "labels_needed": plain(found.pass_labels),
        "run_change": plain(found.pass_change),
        "golden": golden,
    }


def topic_json(found: Topic) -> Json:
    """Give a topic's sentence, and why it has no figures."""
    return {"sentence": found.sentence, "reason": found.reason}


def plain(value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    """Give values of insights as JSON, without the numbers of evaluations."""
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.name not in _INTERNAL]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    return value
