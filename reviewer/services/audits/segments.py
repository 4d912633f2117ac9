"""The same figures by segment, worst first, with a correction for looking at many of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from reviewer.domain.errors import Progress, heed
from reviewer.services.audits import segment_values
from reviewer.services.audits.auditing import NOWHERE, Audit
from reviewer.services.audits.passing import (
    WHOLE,
    Sides,
    sides_of,
    subject_title,
    why_no_sides,
)
from reviewer.services.audits.segment_values import (
    COUNTED,
    EXACT_UP_TO,
    FEW,
    MEASURES,
    UNWEIGHTED,
    Counted,
    Dimension,
    Estimate,
    Grouping,
    Measure,
    Segment,
    SegmentTable,
    TextFacts,
    sentence_of,
)
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.statistics_words import counted_rows, weights_at
from reviewer.services.project.session import Session
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.paired_shares import fisher_exact
from reviewer.stats.rates import NO_HUMAN_FAIL
from reviewer.stats.reasons import NO_LEVELS, NO_OVERLAP, UNORDERED
from reviewer.stats.segments import (
    SHOWN_FROM,
    GroupMeans,
    Members,
    benjamini_hochberg,
    compare_groups,
    simultaneous_level,
)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentSource:
    """The page's figures with the segments of its evaluations."""

    audit: Audit
    groupings: tuple[Grouping, ...]

    def keys(self, segment: Segment, metric: str, figure: Counted | None = None) -> Ints:
        """Give the evaluations that a segment's figure counts, those with the largest gap first.

        Without a figure, the labelled ones: those of gap and agreement.
        """
        columns, mine = _columns(self.audit, metric), self.rows(segment)
        gap, agreement = columns.gap.rows, columns.agreement.rows
        if figure is None:
            rows = max((np.intersect1d(x, mine) for x in (gap, agreement)), key=np.size)
        else:
            rows = np.intersect1d(columns.of(figure).rows, mine)
        keys, pairs = self.audit.frame.table.keys[rows], self.audit.pairs[metric]
        labelled = pairs.keys[pairs.by_gap(np.isin(pairs.keys, keys))]
        return np.concatenate([labelled, keys[~np.isin(keys, labelled)]])

    def rows(self, segment: Segment) -> Ints:
        """Give the positions of a segment's evaluations."""
        found = next(x for x in self.groupings if x.dimension == segment.dimension)
        return np.asarray(found.rows[found.groups == segment.place])


def read(
    session: Session, audit: Audit, facts: TextFacts, progress: Progress | None = None
) -> SegmentSource:
    """Read the segments of the page's evaluations; call it beside the window.

    Raises:
        CancelledError: Nobody waits any more.
    """
    return SegmentSource(
        audit, segment_values.read(session, audit.frame.table.keys, facts, partial(heed, progress))
    )


def table(
    source: SegmentSource,
    metric: str,
    *,
    dimension: Dimension | None = None,
    measure: Measure = "gap",
) -> SegmentTable:
    """Compute every segment of one dimension, or of all of them, worst first.

    Args:
        source: What was read.
        metric: Gap and agreement are this metric's; verdicts too, where it has a pass mark, else
            the whole rubric's.
        dimension: None for all together: they are then corrected for together.
        measure: What is worst.
    """
    audit = source.audit
    wanted = [x for x in source.groupings if dimension in (None, x.dimension)]
    columns = _columns(audit, metric)
    level = audit.frame.choices.policy.level
    drafts = [one for grouping in wanted for one in _drafts(columns, grouping, audit, metric)]
    segments, tested, intervals = _judged(drafts, level)
    ordered = sorted(segments, key=partial(_worst_first, measure))
    missing = tuple((x.dimension, x.reason) for x in wanted if x.reason)
    return SegmentTable(
        metric=metric,
        measure=measure,
        segments=tuple(ordered),
        sentence=sentence_of(ordered, measure, columns.reasons[measure], missing),
        verdicts=columns.verdicts,
        tested=tested,
        intervals=intervals,
        level=level,
        missing=missing,
        note=columns.note,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """Values of some evaluations: where they stand, what they are, their conversations."""

    rows: Ints
    values: Floats
    clusters: Ints | None


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """What the figures of every segment are made from, as positions and values."""

    gap: _Values
    agreement: _Values
    catch: _Values
    judge: _Values
    people: _Values
    reasons: dict[str, str | None]
    verdicts: str
    size: int
    note: str | None

    def of(self, figure: Counted) -> _Values:
        """Give what one figure is made from."""
        return {
            "gap": self.gap,
            "agreement": self.agreement,
            "catch": self.catch,
            "judge": self.judge,
            "people": self.people,
        }[figure]


def _columns(audit: Audit, metric: str) -> _Columns:
    whole, pairs = audit.frame.table, audit.pairs[metric]
    rows = np.searchsorted(whole.keys, pairs.keys)
    gaps = np.where(pairs.counted & pairs.numeric, pairs.gaps, np.nan)
    levels = bool((pairs.columns != NOWHERE).any())
    agreed = pairs.same()
    sides, verdicts = _verdicts(audit, metric)
    empty = np.zeros(whole.keys.size, dtype=np.bool_)
    failed = empty if sides is None else (sides.human == FAIL) & sides.counted
    judged = empty if sides is None else sides.auto != OPEN
    answered = empty if sides is None else sides.human != OPEN
    auto = np.zeros(whole.keys.size) if sides is None else sides.auto.astype(np.float64)
    human = auto if sides is None else sides.human.astype(np.float64)
    of_metric = whole.metrics[metric]
    gap_reason = UNORDERED if not pairs.numeric else None
    catch_reason = verdicts if sides is None else None
    selection = audit.frame.choices.options.selection
    weights = weights_at(whole, of_metric, counted_rows(whole, of_metric, selection), selection)
    return _Columns(
        gap=_where(rows, gaps, np.isfinite(gaps), whole.clusters),
        agreement=_where(rows, agreed, pairs.in_table(), whole.clusters),
        catch=_at(auto == FAIL, failed, whole.clusters),
        judge=_at(auto == PASS, judged, whole.clusters),
        people=_at(human == PASS, answered, whole.clusters),
        reasons={
            "gap": gap_reason or (None if np.isfinite(gaps).any() else NO_OVERLAP),
            "agreement": NO_OVERLAP if not rows.size else None if levels else NO_LEVELS,
            "catch": catch_reason or (None if failed.any() else NO_HUMAN_FAIL),
        },
        verdicts=verdicts,
        size=int(whole.keys.size),
        note=UNWEIGHTED if weights is not None else None,
    )


def _verdicts(audit: Audit, metric: str) -> tuple[Sides | None, str]:
    """Give the metric's own verdicts, else the whole rubric's, and say whose they are."""
    table, selection = audit.frame.table, audit.frame.choices.options.selection
    if why_no_sides(table, metric) is None:
        return sides_of(
            table, metric, selection
        ), f"Verdicts by {subject_title(audit.rubric, metric)}"
    why = why_no_sides(table, WHOLE)
    if why is not None:
        return None, why
    return sides_of(table, WHOLE, selection), "Verdicts by the whole rubric"


def _where(rows: Ints, values: Floats, known: Flags, clusters: Ints | None) -> _Values:
    rows = rows[known]
    return _Values(rows, values[known], None if clusters is None else clusters[rows])


def _at(hits: Flags, known: Flags, clusters: Ints | None) -> _Values:
    rows = np.flatnonzero(known)
    return _Values(
        rows, hits[rows].astype(np.float64), None if clusters is None else clusters[rows]
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Draft:
    """A segment whose figures are known, but not how many of them stand on the screen."""

    grouping: Grouping
    place: int
    evaluations: int
    found: dict[str, GroupMeans]
    values: dict[str, _Values]
    reasons: dict[str, str | None]

    def n(self, name: str) -> int:
        return int(self.found[name].n[self.place])

    def shown(self, name: str) -> bool:
        return self.n(name) >= SHOWN_FROM and self.reasons.get(name) is None

    def p_value(self, name: Measure) -> float | None:
        if not self.shown(name):
            return None
        means, values = self.found[name], self.values[name]
        whole = np.isin(values.values, (0.0, 1.0)).all()
        if name == "gap" or values.clusters is not None or not whole:
            return means.p_value(self.place)
        return _fisher(means, self.place, values.values) or means.p_value(self.place)


def _fisher(means: GroupMeans, place: int, values: Floats) -> float | None:
    """Test a share exactly; None where the table is so large that the other test is as good."""
    n = int(means.n[place])
    hits, total = round(float(means.mean[place]) * n), round(float(values.sum()))
    if min(n, values.size - n, total, values.size - total) > EXACT_UP_TO:
        return None
    return fisher_exact(
        hits,
        n - hits,
        others_hits=total - hits,
        others_misses=values.size - n - total + hits,
    )


def _drafts(columns: _Columns, grouping: Grouping, audit: Audit, metric: str) -> list[_Draft]:
    count = len(grouping.names)
    if not count:
        return []
    values: dict[str, _Values] = {name: columns.of(name) for name in COUNTED}
    found = {
        name: compare_groups(one.values, _members(one, grouping, columns.size), one.clusters)
        for name, one in values.items()
    }
    scored = audit.frame.table.metrics[metric].has_auto[grouping.rows]
    many = np.bincount(grouping.groups[scored], minlength=count)
    return [
        _Draft(grouping, place, int(many[place]), found, values, columns.reasons)
        for place in range(count)
    ]


def _members(values: _Values, grouping: Grouping, size: int) -> Members:
    """Give the members of each segment among the values instead of among all evaluations."""
    places = np.full(size, -1, dtype=np.int64)
    places[values.rows] = np.arange(values.rows.size)
    mine = places[grouping.rows]
    known = mine >= 0
    return Members(mine[known], grouping.groups[known], len(grouping.names))


def _judged(drafts: Sequence[_Draft], level: float) -> tuple[list[Segment], int, int]:
    """Adjust all figures of the screen together."""
    p_values = [draft.p_value(name) for draft in drafts for name in MEASURES]
    adjusted = benjamini_hochberg(p_values)
    intervals = sum(draft.shown(name) for draft in drafts for name in MEASURES)
    together = simultaneous_level(level, intervals)
    made = []
    for at, draft in enumerate(drafts):
        mine = adjusted[at * len(MEASURES) : (at + 1) * len(MEASURES)]
        figures = {
            name: _estimate(draft, name, (level, together), p)
            for name, p in zip(MEASURES, mine, strict=True)
        }
        made.append(
            Segment(
                dimension=draft.grouping.dimension,
                place=draft.place,
                name=draft.grouping.names[draft.place],
                evaluations=draft.evaluations,
                gap=figures["gap"],
                agreement=figures["agreement"],
                catch=figures["catch"],
                judge_passes=_estimate(draft, "judge", (level, level), None),
                people_pass=_estimate(draft, "people", (level, level), None),
            )
        )
    return made, sum(p is not None for p in p_values), intervals


def _estimate(
    draft: _Draft, name: str, levels: tuple[float, float], adjusted: float | None
) -> Estimate:
    n, reason = draft.n(name), draft.reasons.get(name)
    if name in ("judge", "people") and draft.reasons["catch"] not in (None, NO_HUMAN_FAIL):
        reason = draft.reasons["catch"]
    if reason is not None or n < SHOWN_FROM:
        return Estimate(None, n, reason=reason or FEW)
    means = draft.found[name]
    make = means.interval if name == "gap" else means.share_interval
    alone, together = (make(draft.place, level) for level in levels)
    return Estimate(
        n=n,
        value=float(means.mean[draft.place]),
        low=alone.low if alone else None,
        high=alone.high if alone else None,
        all_low=together.low if together else None,
        all_high=together.high if together else None,
        adjusted=adjusted,
        worse=_is_worse(name, float(means.mean[draft.place]), float(means.rest[draft.place])),
    )


def _is_worse(name: str, value: float, rest: float) -> bool:
    """Tell whether a figure is further off than the rest's; nothing is worse than no rest."""
    return abs(value) > abs(rest) if name == "gap" else value < rest


def _worst_first(measure: Measure, one: Segment) -> tuple[int, float, float, str]:
    """Order by what is worse for sure, then by size; what is too small comes last."""
    figure = one.of(measure)
    if figure.value is None:
        return (2, 0.0, -float(figure.n), one.title)
    size = -abs(figure.value) if measure == "gap" else figure.value
    return (0 if figure.is_worse else 1, round(size, 9), -float(figure.n), one.title)
