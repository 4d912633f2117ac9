"""Many overlapping groups of the same values, each compared with the rest of them.

A group's mean has a variance from its conversations (Liang and Zeger 1986), its distance from the
rest is tested with unequal variances (Welch 1947), and all intervals of one screen hold together
(Bonferroni). Without conversations every value is one of its own, which gives the plain formulas.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats
from reviewer.stats.contrast import satterthwaite
from reviewer.stats.intervals import Interval, score_ends, t_interval, wilson
from reviewer.stats.quantiles import t_quantile, t_two_sided

Ints = NDArray[np.int64]


DECIMALS: Final = 9


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Hold which value belongs to which group; a value may belong to several or to none.

    Attributes:
        rows: shape (m,), places of values.
        groups: shape (m,), the group of each, below `count`; no pair occurs twice.
    """

    rows: Ints
    groups: Ints
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class GroupMeans:
    """Hold means of groups and of the rest of each, all of shape (count,), NaN where undefined.

    Attributes:
        n, clusters: values of each group, and conversations they come from.
        se: standard error of each mean by conversations.
        spread: standard deviation of each group's values.
        rest: mean of all values outside of the group.
        rest_se, rest_clusters: those of the rest.
    """

    n: Ints
    clusters: Ints
    mean: Floats
    se: Floats
    spread: Floats
    rest: Floats
    rest_se: Floats
    rest_clusters: Ints

    def p_value(self, group: int) -> float | None:
        """Test a group's mean against the rest's; None where neither varies or one is alone."""
        own, other = float(self.se[group]) ** 2, float(self.rest_se[group]) ** 2
        total = own + other
        if not math.isfinite(total) or total <= 0:
            return None
        each = [float(self.clusters[group]) - 1, float(self.rest_clusters[group]) - 1]
        distance = float(self.mean[group] - self.rest[group]) / math.sqrt(total)
        return t_two_sided(distance, satterthwaite([own, other], each))

    def interval(self, group: int, level: float) -> Interval | None:
        """Give the t interval of a group's mean; None below two conversations or all alike."""
        n, clusters = int(self.n[group]), int(self.clusters[group])
        if not float(self.spread[group]):
            return None
        if clusters == n:
            return t_interval(float(self.mean[group]), float(self.spread[group]), n, level)
        if clusters < 2:
            return None
        half = t_quantile(0.5 + level / 2, clusters - 1) * float(self.se[group])
        mean = float(self.mean[group])
        return Interval(mean - half, mean + half, "t")

    def share_interval(self, group: int, level: float) -> Interval | None:
        """Give Wilson's interval of a group of shares, as if it had fewer values.

        How many fewer follows from the design effect of conversations; where all values are the
        same, each conversation counts once.
        """
        n, clusters = int(self.n[group]), int(self.clusters[group])
        if not n:
            return None
        if clusters == n:
            return wilson(round(float(self.mean[group]) * n, DECIMALS), n, level)
        if clusters < 2:
            return None
        worth, share = float(clusters), float(self.mean[group])
        plain = float(self.spread[group]) ** 2 / n
        if plain > 0:
            worth = n / max(float(self.se[group]) ** 2 / plain, 1.0)
        reach = t_quantile(0.5 + level / 2, clusters - 1)
        # as a sum of squares may leave a little more than 1
        low, high = score_ends(min(max(share, 0.0), 1.0), worth, reach)
        return Interval(low, high, "wilson by conversation")


def compare_groups(
    values: Floats, members: Members, clusters: NDArray[np.int64] | None = None
) -> GroupMeans:
    """Give each group's mean beside that of the rest.

    Args:
        values: shape (n,), all finite.
        members: which values belong to which group.
        clusters: shape (n,), the conversation of each value; None where no two share one.
    """
    centre = float(values.mean()) if values.size else 0.0
    centred = values - centre
    codes = np.arange(values.size) if clusters is None else np.unique(
        clusters, return_inverse=True
    )[1]  # fmt: skip
    size = int(codes.max(initial=-1)) + 1
    sums = np.bincount(codes, centred, size)
    counts = np.bincount(codes, minlength=size).astype(np.float64)
    own = centred[members.rows]
    n = np.bincount(members.groups, minlength=members.count)
    total = np.bincount(members.groups, own, members.count)
    touched, at = np.unique(
        members.groups * max(size, 1) + codes[members.rows], return_inverse=True
    )
    group, cluster = np.divmod(touched, max(size, 1))
    part = np.bincount(at, own, touched.size)
    many = np.bincount(at, minlength=touched.size).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, rest = total / n, (centred.sum() - total) / (values.size - n)
        squares = np.bincount(group, (part - mean[group] * many) ** 2, members.count).astype(float)
        found = np.bincount(group, minlength=members.count)
        spread = np.sqrt(
            np.bincount(members.groups, (own - mean[members.groups]) ** 2, members.count) / (n - 1)
        )
        left = sums[cluster] - part - rest[group] * (counts[cluster] - many)
        moved = left**2 - (sums[cluster] - rest[group] * counts[cluster]) ** 2
        whole = (sums**2).sum() - 2 * rest * (sums * counts).sum() + rest**2 * (counts**2).sum()
        squares_rest: Floats = whole + np.bincount(group, moved, members.count)
        gone = np.bincount(group, counts[cluster] == many, members.count).astype(np.int64)
        return GroupMeans(
            n=n,
            clusters=found,
            mean=mean + centre,
            se=_error(squares, found, n),
            spread=spread,
            rest=rest + centre,
            rest_se=_error(squares_rest, size - gone, values.size - n),
            rest_clusters=size - gone,
        )


def _error(squares: Floats, clusters: Ints, n: Ints) -> Floats:
    scale: Floats = clusters / (clusters - 1)
    return np.asarray(np.where(clusters > 1, np.sqrt(np.maximum(scale * squares, 0)) / n, np.nan))


def simultaneous_level(level: float, intervals: int) -> float:
    """Give the level of each of several intervals that shall hold together (Bonferroni)."""
    return 1 - (1 - level) / max(intervals, 1)
