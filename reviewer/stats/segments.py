"""Many overlapping groups of the same values, and slices by one field, against the rest.

A group's mean has a variance from its conversations (Liang and Zeger 1986), its distance from the
rest is tested with unequal variances (Welch 1947), and all intervals of one screen hold together
(Bonferroni). Without conversations every value is one of its own, which gives the plain formulas.
"""

import math
from collections.abc import Sequence
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


SHOWN_FROM: Final = 10
"""Evaluations below which a slice shows no estimate and no colour."""
FEW: Final = f"fewer than {SHOWN_FROM} evaluations"
NO_TEST: Final = "nothing was tested here"


def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Adjust p values of one screen so that few of those called different are not.

    Args:
        p_values: one a slice or metric; None stays None and does not count.

    Raises:
        ValueError: for a p value outside 0 to 1.
    """
    known = [(p, at) for at, p in enumerate(p_values) if p is not None]
    if any(not 0 <= p <= 1 for p, _ in known):
        raise ValueError("A p value lies between 0 and 1.")
    adjusted: list[float | None] = [None] * len(p_values)
    least, count = 1.0, len(known)
    for rank, (p, at) in enumerate(sorted(known, reverse=True)):
        least = min(least, p * count / (count - rank))
        adjusted[at] = least
    return tuple(adjusted)


def level_left(p_values: Sequence[float | None], level: float = 0.95) -> float:
    """Give the level that Benjamini and Hochberg leave for each interval of one screen.

    Intervals at this level exclude 0 exactly where the adjusted p value says so, and among those
    that do no more miss the truth than the level promises (Benjamini and Yekutieli 2005).

    Args:
        p_values: one a figure, of the test that its interval inverts; None does not count.
        level: wanted over all of them together.

    Raises:
        ValueError: for a p value outside 0 to 1 or a level that is no share.
    """
    known = sorted(p for p in p_values if p is not None)
    if any(not 0 <= p <= 1 for p in known) or not 0 < level < 1:
        raise ValueError("A p value lies between 0 and 1, and a level inside.")
    spare, count = 1 - level, len(known)
    selected = max((at for at, p in enumerate(known, 1) if p < at * spare / count), default=1)
    return level if selected >= count else 1 - selected * spare / count


@dataclass(frozen=True, slots=True)
class SliceVerdict:
    """Hold what may be said of one slice.

    Attributes:
        shown: whether its estimate may be shown; else a dash.
        adjusted: p value adjusted for all slices of the screen, None if not tested.
        differs: whether it may be coloured as different.
        reason: why not shown or not tested.
    """

    shown: bool
    adjusted: float | None
    differs: bool
    reason: str | None = None


def judge_slices(
    sizes: Sequence[int], p_values: Sequence[float | None], *, false_share: float = 0.05
) -> tuple[SliceVerdict, ...]:
    """Judge the slices of one screen together.

    Args:
        sizes: evaluations behind each slice.
        p_values: one a slice, None where nothing could be tested.
        false_share: tolerated share of false ones among the slices called different.

    Raises:
        ValueError: for columns of different length.
    """
    if len(sizes) != len(p_values):
        raise ValueError(f"{len(sizes)} slices need as many p values; found {len(p_values)}.")
    large = [n >= SHOWN_FROM for n in sizes]
    tested = [p if fits else None for p, fits in zip(p_values, large, strict=True)]
    return tuple(
        SliceVerdict(
            shown=fits,
            adjusted=p,
            differs=p is not None and p <= false_share,
            reason=(None if p is not None else NO_TEST) if fits else FEW,
        )
        for p, fits in zip(benjamini_hochberg(tested), large, strict=True)
    )
