"""Whether to rely on the judge for a metric, and whether it may take a labeler's place.

Every figure is the one that stands elsewhere: fails caught as on pass and fail, the share of
people's agreement as on people, the mean gap as in the table of metrics; only the level of the
intervals is higher, so that those of all metrics hold together.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.statistics_blocks import GapBlock, TrustBlock
from reviewer.services.figures.statistics_gaps import Frame, metric_gaps
from reviewer.services.figures.statistics_pass import metric_pass_fail
from reviewer.services.figures.statistics_words import bias_that_matters
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.alternative import AltTest, Score, Singles, alt_test
from reviewer.stats.ceiling import Name, Reach, Units, reach, units_of
from reviewer.stats.intervals import INTERVALS_FROM, IntervalPolicy
from reviewer.stats.limits import Limits
from reviewer.stats.trust import Finding, Trust, around_same, simultaneous

NOT_LABELLED: Final = "a measure is not labelled"
NO_MARK: Final = "the metric has no pass mark"
ONE_LABELER: Final = "only one person has labelled"
NOBODY: Final = "nobody has labelled it"
NO_ORDER: Final = "its values have no order"
NO_ENDS: Final = "its scale has no ends"
CEILING_RESAMPLES: Final = 1000
EQUAL: Final = 1e-9


def trust_of(frame: Frame, table: MetricTable, level: float, metrics: int) -> TrustBlock:
    """Work out whether to rely on a metric's judge.

    Args:
        frame: The scope's columns and choices.
        table: The metric's.
        level: At which the intervals of all metrics hold together.
        metrics: How many those are.
    """
    whole, made_by = frame.table, frame.choices
    each = simultaneous(level, metrics)
    policy = replace(made_by.policy, level=each)
    own = Frame(whole, replace(made_by, policy=policy))
    limits = made_by.options.limits(table.metric.name)
    reached = None if _why_none(table) else reached_by(whole, table, policy)
    findings = (
        _caught(own, table, limits),
        _reach(table, reached, limits),
        _gap(own, table, limits),
    )
    alternative = _alternative(frame, table)
    return TrustBlock(
        trust=Trust(findings, each),
        labelled=int(np.count_nonzero(table.both & frame.counted)),
        reached=reached,
        alternative=alternative,
        left_out=tuple(sorted(whole.labelers[key] for key in alternative.left_out)),
        scored=int(np.count_nonzero(table.has_auto & (frame.counted | ~table.has_human))),
    )


def _why_none(table: MetricTable) -> str | None:
    if not table.metric.kind.is_answered:
        return NOT_LABELLED
    return None if np.count_nonzero(~table.people.averaged) else NOBODY


def _caught(frame: Frame, table: MetricTable, limits: Limits) -> Finding:
    finding = partial(Finding, "caught", limits.caught)
    found, n = metric_pass_fail(frame.table, table, frame.choices)
    if found is None:
        return finding(exists=False, why=NO_MARK)
    interval = found.intervals.get("catch_rate")
    return finding(
        value=found["catch_rate"],
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        n=n,
        why=found.undefined.get("catch_rate"),
    )


def _reach(table: MetricTable, found: Reach | None, limits: Limits) -> Finding:
    finding = partial(Finding, "reach", limits.reach)
    why = _why_none(table)
    if why is not None or found is None:
        return finding(exists=why != NOT_LABELLED, why=why)
    if np.unique(table.people.labelers[~table.people.averaged]).size < 2:
        return finding(exists=False, why=ONE_LABELER)
    interval = found.intervals.get("share")
    return finding(
        value=found.share,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        n=found.n,
        why=found.undefined.get("share", found.undefined.get("interval")),
    )


def _gap(frame: Frame, table: MetricTable, limits: Limits) -> Finding:
    limit = bias_that_matters(table.metric, limits.gap)
    why = NO_ENDS if limit is None else None
    if not table.metric.is_numeric:
        why = NO_ORDER
    if not table.metric.kind.is_answered:
        why = NOT_LABELLED
    if why is not None:
        return Finding("gap", limits.gap, exists=False, why=why)
    found = metric_gaps(frame, table)
    low, high = _gap_ends(frame, table, found)
    return Finding(
        "gap",
        limit or 0.0,
        value=found.deviations.gap_mean,
        low=low,
        high=high,
        n=found.deviations.n_labelled,
        why=found.undefined.get("gap_mean"),
    )


def _gap_ends(
    frame: Frame, table: MetricTable, found: GapBlock
) -> tuple[float | None, float | None]:
    interval, value = found.intervals.get("gap_mean"), found.deviations.gap_mean
    if interval is not None:
        return interval.low, interval.high
    clusters, bounds = frame.table.clusters, table.metric.bounds
    rows = table.both & frame.inside(table) & ~frame.left_out
    n = int(rows.sum()) if clusters is None else np.unique(clusters[rows]).size
    gaps = (table.human.score - table.auto)[rows]
    if value is None or bounds is None or n < INTERVALS_FROM or np.ptp(gaps) > EQUAL:
        return None, None
    return around_same(value, n, bounds[1] - bounds[0], frame.choices.policy.level)


@dataclass(frozen=True, slots=True)
class Shared:
    """Labels of evaluations that two people or more labelled, grouped by evaluation."""

    places: Ints
    groups: list[Floats]


def shared(positions: Ints, values: Floats) -> Shared:
    """Gather single labels by evaluation, where two people or more gave one."""
    order = np.argsort(positions, kind="stable")
    there, starts, counts = np.unique(positions[order], return_index=True, return_counts=True)
    parts = np.split(values[order], starts[1:]) if there.size else []
    many = counts > 1
    return Shared(
        there[many], [part for part, kept in zip(parts, many.tolist(), strict=True) if kept]
    )


def judged_units(table: MetricTable, found: Shared) -> tuple[Units, Ints]:
    """Give what people and judge say of the same evaluations, and which these are."""
    judged = np.isfinite(table.auto[found.places])
    places = found.places[judged]
    groups = [group for group, there in zip(found.groups, judged.tolist(), strict=True) if there]
    return units_of(groups, table.auto[places], scale_of(table.metric)), places


def reached_by(whole: FigureTable, table: MetricTable, policy: IntervalPolicy) -> Reach:
    """Compare the judge with people on what two of them labelled, by the usual statistic."""
    people = table.people
    single = ~people.averaged
    found = shared(people.positions[single], people.values[single])
    units, places = judged_units(table, found)
    return reach(
        units,
        names_of(units)[0],
        replace(policy, resamples=CEILING_RESAMPLES) if policy.resamples else None,
        None if whole.clusters is None else whole.clusters[places],
    )


def names_of(units: Units) -> tuple[Name, ...]:
    """Name the statistics that make sense, the usual one first."""
    if not units.ordered:
        return ("kappa", "percent")
    return ("kappa_quadratic",) if units.scale is None else ("kappa_quadratic", "percent", "kappa")


def _alternative(frame: Frame, table: MetricTable) -> AltTest:
    options, people = frame.choices.options, table.people
    score = options.alt_score
    single = ~people.averaged
    labels = Singles(people.positions, people.labelers, people.values).at(single)
    return alt_test(
        labels,
        table.auto,
        score=score_of(table.metric) if score == "scale" else score,
        epsilon=options.alt_epsilon,
    )


def score_of(metric: Metric) -> Score:
    """Give how a value agrees with others' on a metric's scale, where nobody says otherwise."""
    plain = metric.kind.is_binary or not metric.is_numeric
    return "accuracy" if plain else "neg_rmse"
