"""What changed from one run to another on the cases that both have."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.paired_scores import Word, is_told, score_shift, word
from reviewer.services.figures.shared_cases import SharedCases
from reviewer.services.monitoring.run_columns import OVERALL, RunColumns
from reviewer.stats.intervals import INTERVALS_FROM, IntervalPolicy
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.stats.paired_means import Shift
from reviewer.stats.paired_shares import McNemar, changed_verdicts
from reviewer.stats.regression import (
    P95_FROM,
    Change,
    Runs,
    mean_change,
    percentile_change,
    runs_of,
)

NO_SHARED: Final = "no case is in both runs"


@dataclass(frozen=True, slots=True)
class Step:
    """A figure of a run against the same cases of an earlier one.

    Attributes:
        before, after: On the shared cases, which need not be all.
        difference, low, high: After minus before, with its interval.
        word: What that is, empty where the interval holds 0 or there are too few cases.
        tested: The test that the interval inverts, and its level; None without shared cases.
        judges: Whose scores these are, before and after, where they are not the same.
    """

    n: int
    before: float | None
    after: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    word: Word = ""
    judges: tuple[str, str] | None = None
    reason: str | None = None
    tested: Shift | McNemar | None = None


def finite(column: Floats) -> Floats:
    """Leave out what is unknown."""
    return np.asarray(column[np.isfinite(column)])


def clusters_at(clusters: Ints | None, there: Flags) -> Ints | None:
    """Give the conversations of some of the evaluations."""
    return None if clusters is None else clusters[there]


def score_step(
    metric: Metric | None,
    before: RunColumns,
    after: RunColumns,
    shared: SharedCases,
    name: str,
) -> Step:
    """Compare a score of two runs, as if nothing else were looked at."""
    old, new = before.scores[name][shared.before], after.scores[name][shared.after]
    both = np.isfinite(old) & np.isfinite(new)
    n = int(both.sum())
    judges = _judges(before, after, name)
    if not n:
        return Step(0, None, None, judges=judges, reason=NO_SHARED)
    shift = score_shift(metric, old[both], new[both], clusters_at(shared.clusters, both))
    return Step(
        n,
        float(old[both].mean()),
        float(new[both].mean()),
        shift.difference,
        judges=judges,
        tested=shift,
    )


def at_level(step: Step, level: float, metric: Metric | None = None) -> Step:
    """Give a step the interval and the word of a level."""
    if step.tested is None:
        return step
    tested = step.tested.at(level)
    higher = metric is None or metric.higher_is_better
    return replace(
        step,
        low=tested.low,
        high=tested.high,
        word=word(tested.sign, step.n, higher_is_better=higher) if is_told(metric) else "",
        reason=tested.reason if step.n >= INTERVALS_FROM else _few(step.n),
        tested=tested,
    )


def _judges(before: RunColumns, after: RunColumns, name: str) -> tuple[str, str] | None:
    """Give who scored, before and after, where that is not the same."""
    names = [name] if name != OVERALL else sorted(before.scorers.keys() & after.scorers.keys())
    pairs = [(before.scorers.get(x), after.scorers.get(x)) for x in names]
    others = [(old, new) for old, new in pairs if old and new and old != new]
    return others[0] if others else None


def passing_step(before: RunColumns, after: RunColumns, shared: SharedCases) -> Step:
    """Compare the pass rates of two runs, as if nothing else were looked at."""
    old, new = before.verdicts[shared.before], after.verdicts[shared.after]
    both = (old != OPEN) & (new != OPEN)
    n = int(both.sum())
    judges = _judges(before, after, OVERALL)
    if not n:
        return Step(0, None, None, judges=judges, reason=NO_SHARED)
    first, second = old[both] == PASS, new[both] == PASS
    test = changed_verdicts(first, second, clusters_at(shared.clusters, both))
    return Step(
        n,
        float(first.mean()),
        float(second.mean()),
        test.difference,
        judges=judges,
        tested=test,
    )


def _few(n: int) -> str:
    return (
        f"{n} shared {'case' if n == 1 else 'cases'}: a change can be told from {INTERVALS_FROM}"
    )


class Performance:
    """Latency and cost of two runs: of the shared cases where enough of them carry it."""

    def __init__(self, before: RunColumns, after: RunColumns, shared: SharedCases) -> None:
        """Keep both runs."""
        self._before, self._after, self._shared = before, after, shared

    def p95(self, policy: IntervalPolicy) -> Change:
        """Compare the percentile of latency."""
        return percentile_change(
            self._runs(self._before.latency, self._after.latency, P95_FROM), policy
        )

    def cost(self, level: float) -> Change:
        """Compare the average cost."""
        return mean_change(self._runs(self._before.cost, self._after.cost, INTERVALS_FROM), level)

    def _runs(self, before: Floats, after: Floats, enough: int) -> Runs:
        shared = self._shared
        old, new = before[shared.before], after[shared.after]
        both = np.isfinite(old) & np.isfinite(new)
        fewest = min(finite(before).size, finite(after).size)
        if int(both.sum()) >= min(enough, max(fewest, INTERVALS_FROM)):
            codes = clusters_at(shared.clusters, both)
            clusters = None if codes is None else (codes, codes)
            return runs_of(old[both], new[both], paired=True, clusters=clusters)
        return runs_of(
            finite(before), finite(after), paired=False, clusters=self._apart(before, after)
        )

    def _apart(self, before: Floats, after: Floats) -> tuple[Ints, Ints] | None:
        """Give the conversations of all cases of both runs, each run's for itself."""
        one, other = self._before.clusters, self._after.clusters
        if one is None and other is None:
            return None
        first = np.arange(before.size) if one is None else one
        second = np.arange(after.size) if other is None else other
        return (
            first[np.isfinite(before)],
            second[np.isfinite(after)] + int(first.max(initial=-1)) + 1,
        )
