"""Whether a run is slower or dearer than the one before: the change of p95 and of the mean.

Percentiles are linear between neighbours. The interval of a percentile's change is the percentile
bootstrap (Efron 1979): whole cases are drawn where both runs have the same, else each run by
itself. Means of the same cases are compared by the paired t interval, others by Welch's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from reviewer.stats.coefficients import Floats
from reviewer.stats.contrast import ALIKE, mean_contrast
from reviewer.stats.drift import paired_shift
from reviewer.stats.intervals import APPROXIMATE_BELOW, IntervalPolicy, percentile_interval

LIMIT: Final = 0.20
"""Share by which a figure may go up before it is a regression."""
FEW: Final = "each run needs two values or more"
NO_INTERVAL: Final = "no interval was asked for"
P95: Final = 0.95
MANY: Final = 5_000
"""Cases beyond which only those of the tail are drawn."""
_AT_ONCE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """Hold a figure of two runs, the later minus the earlier.

    Attributes:
        before, after: the figure of each; None without values.
        n: cases in both runs where `paired`, else the values of the smaller run.
        paired: both runs have the same cases, and only these count.
        difference, low, high: change with the ends of its interval; None with a reason.
        approximate: the interval is of fewer cases than its level promises to hold for.
    """

    before: float | None
    after: float | None
    n: int
    paired: bool
    method: Literal["bootstrap", "t"]
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    approximate: bool = False
    reason: str | None = None

    @property
    def share(self) -> float | None:
        """Give by which share of the earlier figure it went up; None where that was 0."""
        if self.difference is None or self.before is None or self.before <= 0:
            return None
        return self.difference / self.before

    def is_regression(self, limit: float = LIMIT) -> bool:
        """Tell whether it went up by more than a share, and its interval lies above 0.

        From a figure of 0 any rise is more than a share of it.
        """
        if self.difference is None or self.low is None or self.before is None:
            return False
        more = round(self.difference, 9) > round(limit * self.before, 9)
        return more and self.low > 0


def percentile_change(
    before: Sequence[float] | Floats,
    after: Sequence[float] | Floats,
    policy: IntervalPolicy,
    *,
    paired: bool,
    level: float = P95,
) -> Change:
    """Compare a percentile of two runs.

    Args:
        before: finite values, shape (n,).
        after: shape (m,); m = n and in the order of the same cases where paired.
        policy: level, seed and number of resamples; a fresh generator draws the cases of one set
            after the other, for runs of different cases first all sets of the earlier.
        paired: whether they are the same cases.
        level: which percentile, 0.95 for p95.
    """
    old, new = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    n = min(old.size, new.size)
    plain = Change(_percentile(old, level), _percentile(new, level), n, paired, "bootstrap")
    if n < 2 or plain.before is None or plain.after is None:
        return replace(plain, reason=FEW)
    rng = np.random.default_rng(policy.seed)
    if paired:
        drawn = _drawn((old, new), rng, policy.resamples, level)
        differences = drawn[1] - drawn[0]
    else:
        first = _drawn((old,), rng, policy.resamples, level)[0]
        differences = _drawn((new,), rng, policy.resamples, level)[0] - first
    interval = percentile_interval(
        differences, policy, method="bootstrap", approximate=n < APPROXIMATE_BELOW
    )
    found = replace(plain, difference=plain.after - plain.before)
    if interval is None:
        return replace(found, reason=NO_INTERVAL)
    return replace(found, low=interval.low, high=interval.high, approximate=interval.approximate)


def mean_change(
    before: Sequence[float] | Floats,
    after: Sequence[float] | Floats,
    *,
    paired: bool,
    level: float = 0.95,
) -> Change:
    """Compare the means of two runs; the same cases are paired by their order."""
    old, new = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    n = min(old.size, new.size)
    plain = Change(_mean(old), _mean(new), n, paired, "t")
    if n < 2:
        return replace(plain, reason=FEW)
    if paired:
        shift = paired_shift(new - old, level)
        return replace(plain, difference=shift.difference, low=shift.low, high=shift.high)
    second = np.arange(old.size + new.size) >= old.size
    contrast = mean_contrast(np.concatenate([old, new]), second, level=level, smallest=2)
    if contrast.reason == ALIKE:
        step = contrast.difference
        return replace(plain, difference=step, low=step, high=step)
    return replace(plain, difference=contrast.difference, low=contrast.low, high=contrast.high)


def _mean(column: Floats) -> float | None:
    return float(column.mean()) if column.size else None


def _percentile(column: Floats, level: float) -> float | None:
    return float(np.quantile(column, level)) if column.size else None


def _drawn(
    columns: tuple[Floats, ...], rng: np.random.Generator, sets: int, level: float
) -> Floats:
    """Give the percentile of each column in each set of cases drawn, shape (columns, sets)."""
    n = columns[0].size
    found = np.empty((len(columns), sets))
    if n > MANY:
        return _drawn_from_tail(columns, rng, found, level)
    step = max(1, _AT_ONCE // n)
    for start in range(0, sets, step):
        places = rng.integers(0, n, size=(min(step, sets - start), n))
        for row, column in enumerate(columns):
            found[row, start : start + len(places)] = np.quantile(column[places], level, axis=1)
    return found


def _drawn_from_tail(
    columns: tuple[Floats, ...], rng: np.random.Generator, found: Floats, level: float
) -> Floats:
    """Draw only cases that can decide the percentile: those beyond half its distance from the top.

    Of so many cases, chance does not bring so few of them into a set that others would decide.
    """
    n, sets = columns[0].size, found.shape[1]
    at = (n - 1) * level
    from_top = n - 1 - math.floor(at)
    part = at - math.floor(at)
    above = np.logical_or.reduce([x >= np.quantile(x, 1 - 2 * (1 - level)) for x in columns])
    tails = [column[above] for column in columns]
    size = tails[0].size
    counts = np.asarray(rng.binomial(n, size / n, size=sets))
    for place, count in enumerate(counts.tolist()):
        drawn = rng.integers(0, size, size=count)
        for row, tail in enumerate(tails):
            lower = count - 1 - from_top
            ends = np.partition(tail[drawn], (lower, lower + 1))
            found[row, place] = ends[lower] + part * (ends[lower + 1] - ends[lower])
    return found
