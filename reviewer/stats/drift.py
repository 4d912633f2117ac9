"""Two runs or two judges on the same items: did anything change, and was it the judge?

Sources: McNemar 1947 (exact and mid-p, Fagerland and others 2013), the difference of paired
shares after Agresti and Min 2005, Student's paired t, the signed ranks of Wilcoxon 1945.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from reviewer.stats.coefficients import Floats, divided
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    IntervalPolicy,
    percentile_interval,
    resample,
)
from reviewer.stats.quantiles import (
    beta_cdf,
    normal_quantile,
    normal_two_sided,
    t_quantile,
    t_two_sided,
)
from reviewer.stats.ranks import average_ranks

NO_PAIR: Final = "no evaluation is in both"
ONE_PAIR: Final = "only one evaluation is in both"
NO_ANCHOR: Final = "fewer than two unchanged answers are in both runs"
CONSTANT: Final = "the difference is the same on every evaluation: a test says nothing"
SAME: Final = "no evaluation changed"
EXACT_UP_TO: Final = 50
"""Changed items up to which signed ranks are counted out instead of approximated."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """Hold the comparison of two verdicts on the same items.

    Attributes:
        n, gained, lost: items in both; those that pass only the second and only the first time.
        exact, mid: p values; the exact one is too careful, mid-p is for display.
        difference: second minus first pass rate, with the ends of its interval; None at n = 0.
    """

    n: int
    gained: int
    lost: int
    exact: float | None
    mid: float | None
    difference: float | None
    low: float | None
    high: float | None
    reason: str | None = None


def mcnemar(n: int, *, lost: int, gained: int, level: float = 0.95) -> McNemar:
    """Compare two verdicts on the same n items.

    Raises:
        ValueError: for negative counts or more changed items than there are.
    """
    if min(n, lost, gained) < 0 or lost + gained > n:
        raise ValueError(f"Of {n} items {lost} cannot be lost and {gained} gained.")
    if not n:
        return McNemar(0, 0, 0, None, None, None, None, None, NO_PAIR)
    changed, few = lost + gained, min(lost, gained)
    below = beta_cdf(0.5, changed - few, few + 1) if few < changed else 1.0
    log_at = math.lgamma(changed + 1) - math.lgamma(few + 1) - math.lgamma(changed - few + 1)
    at = math.exp(log_at - changed * math.log(2))
    # half a pass and half a fail in every cell keeps the interval honest at few changes
    size, step = n + 2, gained - lost
    middle = step / size
    se = math.sqrt(changed + 1 - step**2 / size) / size
    half = normal_quantile(0.5 + level / 2) * se
    difference = step / n
    return McNemar(
        n,
        gained,
        lost,
        exact=min(1.0, 2 * below),
        mid=1.0 if lost == gained else min(1.0, 2 * below - at),
        difference=difference,
        low=max(min(middle - half, difference), -1.0),
        high=min(max(middle + half, difference), 1.0),
    )


@dataclass(frozen=True, slots=True)
class Shift:
    """Hold the mean difference of numeric scores on the same items, second minus first.

    Attributes:
        n: items in both.
        difference, sd: mean and standard deviation of the differences.
        se, low, high, p: None below two items; p also where all differences are alike.
        method: how interval and p were made.
    """

    n: int
    difference: float | None
    sd: float | None
    se: float | None
    low: float | None
    high: float | None
    p: float | None
    method: Literal["t", "bootstrap"] = "t"
    reason: str | None = None


def paired_shift(differences: Sequence[float] | Floats, level: float = 0.95) -> Shift:
    """Compare numeric scores on the same items by the paired t test."""
    column = np.asarray(differences, dtype=np.float64)
    n = len(column)
    if n < 2:
        first = float(column[0]) if n else None
        return Shift(n, first, None, None, None, None, None, reason=ONE_PAIR if n else NO_PAIR)
    mean = float(column.mean())
    sd = float(column.std(ddof=1)) if np.ptp(column) else 0.0
    se = sd / math.sqrt(n)
    half = t_quantile(0.5 + level / 2, n - 1) * se
    p = t_two_sided(mean / se, n - 1) if se else None
    return Shift(n, mean, sd, se, mean - half, mean + half, p, reason=None if se else CONSTANT)


def bootstrapped_shift(differences: Mapping[float, int], policy: IntervalPolicy) -> Shift:
    """Give the mean difference the interval of resampled items, without a p value.

    Args:
        differences: how often each difference occurs.
        policy: level, seed and number of resamples.
    """
    values = np.array(sorted(differences), dtype=np.float64)
    counts = np.array([differences[value] for value in values.tolist()], dtype=np.float64)
    plain = paired_shift(np.repeat(values, counts.astype(np.int64)), policy.level)
    if plain.n < 2:
        return plain
    drawn = resample(
        counts, {"mean": lambda draws: divided(draws @ values, draws.sum(axis=1))}, policy
    )
    found = percentile_interval(
        drawn["mean"], policy, method="bootstrap", approximate=plain.n < APPROXIMATE_BELOW
    )
    low, high = (found.low, found.high) if found else (None, None)
    return replace(plain, low=low, high=high, p=None, method="bootstrap", reason=None)


@dataclass(frozen=True, slots=True)
class SignedRanks:
    """Hold Wilcoxon's test: sum of the ranks of rises, and the two-sided p value."""

    n: int
    statistic: float | None
    p: float | None
    exact: bool = True
    reason: str | None = None


def signed_ranks(differences: Sequence[float] | Floats) -> SignedRanks:
    """Compare numeric scores on the same items by Wilcoxon's signed ranks.

    Items without difference are left out. Up to 50 items the distribution is counted out, ties
    included; beyond it is normal, with the variance corrected for ties.
    """
    column = np.round(np.asarray(differences, dtype=np.float64), 9)
    column = column[column != 0]
    n = len(column)
    if not n:
        return SignedRanks(0, None, None, reason=SAME)
    ranks = average_ranks(np.abs(column))
    rises = float(ranks[column > 0].sum())
    middle = n * (n + 1) / 4
    if n > EXACT_UP_TO:
        z = (rises - middle) / math.sqrt(float((ranks**2).sum()) / 4)
        return SignedRanks(n, rises, normal_two_sided(z), exact=False)
    # ranks end in .0 or .5, so their doubles are whole: count the subsets by their sum
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] = (ways[rank:] + ways[: len(ways) - rank]) / 2
        ways[:rank] /= 2
    away = abs(2 * rises - 2 * middle)
    far = np.abs(np.arange(len(ways)) - 2 * middle) >= away - 1e-9
    return SignedRanks(n, rises, min(1.0, float(ways[far].sum())))


@dataclass(frozen=True, slots=True)
class Measured:
    """Hold a figure with its standard error and degrees of freedom."""

    value: float
    se: float
    freedom: float


@dataclass(frozen=True, slots=True)
class SystemChange:
    """Split the change of a headline figure into the judge's and the system's part.

    Attributes:
        headline: change as it stands.
        judge, judge_low, judge_high: mean change on unchanged answers.
        system, low, high: what is left for the system.
        anchors: unchanged answers.
        reason: why the split is missing.
    """

    headline: float
    judge: float | None
    judge_low: float | None
    judge_high: float | None
    system: float | None
    low: float | None
    high: float | None
    anchors: int
    reason: str | None = None


def headline_change(
    before: Sequence[float] | Floats, after: Sequence[float] | Floats
) -> Measured | None:
    """Measure the difference of two means of different answers (Welch); None below two each."""
    old, new = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    if min(len(old), len(new)) < 2:
        return None
    value = float(new.mean() - old.mean())
    parts = [float(x.var(ddof=1)) / len(x) if np.ptp(x) else 0.0 for x in (old, new)]
    return Measured(value, math.sqrt(sum(parts)), _freedom(parts, [len(old) - 1, len(new) - 1]))


def system_change(
    headline: Measured, anchor_shifts: Sequence[float] | Floats, level: float = 0.95
) -> SystemChange:
    """Take the judge's own drift off a headline change.

    Args:
        headline: change of the mean over answers that are new in the second run.
        anchor_shifts: second minus first score of answers that are the same to the byte.
        level: level of the intervals.
    """
    anchor = paired_shift(anchor_shifts, level)
    if anchor.difference is None or anchor.se is None:
        nothing = (None,) * 6
        return SystemChange(headline.value, *nothing, anchors=anchor.n, reason=NO_ANCHOR)
    value = headline.value - anchor.difference
    parts = [headline.se**2, anchor.se**2]
    freedom = _freedom(parts, [headline.freedom, anchor.n - 1])
    half = t_quantile(0.5 + level / 2, freedom) * math.sqrt(sum(parts))
    return SystemChange(
        headline.value,
        anchor.difference,
        anchor.low,
        anchor.high,
        value,
        value - half,
        value + half,
        anchor.n,
    )


def _freedom(variances: Sequence[float], each: Sequence[float]) -> float:
    below = sum(v * v / f for v, f in zip(variances, each, strict=True))
    return sum(variances) ** 2 / below if below else min(each)
