"""How values differ, with an interval: two groups in mean or share, or along another value.

Sources: Welch 1947; Agresti and Caffo 2000 for shares; differences inside strata weighted as by
regression on strata (Mantel and Haenszel's weights). Values that share a conversation, or an
evaluation, widen the interval by their design effect (Liang and Zeger 1986). That of a slope does
not take the spread for equal everywhere (HC3, MacKinnon and White 1985).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.clustering import Quantity, cluster_codes_of
from reviewer.stats.coefficients import OUT_OF_RANGE, Floats, dot
from reviewer.stats.intervals import INTERVALS_FROM
from reviewer.stats.paired_shares import sign_beyond_chance, told_apart
from reviewer.stats.quantiles import normal_quantile, normal_two_sided, t_quantile, t_two_sided

Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]
FEW: Final = f"each side needs {INTERVALS_FROM} values or more"
ALIKE: Final = "the values of each side are all alike"
SINGLE: Final = "nobody has two values on one side"
CONVERSATIONS: Final = "too few conversations"
NO_STRATUM: Final = "nobody has values on both sides"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Hold the second group against the first.

    Attributes:
        first, second: means (or shares) of each; None without values.
        n_first, n_second: values of each.
        difference: second minus first.
        low, high: ends of its interval; None where it is not defined.
        p: whether chance alone would do, two-sided; None where nothing was tested.
        reason: why there is no difference or no interval.
    """

    first: float | None
    second: float | None
    n_first: int
    n_second: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    reason: str | None = None

    def held(self, limit: float) -> "Contrast":
        """Cut the interval to what is possible, from minus to plus a limit."""
        if self.low is None or self.high is None:
            return self
        return replace(self, low=max(self.low, -limit), high=min(self.high, limit))


def mean_contrast(
    values: Floats,
    second: Flags,
    clusters: Codes | None = None,
    level: float = 0.95,
    smallest: int = INTERVALS_FROM,
) -> Contrast:
    """Compare the means of two groups (Welch's interval, widened by clusters).

    Args:
        values: shape (n,).
        second: shape (n,), which belong to the second group.
        clusters: shape (n,), what several values share; None where they share nothing.
        level: level of the interval.
        smallest: values that each side needs for an interval, two or more.
    """
    found = _sides(values, second)
    if min(found.n_first, found.n_second) < max(smallest, 2):
        return found
    one, other = values[~second], values[second]
    parts = [_spread(x) / x.size for x in (one, other)]
    variance = sum(parts)
    if variance <= 0:
        return replace(found, reason=ALIKE)
    freedom = satterthwaite(parts, [one.size - 1, other.size - 1])
    design = design_of_difference(values, second, clusters, variance)
    return _by_t(found, variance, freedom, design, level)


def share_contrast(
    hits: Flags, second: Flags, clusters: Codes | None = None, level: float = 0.95
) -> Contrast:
    """Compare two shares (Agresti and Caffo's interval).

    Where values share clusters they count as the single ones that they are worth, and Student's t
    of the clusters takes the place of the normal distribution.
    """
    values = hits.astype(np.float64)
    found = _sides(values, second)
    if min(found.n_first, found.n_second) < INTERVALS_FROM:
        return found
    codes = cluster_codes_of(clusters)
    groups = values.size if codes is None else int(codes.max()) + 1
    if groups < 2:
        return replace(found, reason=CONVERSATIONS)
    sides = values[~second], values[second]
    plain = sum(float(x.var()) / max(x.size - 1, 1) for x in sides)
    # where each side is all alike, a cluster says no more than one value
    effect = values.size / groups
    if plain > 0:
        effect, _ = design_of_difference(values, second, clusters, plain)
    worth = [(float(x.sum()) / effect + 1, x.size / effect + 2) for x in sides]
    (first, n_first), (last, n_second) = worth
    shares = first / n_first, last / n_second
    variance = sum(x * (1 - x) / n for x, n in zip(shares, (n_first, n_second), strict=True))
    middle, step = shares[1] - shares[0], found.difference or 0.0
    distance = abs(middle) / math.sqrt(variance) if middle * step > 0 else 0.0
    reach, p = normal_quantile(0.5 + level / 2), normal_two_sided(distance)
    if codes is not None:
        reach, p = t_quantile(0.5 + level / 2, groups - 1), t_two_sided(distance, groups - 1)
    half = reach * math.sqrt(variance)
    low, high = max(middle - half, -1.0), min(middle + half, 1.0)
    return _ended(found, min(low, step), max(high, step), p=p, level=level)


def within_contrast(
    values: Floats,
    second: Flags,
    strata: Codes,
    clusters: Codes | None = None,
    level: float = 0.95,
    least: float = 0.0,
) -> Contrast:
    """Compare two groups inside strata, each stratum by what it tells.

    Strata without values on both sides are left out; both means are those that the strata's
    weights give, so that they differ by the difference.

    Args:
        values: shape (n,).
        second: shape (n,), which belong to the second group.
        strata: shape (n,), such as people.
        clusters: shape (n,), what several values share; None where they share nothing.
        level: level of the interval.
        least: variance inside a stratum and group that is taken for granted, see `share_variance`.
    """
    codes = np.unique(strata, return_inverse=True)[1]
    both = np.asarray((_counted(codes, second) > 0).all(axis=0))
    if not both.any():
        return Contrast(None, None, 0, 0, reason=NO_STRATUM)
    kept = both[codes]
    cells = _Cells(values[kept], second[kept], np.unique(codes[kept], return_inverse=True)[1])
    found = cells.contrast()
    freedom = cells.values.size - 2 * int(both.sum())
    if min(found.n_first, found.n_second) < INTERVALS_FROM:
        return found
    if freedom < 1:
        return replace(found, reason=SINGLE)
    squares = dot(cells.residuals, cells.residuals)
    spread = max(squares / freedom if squares > _noise(cells.values) else 0.0, least)
    if spread <= 0:
        return replace(found, reason=ALIKE)
    variance = spread / float(cells.weights.sum())
    own = clusters[kept] if clusters is not None else None
    return _by_t(found, variance, freedom, _design(cells.influence(), own, variance), level)


def _by_t(
    found: Contrast, variance: float, freedom: float, design: tuple[float, int], level: float
) -> Contrast:
    """End a difference by Student's t; the design is its effect, and of how many clusters."""
    effect, groups = design
    se = math.sqrt(variance * effect)
    freedom = min(freedom, groups - 1)
    if freedom < 1:
        return replace(found, reason=CONVERSATIONS)
    step = found.difference or 0.0
    half = t_quantile(0.5 + level / 2, freedom) * se
    return _ended(found, step - half, step + half, p=t_two_sided(step / se, freedom), level=level)


class _Cells:
    """Values by stratum and group, with both groups in every stratum."""

    def __init__(self, values: Floats, second: Flags, codes: NDArray[np.intp]) -> None:
        self.values, self._second, self._codes = values, second, codes
        self._counts = _counted(codes, second)
        totals = [np.bincount(codes[side], values[side]) for side in (~second, second)]
        self._means = np.stack([total / n for total, n in zip(totals, self._counts, strict=True)])
        self.weights = self._counts[0] * self._counts[1] / self._counts.sum(axis=0)
        self._shares: Floats = self.weights / self.weights.sum()
        self.residuals: Floats = values - self._means[second.astype(np.int64), codes]

    def contrast(self) -> Contrast:
        """Give both weighted means and their difference, without an interval."""
        first, other = (float(dot(self._shares, row)) for row in self._means)
        n_first, n_second = (int(n) for n in self._counts.sum(axis=1))
        return Contrast(first, other, n_first, n_second, other - first, reason=FEW)

    def influence(self) -> Floats:
        """Give what each value adds to the error of the difference."""
        weights = (self._shares / self._counts)[self._second.astype(np.int64), self._codes]
        return np.asarray(np.where(self._second, 1, -1) * self.residuals * weights)


def _counted(codes: NDArray[np.intp], second: Flags) -> Codes:
    """Count the values of each group (rows) in each stratum (columns)."""
    size = int(codes.max(initial=-1)) + 1
    return np.stack([np.bincount(codes[side], minlength=size) for side in (~second, second)])


def share_variance(hits: Flags) -> float:
    """Give the variance of hits with two hits and two misses more (Agresti and Coull 1998).

    Few labels that happen to hit without exception do not show how hits vary.
    """
    share = (float(hits.sum()) + 2) / (hits.size + 4)
    return share * (1 - share)


def _spread(values: Floats) -> float:
    """Give the variance of values, 0 where only rounding tells them apart."""
    found = float(values.var(ddof=1))
    return found if found * values.size > _noise(values) else 0.0


def _noise(values: Floats) -> float:
    """Give the sum of squares that rounding alone may leave of values that are alike."""
    return 1e-24 * dot(values, values)


def _sides(values: Floats, second: Flags) -> Contrast:
    one, other = values[~second], values[second]
    means = [float(x.mean()) if x.size else None for x in (one, other)]
    first, last = means
    step = None if first is None or last is None else last - first
    return Contrast(first, last, one.size, other.size, step, reason=FEW)


def _ended(found: Contrast, low: float, high: float, *, p: float, level: float) -> Contrast:
    step = found.difference or 0.0
    low, high = told_apart(low, high, sign_beyond_chance(step, p, level))
    return replace(found, difference=step, low=low, high=high, p=p, reason=None)


def satterthwaite(variances: Sequence[float], each: Sequence[float]) -> float:
    """Give the degrees of freedom of a sum of variances from those of each (Welch 1947)."""
    largest = max(variances)
    if not largest:
        return min(each)
    # as parts of the largest, so that no square leaves the range of doubles
    shares = [variance / largest for variance in variances]
    return sum(shares) ** 2 / sum(x * x / f for x, f in zip(shares, each, strict=True))


def design_of_difference(
    values: Floats, second: Flags, clusters: Codes | None, variance: float
) -> tuple[float, int]:
    """Give the design effect of clusters on the difference of two means, and their number."""
    influence = np.where(
        second,
        (values - values[second].mean()) / second.sum(),
        -(values - values[~second].mean()) / (~second).sum(),
    )
    return _design(influence, clusters, variance)


def _design(influence: Floats, clusters: Codes | None, variance: float) -> tuple[float, int]:
    """Give how many times clusters widen a variance, never below 1, and how many there are."""
    if clusters is None:
        return 1.0, influence.size
    codes = np.unique(clusters, return_inverse=True)[1]
    groups = int(codes.max(initial=-1)) + 1
    if groups < 2:
        return 1.0, groups
    sums = np.bincount(codes, influence).astype(np.float64)
    return max(groups / (groups - 1) * dot(sums, sums) / variance, 1.0), groups


FEW_POINTS: Final = "a slope needs three values or more"
FLAT: Final = "all are alike in what the values are set against"
EXACT: Final = "all values lie on one line, so chance cannot be told from a slope"
DECIDED: Final = (
    "the values that decide the slope lie on the line, so chance cannot be told from a slope"
)
ONE_CONVERSATION: Final = "all values come from fewer than three conversations"


_LARGE: Final = 1e100
"""Beyond it products of squares leave the range of doubles."""


@dataclass(frozen=True, slots=True)
class Slope(Quantity):
    """Hold a slope with its interval: the change of y for one step of x.

    Attributes:
        p: whether chance alone would do, two-sided; None where the line is exact where it is
            decided, as the ends.
    """

    p: float | None = None


def slope(
    x: Floats, y: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95
) -> Slope:
    """Fit a line to n points.

    Args:
        x: shape (n,), what the values are set against.
        y: shape (n,), the values.
        clusters: shape (n,), each value's conversation; None where none is shared.
        level: level of the interval.
    """
    n = x.size
    missing = _no_slope(x, y)
    if missing is not None:
        return Slope(None, n, reason=missing)
    centred = x - x.mean()
    value = dot(centred, y - y.mean()) / dot(centred, centred)
    se, freedom, reason = _slope_error(centred, y - y.mean() - value * centred, y, clusters)
    if se is None:
        return Slope(value, n, reason=reason)
    half = t_quantile(0.5 + level / 2, freedom) * se
    if not se or not (math.isfinite(value) and math.isfinite(half)):
        return Slope(None, n, reason=OUT_OF_RANGE)
    return Slope(value, n, value - half, value + half, p=t_two_sided(value / se, freedom))


def _no_slope(x: Floats, y: Floats) -> str | None:
    """Say why there is no slope."""
    if x.size < 3:
        return FEW_POINTS
    if not all(float(np.abs(column).max()) <= _LARGE for column in (x, y)):
        return OUT_OF_RANGE
    centred = x - x.mean()
    flat = dot(centred, centred) <= 1e-12 * max(float(np.abs(x).max()) ** 2, 1e-300)
    return FLAT if flat else None


def _slope_error(
    centred: Floats, rest: Floats, y: Floats, clusters: NDArray[np.int64] | None
) -> tuple[float | None, int, str | None]:
    """Give the slope's standard error with its degrees of freedom, else why there is none."""
    n, squares = centred.size, dot(centred, centred)
    if dot(rest, rest) <= 1e-24 * dot(y, y):
        return None, 0, EXACT
    lever = 1 / n + centred**2 / squares
    # a point that alone decides the line has no residual to judge it by
    influence = centred * rest / np.maximum(1 - lever, 1e-9) / squares
    groups, variance = n, dot(influence, influence)
    # no more than what rounding leaves of residuals that are 0 wherever the line is decided
    if variance <= 1e-20 * dot(rest, rest) / squares:
        return None, 0, DECIDED
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
        groups = int(codes.max()) + 1
        if groups < 3:
            return None, 0, ONE_CONVERSATION
        sums = np.bincount(codes, influence).astype(np.float64)
        # few conversations that happen to balance each other prove nothing
        variance = max(groups / (groups - 1) * dot(sums, sums), variance)
    return math.sqrt(variance), groups - 2, None
