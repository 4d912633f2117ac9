"""How far two shares are apart: of the same cases with an interval, of two groups by a test.

The test is McNemar's with mid-p (Fagerland and others 2013): of the cases that changed sides, did
more go one way than chance sends? A difference d is the share of cases that changed times twice
that way's share of them less one. It is kept where both parts together can be as far off as it
takes, each by its own test: the way's share by mid-p, the changed share by Wilson's score. At
d = 0 nothing need be off but the way's share, so that the interval holds 0 exactly where mid-p
says that it may. Where nothing changed it ends where Wilson's does for none of n.

Where cases share conversations the counts are divided by the design effect, which makes them the
number of single cases that they are worth, and Student's t of the conversations stands in place
of the normal distribution (Korn and Graubard 1998).

Source: Fisher 1935, two-sided by summing every table that is no likelier than the one found.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.clustering import ONE, cluster_codes_of, cluster_se
from reviewer.stats.intervals import score_ends
from reviewer.stats.quantiles import beta_cdf, normal_quantile, t_quantile, t_two_sided

Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]
NO_PAIR: Final = "no evaluation is in both"
Sign = Literal[-1, 0, 1]
_FAR: Final = 37.0
"""Beyond so many standard deviations a normal tail is no number any more."""
_GOLDEN: Final = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True)
class Changes:
    """Hold the cases of both sides and how many of them changed, as single cases' worth.

    Attributes:
        n: cases, above 0.
        lost, gained: cases that pass only the first and only the second time.
        conversations: how many they come from; None where each is its own.
    """

    n: float
    lost: float
    gained: float
    conversations: int | None = None

    def p_value(self) -> float:
        """Give the two-sided mid-p value of no difference."""
        mid = mid_p(self.lost, self.gained)
        if self.conversations is None:
            return mid
        far = min(-normal_quantile(mid / 2), _FAR) if mid > 0 else _FAR
        return t_two_sided(far, self.conversations - 1) if far > 0 else 1.0

    def ends(self, level: float) -> tuple[float, float]:
        """Give the ends of the interval of the second share less the first."""
        reach = (
            normal_quantile(0.5 + level / 2)
            if self.conversations is None
            else t_quantile(0.5 + level / 2, self.conversations - 1)
        )
        low = _lowest(self.n, self.lost, self.gained, reach)
        high = -_lowest(self.n, self.gained, self.lost, reach)
        return low, high


@dataclass(frozen=True, slots=True)
class McNemar:
    """Hold the comparison of two verdicts on the same items.

    Attributes:
        n, gained, lost: items in both; those that pass only the second and only the first time.
        exact: McNemar's exact p value, which is too careful; None where items share
            conversations.
        mid: the p value of the test that `low` and `high` invert: mid-p, by conversation where
            items share one.
        difference: second minus first pass rate, with the ends of its interval; None at n = 0.
        level: level of the interval.
        changes: what the test counts, None at n = 0 and in one conversation.
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
    level: float = 0.95
    changes: Changes | None = None

    @property
    def p(self) -> float | None:
        """Give the p value of the test that the interval inverts."""
        return self.mid

    @property
    def conversations(self) -> int | None:
        """Count the conversations, None where each item is its own."""
        return None if self.changes is None else self.changes.conversations

    @property
    def test(self) -> str:
        """Name the test."""
        return "McNemar mid-p" if self.conversations is None else "McNemar mid-p by conversation"

    @property
    def sign(self) -> Sign:
        """Tell which way the rate moved beyond chance, 0 where it did not."""
        return sign_beyond_chance(self.difference, self.mid, self.level)

    def at(self, level: float) -> "McNemar":
        """Give it with an interval of another level."""
        if self.changes is None or self.difference is None:
            return replace(self, level=level)
        low, high = self.changes.ends(level)
        low, high = max(min(low, self.difference), -1.0), min(max(high, self.difference), 1.0)
        low, high = told_apart(low, high, sign_beyond_chance(self.difference, self.mid, level))
        return replace(self, level=level, low=low, high=high)


def mcnemar(n: int, *, lost: int, gained: int, level: float = 0.95) -> McNemar:
    """Compare two verdicts on the same n items, each a conversation of its own.

    Raises:
        ValueError: for negative counts or more changed items than there are.
    """
    if min(n, lost, gained) < 0 or lost + gained > n:
        raise ValueError(f"Of {n} items {lost} cannot be lost and {gained} gained.")
    if not n:
        return McNemar(0, 0, 0, None, None, None, None, None, NO_PAIR, level)
    few, changed = min(lost, gained), lost + gained
    below = beta_cdf(0.5, changed - few, few + 1) if few < changed else 1.0
    return McNemar(
        n,
        gained,
        lost,
        exact=min(1.0, 2 * below),
        mid=mid_p(lost, gained),
        difference=(gained - lost) / n,
        low=None,
        high=None,
        changes=Changes(n, lost, gained),
    ).at(level)


def changed_verdicts(
    before: Flags, after: Flags, clusters: Codes | None = None, level: float = 0.95
) -> McNemar:
    """Compare two verdicts on the same items, by conversation where several share one.

    Args:
        before: shape (n,), which pass the first time.
        after: shape (n,), which pass the second time.
        clusters: shape (n,), each item's conversation; None where each is its own.
        level: level of the interval.
    """
    n, lost, gained = before.size, int((before & ~after).sum()), int((~before & after).sum())
    plain = mcnemar(n, lost=lost, gained=gained, level=level)
    codes = cluster_codes_of(clusters)
    if codes is None or plain.difference is None:
        return plain
    groups = int(codes.max()) + 1
    if groups < 2:
        return replace(plain, exact=None, mid=None, low=None, high=None, reason=ONE, changes=None)
    steps = after.astype(np.float64) - before
    alone, se = float(steps.var(ddof=1)) / n, cluster_se(steps, codes) or 0.0
    # where all are alike, nothing tells what an item is worth beside others of its conversation
    effect = max(se**2 / alone, 1.0) if np.ptp(steps) else n / groups
    changes = Changes(n / effect, lost / effect, gained / effect, groups)
    return replace(plain, exact=None, mid=changes.p_value(), changes=changes).at(level)


def sign_beyond_chance(difference: float | None, p: float | None, level: float) -> Sign:
    """Tell which way a difference goes where its test excludes 0 at a level, else 0."""
    if difference is None or p is None or not difference or p >= 1 - level:
        return 0
    return 1 if difference > 0 else -1


def told_apart(low: float, high: float, sign: Sign) -> tuple[float, float]:
    """Give ends that say of 0 what the test says, whatever rounding did to them."""
    least = math.ulp(0.0)
    return (
        max(low, least) if sign > 0 else min(low, 0.0),
        min(high, -least) if sign < 0 else max(high, 0.0),
    )


def mid_p(lost: float, gained: float) -> float:
    """Give the two-sided mid-p value of as many gained as lost; counts need not be whole."""
    few, many = min(lost, gained), max(lost, gained)
    return 1.0 if few == many else min(1.0, 2 * _tail(0.5, many, few))


def _tail(share: float, hits: float, misses: float) -> float:
    """Give the chance of so many hits or more, those exactly as many by half."""
    more = beta_cdf(share, hits + 1, misses) if misses > 0 else 0.0
    return (beta_cdf(share, hits, misses + 1) + more) / 2


@lru_cache(maxsize=4096)
def _lowest(n: float, lost: float, gained: float, reach: float) -> float:
    """Give the smallest difference that is not too far off."""
    changed = min((lost + gained) / n, 1.0)
    if gained <= 0:
        return -score_ends(changed, n, reach)[1]
    if reach >= _FAR:
        return -1.0

    def off(share: float) -> float:
        """Give how far a share of gained among the changed is off, in standard deviations."""
        tail = _tail(share, gained, lost)
        return 0.0 if tail >= 0.5 else -normal_quantile(tail) if tail > 0 else _FAR

    def difference(share: float) -> float:
        rest = math.sqrt(max(reach**2 - off(share) ** 2, 0.0))
        way = 2 * share - 1
        return way * score_ends(changed, n, rest)[way < 0]

    likely = _root(lambda share: _tail(share, gained, lost) - 0.5, 0.0, 1.0)
    furthest = _root(lambda share: reach - off(share), 0.0, likely)
    return _least(difference, furthest, likely)


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Give where a rising function becomes 0, on the side where it is not below."""
    for _ in range(60):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
        if high - low <= 1e-12:
            break
    return high


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Give the least value of a function that falls and then rises (golden section)."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    least = min(function(low), function(high), at_left, at_right)
    while right - left > 1e-9:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
        least = min(least, at_left, at_right)
    return least


_ALIKE: Final = 1e-7
"""Relative room within which two tables count as equally likely, whatever their last bits."""


def fisher_exact(hits: int, misses: int, *, others_hits: int, others_misses: int) -> float | None:
    """Give the two-sided p value that two groups have the same share; None for an empty group.

    Raises:
        ValueError: for a negative count.
    """
    if min(hits, misses, others_hits, others_misses) < 0:
        raise ValueError("The cells of a table cannot be negative.")
    mine, others = hits + misses, others_hits + others_misses
    total = hits + others_hits
    if not mine or not others:
        return None
    lowest, highest = max(0, total - others), min(mine, total)
    logs = [
        _log_ways(mine, at) + _log_ways(others, total - at) for at in range(lowest, highest + 1)
    ]
    found = logs[hits - lowest] + _ALIKE
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    small = math.fsum(w for w, log in zip(weights, logs, strict=True) if log <= found)
    return min(1.0, small / math.fsum(weights))


def _log_ways(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
