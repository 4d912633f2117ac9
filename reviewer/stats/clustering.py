"""Means and shares with intervals where several evaluations come from one conversation.

Evaluations of one conversation resemble each other, so that n of them say less than n single
ones. Sources: cluster-robust variance (Liang and Zeger 1986), cluster bootstrap.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats, dot
from reviewer.stats.estimate import Corrected
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    percentile_interval,
    resample,
    score_ends,
    wilson,
)
from reviewer.stats.quantiles import normal_two_sided, t_quantile

ONE: Final = "all evaluations come from one conversation"
NOTHING: Final = "no evaluation"
ALIKE: Final = "the conversations are all alike, so that nothing tells their spread"
FEW_CONVERSATIONS: Final = 10
"""Conversations with one of two sides from which they alone tell how it keeps to them."""


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """Hold a mean with an interval that respects conversations.

    Attributes:
        mean: None without values.
        se, low, high: None below two conversations, the ends also where all of them are alike.
        n, clusters: values, and conversations they come from.
        reason: why something is None.
    """

    mean: float | None
    se: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    reason: str | None = None

    @property
    def interval(self) -> Interval | None:
        """Give the interval, None where there is none."""
        if self.low is None or self.high is None:
            return None
        return Interval(self.low, self.high, "t", approximate=self.clusters < APPROXIMATE_BELOW)


def cluster_codes(clusters: Sequence[Hashable]) -> NDArray[np.intp]:
    """Number conversations 0, 1, 2 … in order of first sight."""
    codes: dict[Hashable, int] = {}
    return np.array([codes.setdefault(one, len(codes)) for one in clusters], dtype=np.intp)


def cluster_codes_of(clusters: NDArray[np.int64] | None) -> NDArray[np.intp] | None:
    """Number the conversations of some items from 0; None where no two of them share one."""
    if clusters is None or not clusters.size:
        return None
    codes = np.unique(clusters, return_inverse=True)[1].ravel()
    return None if int(codes.max()) + 1 == codes.size else codes


def joined_clusters(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.intp] | None:
    """Number items that share a value in any of several columns, over any number of steps.

    Args:
        columns: numbers from 0, shape (n,) each.

    Returns:
        Shape (n,), None without a column.
    """
    if not columns:
        return None
    labels = np.arange(columns[0].size, dtype=np.intp)
    while labels.size:
        before = labels
        for codes in columns:
            least = np.full(int(codes.max()) + 1, labels.size, dtype=np.intp)
            np.minimum.at(least, codes, labels)
            labels = least[codes]
        # each goes on where the one that it follows has come to, which halves the steps
        labels = labels[labels]
        if np.array_equal(labels, before):
            break
    return labels


def cluster_se(residuals: Floats, codes: NDArray[np.intp]) -> float | None:
    """Give the standard error of a mean from what is left of each value; None for one cluster.

    Args:
        residuals: shape (n,), values minus what is expected of them; their mean is taken off.
        codes: shape (n,), each value's conversation from 0.

    Raises:
        ValueError: for columns of different length.
    """
    if len(residuals) != len(codes):
        raise ValueError(f"{len(residuals)} values need as many conversations.")
    groups = _groups(codes)
    if groups < 2:
        return None
    sums = np.asarray(np.bincount(codes, residuals - residuals.mean()), dtype=np.float64)
    return math.sqrt(groups / (groups - 1) * dot(sums, sums)) / len(residuals)


def clustered_mean(
    values: Sequence[float] | Floats, clusters: Sequence[Hashable], level: float = 0.95
) -> ClusteredMean:
    """Give a mean with the t interval of G conversations (G minus 1 degrees of freedom)."""
    return _mean(np.asarray(values, dtype=np.float64), cluster_codes(clusters), level)


def mean_interval(
    values: Floats, clusters: NDArray[np.int64] | None, level: float = 0.95
) -> ClusteredMean:
    """Give a mean with its t interval, by conversation where several values share one.

    Args:
        values: shape (n,).
        clusters: each one's conversation, None where no two share one.
        level: level of the interval.
    """
    return _mean(values, cluster_codes_of(clusters), level)


def _groups(codes: NDArray[np.intp]) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _mean(column: Floats, codes: NDArray[np.intp] | None, level: float) -> ClusteredMean:
    """Give a mean and its interval; without codes each value is a conversation of its own."""
    if not len(column):
        return ClusteredMean(None, None, None, None, 0, 0, NOTHING)
    mean, groups = float(column.mean()), len(column) if codes is None else _groups(codes)
    if groups < 2:
        return ClusteredMean(mean, None, None, None, len(column), groups, ONE)
    if codes is None:
        se: float | None = float(column.std(ddof=1)) / math.sqrt(groups)
    else:
        se = cluster_se(column, codes)
    if np.ptp(column) == 0 or not se:
        return ClusteredMean(mean, se, None, None, len(column), groups, ALIKE)
    half = t_quantile(0.5 + level / 2, groups - 1) * se
    return ClusteredMean(mean, se, mean - half, mean + half, len(column), groups)


def share_interval(
    hits: NDArray[np.bool_], clusters: NDArray[np.int64] | None, level: float = 0.95
) -> Interval | None:
    """Give Wilson's interval of a share, of as many values as the conversations are worth.

    Student's t of the conversations stands in place of the normal distribution.

    Args:
        hits: shape (n,).
        clusters: each one's conversation, None where no two share one.
        level: level of the interval.
    """
    codes = cluster_codes_of(clusters)
    if codes is None:
        return wilson(int(hits.sum()), hits.size, level)
    groups = int(codes.max()) + 1
    if groups < 2:
        return None
    reach = t_quantile(0.5 + level / 2, groups - 1)
    low, high = score_ends(float(hits.mean()), hits.size / _share_effect(hits, codes), reach)
    return Interval(low, high, "wilson by conversation", approximate=groups < APPROXIMATE_BELOW)


def level_of_conversations(clusters: NDArray[np.int64] | None, level: float) -> float:
    """Give the level at which the normal distribution reaches as far as Student's t of them."""
    codes = cluster_codes_of(clusters)
    groups = 0 if codes is None else int(codes.max()) + 1
    if groups < 2:
        return level
    reach = t_quantile(0.5 + level / 2, groups - 1)
    return min(1 - normal_two_sided(reach), 1 - 1e-12)


def verdicts_effect(
    passed: NDArray[np.bool_], left: Floats, clusters: NDArray[np.int64] | None
) -> float | None:
    """Give how many times conversations widen a corrected rate; None for one of them.

    Args:
        passed: shape (n,), people's verdicts.
        left: shape (n,), what the judge's verdict leaves of them.
        clusters: shape (n,), their conversations; None where no two share one.
    """
    codes = cluster_codes_of(clusters)
    if codes is None:
        return 1.0
    effect = design_effect(left, codes)
    if effect is None or len(np.unique(codes[_rarer(passed)])) >= FEW_CONVERSATIONS:
        return effect
    return max(effect, _share_effect(passed, codes))


def _rarer(hits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell what stands on the rarer of two sides."""
    return hits if 2 * int(hits.sum()) <= hits.size else ~hits


def _share_effect(hits: NDArray[np.bool_], codes: NDArray[np.intp]) -> float:
    """Give how many times conversations widen the variance of a share.

    Where the rarer side stands in few conversations, chance decides how much it seems to keep to
    them; then it is as if one conversation more stood wholly on that side.
    """
    values = hits.astype(np.float64)
    rarer = _rarer(hits)
    groups = int(codes.max()) + 1
    if len(np.unique(codes[rarer])) < FEW_CONVERSATIONS:
        size = round(hits.size / groups)
        side = 1.0 if rarer is hits else 0.0
        values = np.concatenate([values, np.full(size, side)])
        codes = np.concatenate([codes, np.full(size, groups, dtype=codes.dtype)])
    return design_effect(values, codes) or 1.0


def clustered_ppi(
    found: Corrected,
    columns: tuple[Floats, Floats],
    codes: NDArray[np.intp],
    *,
    autos: tuple[Floats, NDArray[np.intp]],
    level: float = 0.95,
) -> Corrected:
    """Give a corrected mean the interval of its conversations, for the traffic they came from.

    Both parts of its error are summed by conversation: what is left of the labelled scores, and
    the spread of the automatic scores, times their weight, over everything.

    Args:
        found: the corrected mean of independent evaluations, whose value and weight stay.
        columns: automatic and human scores of the labelled, shape (n,) each.
        codes: their conversations.
        autos: scores of all judged evaluations and their conversations, in the same numbering.
        level: level of the interval.
    """
    auto, human = columns
    weight = found.weight or 0.0
    every, places = autos
    if found.value is None or not len(human):
        return found
    size = int(places.max(initial=-1)) + 1
    rest = human - weight * auto
    parts = np.bincount(codes, weights=rest - rest.mean(), minlength=size) / len(human)
    parts += (
        weight * np.bincount(places, weights=every - every.mean(), minlength=size) / len(every)
    )
    groups = len(np.unique(codes))
    if groups < 2:
        return replace(found, low=None, high=None, reason=ONE)
    half = t_quantile(0.5 + level / 2, groups - 1) * math.sqrt(
        groups / (groups - 1) * dot(parts, parts)
    )
    return replace(found, low=found.value - half, high=found.value + half)


def design_effect(residuals: Floats, codes: NDArray[np.intp]) -> float | None:
    """Give how many times the variance of a mean grows by conversations; None for one of them.

    Never below 1: few conversations that happen to balance each other prove nothing.
    """
    se = cluster_se(residuals, codes)
    if se is None:
        return None
    centred = residuals - residuals.mean()
    plain = dot(centred, centred) / max(len(residuals) - 1, 1) / len(residuals)
    return max(se * se / plain, 1.0) if plain > 0 else 1.0


def widened(found: Corrected, effect: float | None) -> Corrected:
    """Widen an estimate's interval by a design effect; none for a single conversation."""
    if effect is None or found.value is None or found.low is None or found.high is None:
        return replace(found, low=None, high=None, reason=found.reason or ONE)
    by = math.sqrt(effect)
    low, high = found.value - found.low, found.high - found.value
    return replace(found, low=found.value - by * low, high=found.value + by * high)


def cluster_bootstrap(
    sums: Floats,
    statistic: Callable[[Floats], Floats],
    policy: IntervalPolicy,
) -> Interval | None:
    """Give an interval by drawing whole conversations; None below two.

    Args:
        sums: shape (G, m), what each conversation adds up to: a row may be a sum and a count, or
            a flattened k by k table.
        statistic: gives shape (sets,) from the drawn conversations' sums of shape (sets, m), NaN
            where undefined.
        policy: level, seed and number of resamples.
    """
    groups = len(sums)
    if groups < 2:
        return None
    drawn = resample(np.ones(groups), {"it": lambda draws: statistic(draws @ sums)}, policy)
    return percentile_interval(
        drawn["it"], policy, method="bootstrap", approximate=groups < APPROXIMATE_BELOW
    )


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


NO_QUANTITY = Quantity(None, 0)


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
        return NO_QUANTITY
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
        return NO_QUANTITY
    interval = share_interval(mine, clusters_at(clusters, among))
    return Quantity.of(float(mine.mean()), n, interval if n >= INTERVALS_FROM else None)
