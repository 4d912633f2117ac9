"""Two runs on the same cases, or two judges on the same responses, side by side.

Differences are after minus before; here and on the command line A is before and B after. In the
window A is the run in view and B the one that it is held against, so there B is before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.domain.errors import CancelledError, Progress, ReviewerError
from reviewer.domain.rubric import Metric
from reviewer.services.comparing.comparison import (
    Comparison,
    Flips,
    MetricPair,
    OverallPair,
    Reader,
    Side,
    SideColumns,
    paired,
)
from reviewer.services.figures.column_memory import held_now, memory_of
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.likeness import parts_of, unlike
from reviewer.services.figures.paired_scores import (
    EQUAL,
    SharedCases,
    at_one_level,
    each_of,
    score_shift,
    together,
)
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.services.figures.statistics_stale import behind
from reviewer.services.findings.insights_runs import passes
from reviewer.services.project.session import Session
from reviewer.stats.clustering import clusters_at, known
from reviewer.stats.drift import SystemChange, measured, system_change
from reviewer.stats.overall_columns import FAIL, PASS
from reviewer.stats.paired import Shift, conversation_means, paired_shift, signed_ranks
from reviewer.stats.paired_shares import changed_verdicts, mcnemar
from reviewer.stats.reasons import NO_MARK_OF_METRIC
from reviewer.store import case_sets, figures, repeats

OVERALL = "overall"


def compare(
    session: Session,
    before: Side,
    after: Side,
    *,
    metrics: Sequence[str] = (),
    level: float = 0.95,
) -> Comparison:
    """Compare a side with the one before it, case by case, and say how much of it is the judge.

    Raises:
        ReviewerError: A run, scorer or metric is not there, or the runs have different rubrics.
    """
    reader = Reader(session.project)
    with figures.snapshot(session.project):
        found = figured(reader, before, after, metrics=metrics, level=level)
        found = operated(reader, split(reader, found))
        named = (*found.flips.fixed, *found.flips.broken, *found.flips.both_wrong)
        return replace(found, ids={key: session.place(key)[1] for key in named})


def seen_by(session: Session, progress: Progress) -> Reader:
    """Read as the active labeler may: their answers on hidden evaluations count nowhere yet."""

    def go_on() -> None:
        if progress.cancelled:
            raise CancelledError("Nobody waits for this comparison any more.")

    return Reader(session.project, memory_of(session), held_now(session), go_on)


def figured(
    reader: Reader,
    before: Side,
    after: Side,
    *,
    metrics: Sequence[str] = (),
    level: float = 0.95,
) -> Comparison:
    """Compare two sides by their scores; `split` adds what takes longer.

    Raises:
        ReviewerError: A run, scorer or metric is not there, or the runs have different rubrics.
    """
    if before == after:
        raise ReviewerError("Both sides are the same; name two runs, or two judges.")
    first, second = reader.read(before), reader.read(after, metrics)
    shared = paired(reader, first, second)
    rubric = second.rubric
    wanted = [x for x in rubric.metrics if x.is_numeric and (not metrics or x.name in metrics)]
    ground = Ground(first, second, shared, level)
    made = {}
    for metric in wanted:
        reader.go_on()
        made[metric.name] = ground.metric(metric)
    found = Comparison(
        before=before,
        after=after,
        rubric=rubric,
        n=shared.n,
        only_before=shared.only_before,
        only_after=shared.only_after,
        metrics=made,
        overall=ground.overall(),
        flips=ground.verdicts(),
        level=level,
        keys=(first.table.keys[shared.before], second.table.keys[shared.after]),
        unlike=unlike(parts_of(second.table), first.made_by, second.made_by),
        clusters=shared.clusters,
    )
    return _at_their_level(found)


def _at_their_level(found: Comparison) -> Comparison:
    """Bring every interval to the level that looking at several of its kind leaves for it."""
    level, pairs = found.level, found.metrics
    whole = found.overall
    scores = together(
        [
            *(pair.shift.p for pair in pairs.values()),
            None if whole is None else whole.shift.p,
            found.flips.test.p,
        ],
        level,
    )
    errors, people = at_one_level({name: x.errors for name, x in pairs.items()}, level)
    marks = together([pair.flips.test.p for pair in pairs.values()], level)
    return replace(
        found,
        metrics={
            name: replace(
                pair,
                shift=pair.shift.at(scores.each),
                errors=errors[name],
                flips=replace(pair.flips, test=pair.flips.test.at(marks.each)),
            )
            for name, pair in pairs.items()
        },
        overall=None if whole is None else replace(whole, shift=whole.shift.at(scores.each)),
        flips=replace(found.flips, test=found.flips.test.at(scores.each)),
        scores=scores,
        people=people,
    )


def split(reader: Reader, found: Comparison) -> Comparison:
    """Add how much of a change is the judge, and what lags behind on either side."""
    first, second = reader.read(found.before), reader.read(found.after)
    lagging = [
        (letter, x)
        for letter, one in (("a", first), ("b", second))
        for x in behind(
            reader.project,
            one.covered,
            [table for name, table in one.table.metrics.items() if name in found.metrics],
        )
    ]
    metrics = found.metrics
    if found.before.run != found.after.run:
        pairs = list(zip(*(x.tolist() for x in found.keys), strict=True))
        same = np.array(repeats.same_texts(reader.project, pairs, reader.go_on), dtype=np.bool_)
        metrics = _with_judge(found, (first, second), _rows(found, first, second), same)
    return replace(found, metrics=metrics, stale=tuple(lagging))


def operated(reader: Reader, found: Comparison) -> Comparison:
    """Add how the responses of both sides came about: latency, cost, cache and templates."""
    sides = reader.read(found.before), reader.read(found.after)
    first, second = (reader.run(side) for side in sides)
    before, after = _rows(found, *sides)
    steps = [
        second.latency[after] - first.latency[before], second.cost[after] - first.cost[before]
    ]  # fmt: skip
    figures_there = sum(bool(np.isfinite(step).any()) for step in steps)
    level = each_of(figures_there, found.level).each

    def paired_in(step: Floats) -> Shift:
        there = np.isfinite(step)
        return paired_shift(step[there], level, clusters_at(found.clusters, there))

    latency, cost = (paired_in(step) for step in steps)
    return replace(
        found,
        before_operations=first.operations,
        after_operations=second.operations,
        latencies=(known(first.latency), known(second.latency)),
        latency=latency,
        cost=cost,
    )


def _rows(found: Comparison, before: SideColumns, after: SideColumns) -> tuple[Ints, Ints]:
    """Find the shared cases in the columns again."""
    one, other = found.keys
    return np.searchsorted(before.table.keys, one), np.searchsorted(after.table.keys, other)


def _with_judge(
    found: Comparison,
    sides: tuple[SideColumns, SideColumns],
    rows: tuple[Ints, Ints],
    same: Flags,
) -> dict[str, MetricPair]:
    """Add the judge's and the system's part of each metric's difference."""
    judges: dict[str, Shift] = {}
    systems: dict[str, SystemChange] = {}
    for name in found.metrics:
        one, other = (side.table.metrics[name].auto for side in sides)
        shifts = other[rows[1]] - one[rows[0]]
        there: Flags = np.isfinite(shifts)
        stayed, new = there & same, there & ~same
        clusters = clusters_at(found.clusters, stayed)
        judges[name] = paired_shift(shifts[stayed], found.level, clusters)
        headline = measured(
            paired_shift(shifts[new], found.level, clusters_at(found.clusters, new))
        )
        if headline is not None:
            systems[name] = system_change(headline, shifts[stayed], found.level, clusters)
    judges, _ = at_one_level(judges, found.level)
    each = together([system.p for system in systems.values()], found.level).each
    return {
        name: replace(
            pair,
            judge=judges[name],
            system=systems[name].at(each) if name in systems else None,
        )
        for name, pair in found.metrics.items()
    }


@dataclass(frozen=True, slots=True)
class Ground:
    """Two sides and their shared cases, from which the figures of a comparison are made."""

    before: SideColumns
    after: SideColumns
    shared: SharedCases
    level: float

    def metric(self, metric: Metric) -> MetricPair:
        """Compare one metric."""
        first = self.before.table.metrics[metric.name]
        second = self.after.table.metrics[metric.name]
        one, other = first.auto[self.shared.before], second.auto[self.shared.after]
        both: Flags = np.isfinite(one) & np.isfinite(other)
        differences, clusters = (other - one)[both], clusters_at(self.shared.clusters, both)
        one_error = np.abs(first.human.score[self.shared.before] - one)
        other_error = np.abs(second.human.score[self.shared.after] - other)
        asked: Flags = np.isfinite(one_error) & np.isfinite(other_error)
        return MetricPair(
            metric=metric,
            before_scorer=first.scorer,
            after_scorer=second.scorer,
            before_mean=_mean(one[both]),
            after_mean=_mean(other[both]),
            shift=score_shift(metric, one[both], other[both], clusters, self.level),
            ranks_p=signed_ranks(conversation_means(differences, clusters)).p,
            errors=paired_shift(
                (other_error - one_error)[asked],
                self.level,
                clusters_at(self.shared.clusters, asked),
            ),
            before_error=_mean(one_error[asked]),
            after_error=_mean(other_error[asked]),
            flips=self._by_mark(metric, one, other),
            values=(one, other),
            moved=_largest_first(self.after.table.keys[self.shared.after][both], differences),
            unlike=self._unlike(metric),
        )

    def _unlike(self, metric: Metric) -> str:
        of = parts_of(self.after.table) if metric.derived else (metric,)
        return unlike(of, self.before.made_by, self.after.made_by)

    def overall(self) -> OverallPair | None:
        """Compare the overalls; None where the rubric has none."""
        columns = self.before.overall(), self.after.overall()
        named = OVERALL in self.after.rubric.by_name
        if named or columns[0] is None or columns[1] is None:
            return None
        one, other = columns[0][self.shared.before], columns[1][self.shared.after]
        both = np.isfinite(one) & np.isfinite(other)
        shift = score_shift(
            None, one[both], other[both], clusters_at(self.shared.clusters, both), self.level
        )
        return OverallPair(
            before_mean=_mean(one[both]), after_mean=_mean(other[both]), shift=shift
        )

    def verdicts(self) -> Flips:
        """Compare the verdicts by the rubric's rule."""
        reason = why_no_verdict(self.after.table)
        if reason is not None:
            return no_flips(reason, self.level)
        first, second = (
            side.table.auto_verdicts()[rows]
            for side, rows in ((self.before, self.shared.before), (self.after, self.shared.after))
        )
        there = np.isin(first, (PASS, FAIL)) & np.isin(second, (PASS, FAIL))
        return self._flips(first == PASS, second == PASS, there)

    def _by_mark(self, metric: Metric, before: Floats, after: Floats) -> Flips:
        if metric.pass_at is None:
            return no_flips(NO_MARK_OF_METRIC, self.level)
        there = np.isfinite(before) & np.isfinite(after)
        return self._flips(passes(metric, before), passes(metric, after), there)

    def _flips(self, before: Flags, after: Flags, there: Flags) -> Flips:
        keys = self.after.table.keys[self.shared.after][there]
        before, after = before[there], after[there]
        n = int(before.size)
        return Flips(
            test=changed_verdicts(
                before, after, clusters_at(self.shared.clusters, there), self.level
            ),
            before_rate=float(before.mean()) if n else None,
            after_rate=float(after.mean()) if n else None,
            fixed=tuple(keys[~before & after].tolist()),
            broken=tuple(keys[before & ~after].tolist()),
            both_wrong=tuple(keys[~before & ~after].tolist()),
        )


def _mean(column: Floats) -> float | None:
    return float(column.mean()) if column.size else None


def _largest_first(keys: Ints, differences: Floats) -> tuple[int, ...]:
    rows = np.flatnonzero(np.abs(differences) > EQUAL)
    order = np.argsort(-np.round(np.abs(differences[rows]), 9), kind="stable")
    return tuple(keys[rows[order]].tolist())


def no_flips(reason: str, level: float = 0.95) -> Flips:
    """Give the flips of what has no verdict."""
    nothing = mcnemar(0, lost=0, gained=0, level=level)
    return Flips(test=nothing, before_rate=None, after_rate=None, reason=reason)


def run_before(session: Session, run: str) -> str | None:
    """Find what a run is compared with: the newest earlier one of its rubric with its cases."""
    places = figures.run_places(session.project)
    mine = next((x for x in places if x[1] == run), None)
    if mine is None:
        return None
    cases = case_sets.cases_of_run(session.project.conn, mine[0])
    shared = {key for key, _, _ in case_sets.runs_with(session.project.conn, cases)}
    earlier = [
        name for key, name, rubric in places[: places.index(mine)]
        if rubric == mine[2] and key in shared
    ]  # fmt: skip
    return earlier[-1] if earlier else None
