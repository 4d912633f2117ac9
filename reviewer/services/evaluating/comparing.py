"""Two runs on the same cases, or two judges on the same responses, side by side.

Differences are after minus before; here and on the command line A is before and B after. In the
window A is the run in view and B the one that it is held against, so there B is before.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric
from reviewer.services.evaluating.comparison import Comparison, Flips, MetricPair
from reviewer.services.evaluating.sides import Reader, Side, SideColumns, known, paired
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.statistics_pass import why_no_verdict
from reviewer.services.figures.statistics_stale import behind
from reviewer.services.findings.insights_runs import passes
from reviewer.services.project.session import Session
from reviewer.services.tallying.live_loading import held_back
from reviewer.stats.drift import (
    Measured,
    Shift,
    mcnemar,
    paired_shift,
    signed_ranks,
    system_change,
)
from reviewer.stats.overall_columns import FAIL, PASS
from reviewer.stats.reasons import NO_MARK_OF_METRIC
from reviewer.store import figures, repeats

EQUAL = 1e-9


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


def seen_by(session: Session, go_on: Callable[[], None]) -> Reader:
    """Read as the active labeler may: their answers on hidden evaluations count nowhere yet."""
    held = held_back(session.project, session.labeler.name) if session.blind else None
    return Reader(session.project, memory_of(session), held, go_on)


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
    rows = (shared.before, shared.after)
    wanted = [x for x in rubric.metrics if x.is_numeric and (not metrics or x.name in metrics)]
    made = {}
    for metric in wanted:
        reader.go_on()
        made[metric.name] = _metric(metric, first.table, second.table, rows, level)
    return Comparison(
        before=before,
        after=after,
        rubric=rubric,
        n=shared.n,
        only_before=shared.only_before,
        only_after=shared.only_after,
        metrics=made,
        flips=_verdicts(first.table, second.table, rows, level),
        level=level,
        keys=(first.table.keys[shared.before], second.table.keys[shared.after]),
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
        rows = _rows(found, first, second)
        metrics = {
            name: _with_judge(pair, first.table, second.table, rows, same, found.level)
            for name, pair in metrics.items()
        }
    return replace(found, metrics=metrics, stale=tuple(lagging))


def operated(reader: Reader, found: Comparison) -> Comparison:
    """Add how the responses of both sides came about: latency, cost, cache and templates."""
    sides = reader.read(found.before), reader.read(found.after)
    first, second = (reader.run(side) for side in sides)
    before, after = _rows(found, *sides)

    def paired_in(one: Floats, other: Floats) -> Shift:
        return paired_shift(known(other[after] - one[before]), found.level)

    return replace(
        found,
        before_operations=first.operations,
        after_operations=second.operations,
        latencies=(known(first.latency), known(second.latency)),
        latency=paired_in(first.latency, second.latency),
        cost=paired_in(first.cost, second.cost),
    )


def _rows(found: Comparison, before: SideColumns, after: SideColumns) -> tuple[Ints, Ints]:
    """Find the shared cases in the columns again."""
    one, other = found.keys
    return np.searchsorted(before.table.keys, one), np.searchsorted(after.table.keys, other)


def _with_judge(
    pair: MetricPair,
    before: FigureTable,
    after: FigureTable,
    rows: tuple[Ints, Ints],
    same: Flags,
    level: float,
) -> MetricPair:
    name = pair.metric.name
    shifts = after.metrics[name].auto[rows[1]] - before.metrics[name].auto[rows[0]]
    there: Flags = np.isfinite(shifts)
    unchanged = shifts[there & same]
    changed = paired_shift(shifts[there & ~same], level)
    system = None
    if changed.difference is not None and changed.se is not None:
        headline = Measured(changed.difference, changed.se, changed.n - 1)
        system = system_change(headline, unchanged, level)
    return replace(pair, judge=paired_shift(unchanged, level), system=system)


def _metric(
    metric: Metric,
    before: FigureTable,
    after: FigureTable,
    rows: tuple[Ints, Ints],
    level: float,
) -> MetricPair:
    first, second = before.metrics[metric.name], after.metrics[metric.name]
    one, other = first.auto[rows[0]], second.auto[rows[1]]
    both: Flags = np.isfinite(one) & np.isfinite(other)
    differences = (other - one)[both]
    one_error = np.abs(first.human.score[rows[0]] - one)
    other_error = np.abs(second.human.score[rows[1]] - other)
    asked: Flags = np.isfinite(one_error) & np.isfinite(other_error)
    keys = after.keys[rows[1]][both]
    return MetricPair(
        metric=metric,
        before_scorer=first.scorer,
        after_scorer=second.scorer,
        before_mean=_mean(one[both]),
        after_mean=_mean(other[both]),
        shift=paired_shift(differences, level),
        ranks_p=signed_ranks(differences).p,
        errors=paired_shift((other_error - one_error)[asked], level),
        before_error=_mean(one_error[asked]),
        after_error=_mean(other_error[asked]),
        flips=_by_mark(metric, one[both], other[both], keys=keys, level=level),
        values=(one, other),
        moved=_largest_first(keys, differences),
    )


def _by_mark(metric: Metric, before: Floats, after: Floats, *, keys: Ints, level: float) -> Flips:
    if metric.pass_at is None:
        return no_flips(NO_MARK_OF_METRIC, level)
    return _flips(passes(metric, before), passes(metric, after), keys, level)


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


def _verdicts(
    before: FigureTable,
    after: FigureTable,
    rows: tuple[Ints, Ints],
    level: float,
) -> Flips:
    reason = why_no_verdict(after)
    if reason is not None:
        return no_flips(reason, level)
    first, second = before.auto_verdicts()[rows[0]], after.auto_verdicts()[rows[1]]
    there = np.isin(first, (PASS, FAIL)) & np.isin(second, (PASS, FAIL))
    keys = after.keys[rows[1]][there]
    return _flips(first[there] == PASS, second[there] == PASS, keys, level)


def _flips(before: Flags, after: Flags, keys: Ints, level: float) -> Flips:
    fixed, broken, wrong = ~before & after, before & ~after, ~before & ~after
    n = int(before.size)
    return Flips(
        test=mcnemar(n, lost=int(broken.sum()), gained=int(fixed.sum()), level=level),
        before_rate=float(before.mean()) if n else None,
        after_rate=float(after.mean()) if n else None,
        fixed=tuple(keys[fixed].tolist()),
        broken=tuple(keys[broken].tolist()),
        both_wrong=tuple(keys[wrong].tolist()),
    )
