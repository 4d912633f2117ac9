"""Every figure of a scope in one document: what `reviewer stats` prints and the pages read.

A judge that tells two agents apart agrees with people over both of them, and may with neither.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np
from msgspec import structs

from reviewer.domain.errors import CancelledError, Progress, ReviewerError, Silent
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import HeldBack
from reviewer.services.figures.figure_table import FigureTable, Loader, MetricTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.request import Choices, Covered, choices, covered
from reviewer.services.figures.statistics_agreement import (
    PAIRS_WITH_INTERVALS,
    confusion,
    evidence_of,
    human_human,
    judge_human,
    without_decisions,
)
from reviewer.services.figures.statistics_blocks import (
    BetweenGroups,
    GapBlock,
    Group,
    GroupedMetric,
    GroupTable,
    LabelerPair,
    MetricBlock,
    RunBlock,
    RunMetric,
)
from reviewer.services.figures.statistics_corrected import metric_correction
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.figures.statistics_gaps import Frame, metric_gaps, overall_gaps
from reviewer.services.figures.statistics_pass import golden_block, pass_block, read_golden
from reviewer.services.figures.statistics_stale import stale
from reviewer.services.figures.statistics_trust import trust_of
from reviewer.services.figures.statistics_words import leaning
from reviewer.services.project.figure_rules import is_overall
from reviewer.stats.catalogue import pair_point
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.pairs import pairs_of
from reviewer.stats.reasons import FEW, NO_OVERLAP, ONE_SCORE, UNORDERED
from reviewer.store import figures
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsRequest:
    """What to compute, over which evaluations, and how.

    Attributes:
        preset: `published` or `recommended`; None for how the project computes its figures.
        options: Names and values that differ from that.
        golden: A run, or `tag:` and a tag, whose labels tell the judge's errors on verdicts.
        group_by: A field of the record, such as `category`, to correlate within.
        pair_intervals: How many pairs of labelers a metric get intervals; None for all.
        level: The level of every interval.
        seed: The seed of every resampled interval.
        rubric: One that holds in place of the scope's own, as with another pass mark.
    """

    scope: Scope = field(default_factory=Scope)
    preset: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    golden: str | None = None
    group_by: str | None = None
    pair_intervals: int | None = PAIRS_WITH_INTERVALS
    level: float = 0.95
    seed: int = 0
    rubric: Rubric | None = None

    def covered(self, project: Project, scope: Scope) -> Covered:
        """Find what a scope covers, under the rubric that holds.

        Raises:
            ReviewerError: The scope names something that is not there.
        """
        found = covered(project, scope)
        return found if self.rubric is None else replace(found, rubric=self.rubric)


def compute(
    project: Project,
    request: StatsRequest,
    held: HeldBack | None = None,
    progress: Progress | None = None,
) -> StatsDocument:
    """Compute the document of a scope, without the answers that are held back.

    Raises:
        ReviewerError: A run, labeler, scorer, option or field of the request does not exist.
        CancelledError: Nobody waits for it any more.
    """
    with figures.snapshot(project):
        scope = request.covered(project, request.scope)
        chosen = choices(
            project,
            request.scope,
            scope.rubric,
            preset=request.preset,
            options=request.options,
            policy=_policy(request),
        )
        table = figure_table.load(
            project,
            request.scope,
            rubric=scope.rubric,
            within=scope.within,
            options=chosen.options,
            held=held,
        )
        groups = _groups(project, request, scope, table)
        by_run = of_runs(
            Loader(project),
            request.scope,
            scope.runs,
            Made(chosen, held),
            partial(request.covered, project),
        )
        golden = None
        if request.golden is not None:
            golden = read_golden(project, request.golden, table, held=held)
        lagging = stale(project, scope, _listed(table, request.scope), chosen)
    made = of_frame(project, request, scope, Frame(table, chosen), progress)
    if golden is not None:
        made = made.with_golden(golden_block(table, golden, request.level))
    return made.with_parts(groups, lagging, by_run)


def _policy(request: StatsRequest) -> IntervalPolicy:
    try:
        return IntervalPolicy(level=request.level, seed=request.seed)
    except ValueError as error:
        raise ReviewerError(str(error)) from error


def _listed(table: FigureTable, scope: Scope) -> list[MetricTable]:
    return [x for name, x in table.metrics.items() if not scope.metrics or name in scope.metrics]


def _groups(
    project: Project, request: StatsRequest, scope: Covered, table: FigureTable
) -> GroupTable | None:
    if request.group_by is None:
        return None
    values = figures.read_groups(project, scope.within, request.group_by)
    if values and not any(value is not None for value in values):
        raise ReviewerError(
            f"No evaluation in scope has a field {request.group_by!r} to group by; give a "
            "record's key, such as category or meta.language."
        )
    return group_table(
        table, request.group_by, values, [x.metric.name for x in _listed(table, request.scope)]
    )


def of_frame(
    project: Project,
    request: StatsRequest,
    scope: Covered,
    frame: Frame,
    progress: Progress | None = None,
) -> StatsDocument:
    """Compute the document of columns that were read already, without groups and what lags.

    Raises:
        CancelledError: Nobody waits for it any more.
    """
    table, made_by, progress = frame.table, frame.choices, progress or Silent()
    metrics: dict[str, MetricBlock] = {}
    pairs: list[LabelerPair] = []
    listed = _listed(table, request.scope)
    judged = sum(one.metric.is_labelled for one in listed)
    for done, one in enumerate(listed):
        if progress.cancelled:
            raise CancelledError("Computing the figures was stopped.")
        progress.advance(done, len(listed), one.metric.heading)
        block, mine = _metric(one, frame, request, judged)
        metrics[one.metric.name] = block
        pairs.extend(mine)
    return StatsDocument(
        project=project.path,
        rubric=scope.rubric.name,
        time_zone=made_by.zone_name,
        preset=made_by.preset,
        options=made_by.options,
        as_of=made_by.as_of,
        level=request.level,
        scope=request.scope,
        runs=scope.runs,
        left_out=scope.left_out,
        span=made_by.span,
        look_back=made_by.look_back,
        metrics=metrics,
        satisfaction=overall_gaps(frame),
        passing=pass_block(table, made_by.policy, made_by.options.selection),
        labelers=tuple(sorted(pairs, key=lambda pair: (pair.a, pair.b))),
        records=tuple((x.metric.name, one) for x in listed for one in x.records if one.is_scored),
    )


def _explained(gaps: GapBlock, table: MetricTable) -> GapBlock:
    """Say why no score counts where there are scores."""
    why = next((x.reason for x in table.records if x.reason), None)
    if why is None or gaps.auto_mean is not None:
        return gaps
    return replace(
        gaps, undefined={**gaps.undefined, **dict.fromkeys(("auto_mean", "adjusted_mean"), why)}
    )


def _metric(
    table: MetricTable, frame: Frame, request: StatsRequest, judged: int
) -> tuple[MetricBlock, tuple[LabelerPair, ...]]:
    whole, made_by = frame.table, frame.choices
    gaps = _explained(metric_gaps(frame, table), table)
    evidence = evidence_of(whole, table, made_by.options.counting)
    people, pairs = human_human(
        table,
        whole.labelers,
        made_by.policy,
        whole.clusters,
        most_intervals=request.pair_intervals,
    )
    agreement = judge_human(whole, table, evidence, made_by)
    return MetricBlock(
        name=table.metric.name,
        title=table.metric.heading,
        scorer=table.scorer,
        other_scorers=table.other_scorers,
        gaps=gaps,
        corrected=metric_correction(table, made_by.policy.level, whole.clusters),
        judge_human=agreement,
        human_human=people,
        confusion=confusion(table.metric, evidence),
        leaning=leaning(
            table.metric,
            agreement,
            made_by.options.limits(table.metric.name).gap,
            labelled=gaps.n_human,
        ),
        trust=trust_of(frame, table, request.level, judged),
        coefficient=table.metric.kind.coefficient,
        is_overall=is_overall(table.metric),
        undecided=without_decisions(whole, table, made_by),
        n_derived=int(table.derived_auto.sum()),
        is_labelled=table.metric.is_labelled,
    ), pairs


COEFFICIENTS = ("pearson", "spearman", "kendall_b")
MEANS = ("auto_mean", "human_mean")
NO_GROUP = "no group has 3 evaluations or more with different values on both sides"
SMALLEST = 3


def group_table(
    table: FigureTable, field: str, values: Sequence[str | None], names: Sequence[str]
) -> GroupTable:
    """Correlate the listed metrics within the groups; `values` are the field's, by evaluation."""
    found: dict[str | None, int] = {}
    places = np.array([found.setdefault(x, len(found)) for x in values], dtype=np.int64)
    order = sorted(found, key=lambda name: (name is None, name or ""))
    metrics = {
        name: _grouped(table.metrics[name], places, [(x, found[x]) for x in order])
        for name in names
    }
    return GroupTable(field, metrics)


def _grouped(
    table: MetricTable, places: Ints, groups: Sequence[tuple[str | None, int]]
) -> GroupedMetric:
    if not table.metric.is_numeric:
        gone = dict.fromkeys(COEFFICIENTS, UNORDERED)
        none = dict.fromkeys(COEFFICIENTS)
        return GroupedMetric(0, 0, none, gone, BetweenGroups(n=0, undefined=gone, **none), ())
    many = len(groups)
    n_auto = np.bincount(places[table.has_auto], minlength=many)
    n_human = np.bincount(places[table.has_human], minlength=many)
    rows = np.flatnonzero(table.both)
    rows = rows[np.argsort(places[rows], kind="stable")]
    ends = np.searchsorted(places[rows], np.arange(many + 1))
    made = []
    for value, at in groups:
        mine = rows[ends[at] : ends[at + 1]]
        there = (int(n_auto[at]), int(n_human[at]))
        made.append(_group(value, table.auto[mine], table.human.score[mine], there))
    return _summed(tuple(made))


def _group(value: str | None, auto: Floats, human: Floats, there: tuple[int, int]) -> Group:
    figures, undefined = _correlations(auto, human)
    means = _means(auto, human)
    return Group(
        value=value,
        n=auto.size,
        n_auto=there[0],
        n_human=there[1],
        used=not undefined,
        undefined=undefined | dict.fromkeys([x for x in MEANS if means[x] is None], NO_OVERLAP),
        **means,
        **figures,
    )


def _means(auto: Floats, human: Floats) -> dict[str, float | None]:
    if not auto.size:
        return dict.fromkeys(MEANS)
    return {"auto_mean": float(auto.mean()), "human_mean": float(human.mean())}


def _correlations(auto: Floats, human: Floats) -> tuple[dict[str, float | None], dict[str, str]]:
    """Give the coefficients of two columns, or why there are none."""
    why = None
    if auto.size < SMALLEST:
        why = FEW
    elif not np.ptp(auto) or not np.ptp(human):
        why = ONE_SCORE
    if why is not None:
        return dict.fromkeys(COEFFICIENTS), dict.fromkeys(COEFFICIENTS, why)
    pairs = pairs_of(auto, human)
    return {name: pair_point(name, pairs) for name in COEFFICIENTS}, {}


def _between(groups: tuple[Group, ...]) -> BetweenGroups:
    there = [group for group in groups if group.n]
    auto = np.array([group.auto_mean for group in there], dtype=np.float64)
    human = np.array([group.human_mean for group in there], dtype=np.float64)
    figures, undefined = _correlations(auto, human)
    return BetweenGroups(n=len(there), undefined=undefined, **figures)


def _summed(groups: tuple[Group, ...]) -> GroupedMetric:
    used = [group for group in groups if group.used]
    mean: Mapping[str, float | None] = {
        name: sum(getattr(group, name) for group in used) / len(used) if used else None
        for name in COEFFICIENTS
    }
    return GroupedMetric(
        n_used=len(used),
        n_skipped=len(groups) - len(used),
        mean=mean,
        undefined={} if used else dict.fromkeys(COEFFICIENTS, NO_GROUP),
        between=_between(groups),
        groups=groups,
    )


MOST_RUNS: Final = 20
"""Runs whose figures a page shows beside the pool; the command line gives all."""


@dataclass(frozen=True, slots=True)
class Made:
    """How figures of runs are made, and what is held back from whoever looks."""

    choices: Choices
    held: HeldBack | None = None


def of_runs(
    loader: Loader,
    scope: Scope,
    runs: Sequence[str],
    made: Made,
    cover: Callable[[Scope], Covered],
) -> tuple[RunBlock, ...]:
    """Work out the main figures of each of several runs; nothing of one alone.

    `cover` says what a scope of one run covers; the metrics that the scope lists are given.
    """
    found = []
    for name in runs if len(runs) > 1 else ():
        own = structs.replace(scope, runs=(name,), every_run=False)
        covers = cover(own)
        table = loader.load(
            own,
            rubric=covers.rubric,
            within=covers.within,
            options=made.choices.options,
            held=made.held,
        )
        found.append(_run_block(name, Frame(table, made.choices), scope.metrics))
    return tuple(found)


def _run_block(run: str, frame: Frame, metrics: Sequence[str]) -> RunBlock:
    whole, made_by = frame.table, frame.choices
    policy, options = made_by.policy, made_by.options
    made = {}
    for name, table in whole.metrics.items():
        if metrics and name not in metrics:
            continue
        evidence = evidence_of(whole, table, options.counting)
        made[name] = RunMetric(
            scorer=table.scorer,
            gaps=metric_gaps(frame, table),
            corrected=metric_correction(table, policy.level, whole.clusters),
            judge_human=judge_human(whole, table, evidence, made_by),
        )
    return RunBlock(run, made, pass_block(whole, policy, options.selection))
