"""A mean, a share or another value of a column, with how many values are behind it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.clustering import mean_interval, share_interval
from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import INTERVALS_FROM, Interval


@dataclass(frozen=True, slots=True)
class Quantity:
    """Hold a value with its n, the ends of its interval, or the reason why one is missing.

    Attributes:
        value: None where nothing carries it.
        low, high: ends of its 95 % interval, from ten values on.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @classmethod
    def of(
        cls, value: float | None, n: int, interval: Interval | None, reason: str | None = None
    ) -> "Quantity":
        """Make one of a value and its interval, where it has one."""
        if interval is None:
            return cls(value, n, reason=reason)
        return cls(value, n, interval.low, interval.high, reason)


NOTHING = Quantity(None, 0)


def known(column: Floats) -> Floats:
    """Leave out what is unknown."""
    return np.asarray(column[np.isfinite(column)])


def clusters_at(
    clusters: NDArray[np.int64] | None, there: NDArray[np.bool_]
) -> NDArray[np.int64] | None:
    """Give the conversations of some of the values, None where no two share one."""
    return None if clusters is None else clusters[there]


def mean_of(column: Floats, clusters: NDArray[np.int64] | None = None) -> Quantity:
    """Give the mean of what is known in a column, with the t interval of its conversations.

    Args:
        column: shape (n,), NaN where unknown.
        clusters: each one's conversation, None where no two share one.
    """
    values = known(column)
    n = int(values.size)
    if not n:
        return NOTHING
    found = mean_interval(values, clusters_at(clusters, np.isfinite(column)))
    return Quantity.of(float(values.mean()), n, found.interval if n >= INTERVALS_FROM else None)


def share_of(
    hits: NDArray[np.bool_], among: NDArray[np.bool_], clusters: NDArray[np.int64] | None = None
) -> Quantity:
    """Give the share of hits among some values, with Wilson's interval of their conversations.

    Args:
        hits: shape (n,).
        among: shape (n,).
        clusters: each one's conversation, None where no two share one.
    """
    mine = hits[among]
    n = int(mine.size)
    if not n:
        return NOTHING
    interval = share_interval(mine, clusters_at(clusters, among))
    return Quantity.of(float(mine.mean()), n, interval if n >= INTERVALS_FROM else None)
