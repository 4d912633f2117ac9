"""Whether a run is slower or dearer than the one before: the change of p95 and of the mean.

Percentiles are linear between neighbours. The interval of a percentile's change is the percentile
bootstrap (Efron 1979): whole cases are drawn where both runs have the same, else each run by
itself, and whole conversations where cases share one. Means of the same cases are compared by the
paired t interval, others by Welch's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from reviewer.stats.clustering import cluster_codes_of
from reviewer.stats.coefficients import Floats
from reviewer.stats.contrast import ALIKE, Codes, mean_contrast
from reviewer.stats.intervals import APPROXIMATE_BELOW, IntervalPolicy, percentile_interval
from reviewer.stats.paired import CONSTANT, paired_shift
from reviewer.stats.paired_shares import Sign, fisher_exact, sign_beyond_chance

LIMIT: Final = 0.20
"""Share by which a figure may go up before it is a regression."""
P95_FROM: Final = 40
"""Cases, or conversations where cases share them, from which the interval of p95's change holds.

Simulated at 95 %: it covers .85 with 10, .93 with 30 and .95 with 40 cases of two equal runs,
and .70, .90 and .95 where the later run is slower by half (`tests/bench/bench_coverage.py`).
"""
FEW: Final = "each run needs two values or more"
NO_INTERVAL: Final = "no interval was asked for"
SAME_DRAWS: Final = "every draw of cases gives the same change, so that nothing tells its spread"
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
        level: level of the interval.
        conversations: how many the cases come from, of the run with fewer where they are not
            paired; None where each is its own.
        sign: which way it changed beyond chance, 0 where it did not or that cannot be told.
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
    level: float = 0.95
    conversations: int | None = None
    sign: Sign = 0

    @property
    def share(self) -> float | None:
        """Give by which share of the earlier figure it went up; None where that was next to 0."""
        if self.difference is None or self.before is None or self.before <= 0:
            return None
        share = self.difference / self.before
        return share if math.isfinite(share) else None

    @property
    def is_tested(self) -> bool:
        """Tell whether there was enough to say that it changed or that it did not."""
        return self.low is not None or self.reason in (SAME_DRAWS, CONSTANT, ALIKE)

    def is_regression(self, limit: float = LIMIT) -> bool:
        """Tell whether it went up by more than a share, and beyond chance.

        From a figure of 0 any rise is more than a share of it.
        """
        if self.difference is None or self.before is None:
            return False
        more = round(self.difference, 9) > round(limit * self.before, 9)
        return more and self.sign > 0


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Hold the values of two runs, and what conversations they come from.

    Attributes:
        before, after: finite, shape (n,) and (m,); m = n and in the order of the same cases where
            `paired`.
        paired: whether they are the same cases.
        clusters: the conversations of both, numbered together, shape (n,) and (m,); None where
            none is shared.
    """

    before: Floats
    after: Floats
    paired: bool
    clusters: tuple[Codes, Codes] | None = None

    @property
    def n(self) -> int:
        """Count the cases, of the smaller run where they are not the same."""
        return min(self.before.size, self.after.size)

    def codes(self) -> tuple[Codes | None, Codes | None]:
        """Number the conversations of each run; None where no two of its cases share one."""
        if self.clusters is None:
            return None, None
        one, other = (cluster_codes_of(codes) for codes in self.clusters)
        return one, other

    @property
    def conversations(self) -> int | None:
        """Count the conversations of the run with fewer; None where each case is its own."""
        if all(codes is None for codes in self.codes()):
            return None
        return min(self.units())

    def units(self) -> tuple[int, int]:
        """Count the conversations of each run, its cases where none is shared."""
        one, other = (
            column.size if codes is None else int(codes.max()) + 1
            for column, codes in zip((self.before, self.after), self.codes(), strict=True)
        )
        return one, other


def runs_of(
    before: Sequence[float] | Floats,
    after: Sequence[float] | Floats,
    *,
    paired: bool,
    clusters: tuple[Codes, Codes] | None = None,
) -> Runs:
    """Hold two runs' values as columns."""
    old, new = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    return Runs(old, new, paired, clusters)


def percentile_change(runs: Runs, policy: IntervalPolicy, level: float = P95) -> Change:
    """Compare a percentile of two runs; p95 has no interval below 40 cases.

    Args:
        runs: the values.
        policy: level, seed and number of resamples; a fresh generator draws the cases of one set
            after the other, for runs of different cases first all sets of the earlier.
        level: which percentile, 0.95 for p95.
    """
    old, new, n = runs.before, runs.after, runs.n
    plain = Change(
        _percentile(old, level), _percentile(new, level), n, runs.paired, "bootstrap",
        level=policy.level, conversations=runs.conversations,
    )  # fmt: skip
    if n < 2 or plain.before is None or plain.after is None:
        return replace(plain, reason=FEW)
    found = replace(plain, difference=plain.after - plain.before)
    units = n if plain.conversations is None else plain.conversations
    if units < P95_FROM:
        return replace(found, reason=too_few(units, by_conversation=units != n))
    differences = _differences(runs, policy, level)
    interval = percentile_interval(
        differences, policy, method="bootstrap", approximate=units < APPROXIMATE_BELOW
    )
    if interval is None:
        return replace(found, reason=NO_INTERVAL)
    low, high = interval.low, interval.high
    sign: Sign = 1 if low > 0 else -1 if high < 0 else 0
    if low == high:
        return replace(found, sign=sign, reason=SAME_DRAWS)
    return replace(found, low=low, high=high, approximate=interval.approximate, sign=sign)


def too_few(units: int, *, by_conversation: bool) -> str:
    """Say why a change of p95 has no interval."""
    of = "conversations" if by_conversation else "cases"
    return f"{units} {of} of the {P95_FROM} that the interval of a change of p95 needs"


def mean_change(runs: Runs, level: float = 0.95) -> Change:
    """Compare the means of two runs; the same cases are paired by their order."""
    old, new = runs.before, runs.after
    plain = Change(
        _mean(old), _mean(new), runs.n, runs.paired, "t",
        level=level, conversations=runs.conversations,
    )  # fmt: skip
    if runs.n < 2:
        return replace(plain, reason=FEW)
    if runs.paired:
        shift = paired_shift(new - old, level, None if runs.clusters is None else runs.clusters[1])
        return replace(
            plain, difference=shift.difference, low=shift.low, high=shift.high,
            sign=shift.sign, reason=shift.reason,
        )  # fmt: skip
    second = np.arange(old.size + new.size) >= old.size
    clusters = None if runs.clusters is None else np.concatenate(runs.clusters)
    found = mean_contrast(np.concatenate([old, new]), second, clusters, level=level, smallest=2)
    p = found.p
    if found.reason == ALIKE:
        # each run is all alike: what is left is chance to have sorted the two values so
        one, other = runs.units()
        p = fisher_exact(0, one, others_hits=other, others_misses=0) if found.difference else 1.0
    return replace(
        plain, difference=found.difference, low=found.low, high=found.high,
        sign=sign_beyond_chance(found.difference, p, level), reason=found.reason,
    )  # fmt: skip


def _differences(runs: Runs, policy: IntervalPolicy, level: float) -> Floats:
    """Draw sets of cases and give the change of the percentile in each."""
    rng, sets = np.random.default_rng(policy.seed), policy.resamples
    one, other = runs.codes()
    if runs.paired:
        both = runs.before, runs.after
        if other is None:
            drawn = _drawn(both, rng, sets, level)
        else:
            drawn = _drawn_by_conversation(both, other, rng, sets, level)
        return np.asarray(drawn[1] - drawn[0])
    found = []
    for column, codes in ((runs.before, one), (runs.after, other)):
        if codes is None:
            found.append(_drawn((column,), rng, sets, level)[0])
        else:
            found.append(_drawn_by_conversation((column,), codes, rng, sets, level)[0])
    return np.asarray(found[1] - found[0])


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
    for place, count in enumerate(np.asarray(rng.binomial(n, size / n, size=sets)).tolist()):
        drawn = rng.integers(0, size, size=count)
        for row, tail in enumerate(tails):
            lower = count - 1 - from_top
            ends = np.partition(tail[drawn], (lower, lower + 1))
            found[row, place] = ends[lower] + part * (ends[lower + 1] - ends[lower])
    return found


def _drawn_by_conversation(
    columns: tuple[Floats, ...],
    codes: Codes,
    rng: np.random.Generator,
    sets: int,
    level: float,
) -> Floats:
    """Draw whole conversations; the percentile of each column in each set, (columns, sets)."""
    n, groups = codes.size, int(codes.max()) + 1
    sizes = np.bincount(codes, minlength=groups)
    found = np.empty((len(columns), sets))
    tops = [_top(column, level) for column in columns]
    step = max(1, _AT_ONCE // n)
    for start in range(0, sets, step):
        times = rng.multinomial(groups, np.full(groups, 1 / groups), size=min(step, sets - start))
        at = (times @ sizes - 1) * level
        lower = np.floor(at).astype(np.int64)
        for row, (column, top) in enumerate(zip(columns, tops, strict=True)):
            # how many drawn values stand at each place of the tail or above it, from the top
            above = np.cumsum(times[:, codes[top]], axis=1)
            rank = (times @ sizes)[:, None] - 1 - np.stack([lower, lower + 1], axis=1)
            places = (above[:, None, :] <= rank[:, :, None]).sum(axis=2)
            ends = column[top[np.minimum(places, top.size - 1)]]
            part = at - lower
            values = ends[:, 0] + part * (ends[:, 1] - ends[:, 0])
            found[row, start : start + len(times)] = values
    return found


def _top(column: Floats, level: float) -> Codes:
    """Give the places of a column from its largest value down, of many only the tail."""
    order = np.argsort(-column, kind="stable")
    if column.size <= MANY:
        return order
    return order[: math.ceil(2 * (1 - level) * column.size) + 1]
