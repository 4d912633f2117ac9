"""How far the means of numeric scores on the same items are apart: one test and its interval.

Sources: Student's paired t, by conversation where items share one (Liang and Zeger 1986), the
signed ranks of Wilcoxon 1945.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from reviewer.stats.clustering import ONE, cluster_codes_of, cluster_se
from reviewer.stats.coefficients import OUT_OF_RANGE, Floats
from reviewer.stats.paired_shares import (
    NO_PAIR,
    Codes,
    McNemar,
    Sign,
    sign_beyond_chance,
    told_apart,
)
from reviewer.stats.quantiles import normal_two_sided, t_quantile, t_two_sided
from reviewer.stats.ranks import average_ranks

ONE_PAIR: Final = "only one evaluation is in both"
CONSTANT: Final = (
    "the difference is the same on every evaluation, so that nothing tells its spread"
)
SAME: Final = "no evaluation changed"
EXACT_UP_TO: Final = 50
"""Changed items up to which signed ranks are counted out instead of approximated."""
_ALIKE: Final = 1e-9
"""Differences closer than this part of the largest are the same but for rounding."""
_LARGE: Final = 1e150
"""Beyond it, and below its inverse, squares leave the range of doubles."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Hold the mean difference of numeric scores on the same items, second minus first.

    Attributes:
        n: items in both.
        difference, sd: mean and standard deviation of the differences.
        se: standard error of the mean, by conversation where items share one.
        low, high: ends of the interval; None below two items, and where all differences are
            alike: then the p value is that of all signs being the same by chance.
        p: of the test that the interval inverts.
        method: how interval and p were made.
        level: level of the interval.
        conversations: how many the items come from; None where each is its own.
        freedom: degrees of freedom of Student's t.
        rates: the comparison of two rates, where the means are these.
    """

    n: int
    difference: float | None
    sd: float | None
    se: float | None
    low: float | None
    high: float | None
    p: float | None
    method: Literal["t", "signs", "bootstrap", "mcnemar"] = "t"
    reason: str | None = None
    level: float = 0.95
    conversations: int | None = None
    freedom: float | None = None
    rates: McNemar | None = None

    @property
    def test(self) -> str:
        """Name the test."""
        if self.rates is not None:
            return self.rates.test
        by = self.conversations is not None
        match self.method:
            case "signs":
                return "signs by conversation" if by else "signs"
            case "bootstrap":
                return "bootstrap"
            case _:
                return "paired t by conversation" if by else "paired t"

    @property
    def sign(self) -> Sign:
        """Tell which way the mean moved beyond chance, 0 where it did not."""
        return sign_beyond_chance(self.difference, self.p, self.level)

    def at(self, level: float) -> "Shift":
        """Give it with an interval of another level."""
        if self.rates is not None:
            rates = self.rates.at(level)
            return replace(self, level=level, low=rates.low, high=rates.high, rates=rates)
        if self.method != "t" or self.difference is None or not self.se or self.freedom is None:
            return replace(self, level=level)
        half = t_quantile(0.5 + level / 2, self.freedom) * self.se
        sign = sign_beyond_chance(self.difference, self.p, level)
        low, high = told_apart(self.difference - half, self.difference + half, sign)
        return replace(self, level=level, low=low, high=high)


def paired_shift(
    differences: Sequence[float] | Floats, level: float = 0.95, clusters: Codes | None = None
) -> Shift:
    """Compare numeric scores on the same items by the paired t test.

    Where items share conversations, these are what is counted: the standard error is that of
    their sums, though never below that of single items, since few conversations that happen to
    balance each other prove nothing.

    Args:
        differences: second minus first, shape (n,).
        level: level of the interval.
        clusters: shape (n,), each item's conversation; None where each is its own.
    """
    column = np.asarray(differences, dtype=np.float64)
    n = len(column)
    if n < 2:
        first = float(column[0]) if n else None
        return Shift(n, first, None, None, None, None, None, reason=ONE_PAIR if n else NO_PAIR)
    largest = float(np.abs(column).max())
    if largest and not 1 / _LARGE < largest < _LARGE:
        return Shift(n, None, None, None, None, None, None, reason=OUT_OF_RANGE)
    codes = cluster_codes_of(clusters)
    groups = None if codes is None else int(codes.max()) + 1
    mean, plain = float(column.mean()), _plain_se(column)
    sd = plain * math.sqrt(n)
    found = Shift(n, mean, sd, plain, None, None, None, level=level, conversations=groups)
    units = n if groups is None else groups
    if units < 2:
        return replace(found, se=None, reason=ONE)
    if not plain:
        by_chance = 2.0 ** (1 - units) if mean else 1.0
        return replace(found, p=by_chance, method="signs", reason=CONSTANT)
    se = plain if codes is None else max(cluster_se(column, codes) or 0.0, plain)
    found = replace(found, se=se, freedom=units - 1, p=t_two_sided(mean / se, units - 1))
    return found.at(level)


def shift_of_verdicts(found: McNemar) -> Shift:
    """Give a difference of two rates the form of a difference of means."""
    return Shift(
        found.n,
        found.difference,
        None,
        None,
        found.low,
        found.high,
        found.mid,
        method="mcnemar",
        reason=found.reason,
        level=found.level,
        conversations=found.conversations,
        rates=found,
    )


def conversation_means(differences: Floats, clusters: Codes | None) -> Floats:
    """Give the mean difference of each conversation; the differences where each is its own."""
    codes = cluster_codes_of(clusters)
    if codes is None:
        return differences
    sums = np.bincount(codes, differences)
    return np.asarray(sums / np.bincount(codes), dtype=np.float64)


def _plain_se(column: Floats) -> float:
    """Give the standard error of a mean of single items, 0 if only rounding tells them apart."""
    if np.ptp(column) <= _ALIKE * float(np.abs(column).max()):
        return 0.0
    return float(column.std(ddof=1)) / math.sqrt(len(column))


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
