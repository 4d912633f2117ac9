"""Whether a judge can be relied on for a metric: three figures, each by its interval and a limit.

Fails caught, the judge's agreement as a share of people's own, and the mean gap. Rely where all
intervals lie inside their limits, do not where one lies wholly outside, and everything else cannot
be said yet. A figure that cannot exist, as without a pass mark, is left out and said.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.stats.intervals import INTERVALS_FROM
from reviewer.stats.quantiles import normal_quantile

Name = Literal["caught", "reach", "gap"]
State = Literal["rely", "do_not_rely", "cannot_be_said"]
Place = Literal["inside", "outside", "open", "absent"]
DECIMALS: Final = 9


@dataclass(frozen=True, slots=True)
class Finding:
    """One of the three figures beside its limit.

    Attributes:
        name: Which of them.
        limit: What it has to reach; of the gap in the unit of the scale, in either direction.
        value, low, high: None without a figure, or without an interval.
        n: What the figure is of: fails, evaluations with two labels or more, labelled ones.
        why: Why there is no figure or no interval.
        exists: False where no label could ever give it.
    """

    name: Name
    limit: float
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    why: str | None = None
    exists: bool = True

    @property
    def place(self) -> Place:
        """Tell on which side of its limit the whole interval lies."""
        if not self.exists:
            return "absent"
        if self.value is None or self.low is None or self.high is None:
            return "open"
        low, high, limit = (round(x, DECIMALS) for x in (self.low, self.high, self.limit))
        if self.name == "gap":
            inside, outside = -limit <= low and high <= limit, low > limit or high < -limit
        else:
            inside, outside = low >= limit, high < limit
        return "outside" if outside else "inside" if inside else "open"

    def wanted(self, level: float) -> float | None:
        """Estimate how many more of `n` would tell, were the figure to stay.

        None where that cannot be estimated, infinity where the figure lies on its limit.

        The half-width of a mean or of a resampled share shrinks with the root of n; a share of
        fails is tested against its limit (Wilson's interval leaves the limit out as soon as the
        score test does).
        """
        if self.place in ("inside", "outside", "absent"):
            return 0
        if self.value is None or self.low is None or self.high is None:
            return INTERVALS_FROM - self.n if self.n < INTERVALS_FROM else None
        distance = abs(self.value - self.limit)
        if self.name == "gap":
            distance = abs(abs(self.value) - self.limit)
        if round(distance, DECIMALS) == 0:
            return math.inf
        spread = self._spread(level)
        if spread is None:
            return None
        return max(math.ceil(round((spread / distance) ** 2 - self.n, DECIMALS)), 1)

    def within(self, level: float, n: float) -> float | None:
        """Estimate how near the figure would be known by `n`, None where that cannot be told."""
        spread = self._spread(level)
        return None if spread is None or n <= 0 else spread / math.sqrt(n)

    def _spread(self, level: float) -> float | None:
        """Give the half-width towards the limit times the root of n."""
        if self.value is None or self.low is None or self.high is None:
            return None
        if self.name == "caught":
            return math.sqrt(self.limit * (1 - self.limit)) * normal_quantile(0.5 + level / 2)
        nearest = self.low if self._above else self.high
        return math.sqrt(self.n) * abs(self.value - nearest)

    @property
    def _above(self) -> bool:
        """Tell whether the end that crosses the limit is the lower one."""
        value = self.value or 0.0
        if self.name == "gap":
            # inside of the limits it is the end further out, outside the one further in
            return (value < 0) == (abs(value) <= self.limit)
        return value >= self.limit


@dataclass(frozen=True, slots=True)
class Trust:
    """Whether to rely on a judge for a metric.

    Attributes:
        findings: Fails caught, agreement, mean gap, in this order.
        level: Of the intervals, which hold together over all metrics shown.
    """

    findings: tuple[Finding, ...] = ()
    level: float = 0.95

    @property
    def state(self) -> State:
        """Give the one that the intervals support."""
        places = [one.place for one in self.findings]
        if "outside" in places:
            return "do_not_rely"
        there = [place for place in places if place != "absent"]
        return "rely" if there and set(there) == {"inside"} else "cannot_be_said"

    def __getitem__(self, name: Name) -> Finding:
        """Give a figure by its name."""
        return next(one for one in self.findings if one.name == name)


def around_same(value: float, n: int, extent: float, level: float) -> tuple[float, float]:
    """Give an interval of a mean where all of n gaps were the same, so that none has a spread.

    With 0 of n different, at most 1 − (1 − level)^(1/n) of all are (Clopper and Pearson 1934), and
    each of those by the extent of the scale at most.
    """
    reach = extent * (1 - (1 - level) ** (1 / n))
    return value - reach, value + reach


def simultaneous(level: float, metrics: int) -> float:
    """Give the level of each metric's intervals so that all hold together (Bonferroni)."""
    return 1 - (1 - level) / max(metrics, 1)


SIGNS: Final[Mapping[State, str]] = {"rely": "✓", "do_not_rely": "✕", "cannot_be_said": "?"}
ORDER: Final[Sequence[State]] = ("do_not_rely", "cannot_be_said", "rely")
"""The worst first."""
