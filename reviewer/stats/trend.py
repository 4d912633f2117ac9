"""How a value changes with another: the slope of the least-squares line, with its interval.

The interval does not take the spread for equal everywhere (HC3, MacKinnon and White 1985), and
draws values of one conversation together where they share one.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.clustering import Quantity
from reviewer.stats.coefficients import OUT_OF_RANGE, Floats, dot
from reviewer.stats.quantiles import t_quantile, t_two_sided

FEW: Final = "a slope needs three values or more"
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
    missing = _missing(x, y)
    if missing is not None:
        return Slope(None, n, reason=missing)
    centred = x - x.mean()
    value = dot(centred, y - y.mean()) / dot(centred, centred)
    se, freedom, reason = _error(centred, y - y.mean() - value * centred, y, clusters)
    if se is None:
        return Slope(value, n, reason=reason)
    half = t_quantile(0.5 + level / 2, freedom) * se
    if not se or not (math.isfinite(value) and math.isfinite(half)):
        return Slope(None, n, reason=OUT_OF_RANGE)
    return Slope(value, n, value - half, value + half, p=t_two_sided(value / se, freedom))


def _missing(x: Floats, y: Floats) -> str | None:
    """Say why there is no slope."""
    if x.size < 3:
        return FEW
    if not all(float(np.abs(column).max()) <= _LARGE for column in (x, y)):
        return OUT_OF_RANGE
    centred = x - x.mean()
    flat = dot(centred, centred) <= 1e-12 * max(float(np.abs(x).max()) ** 2, 1e-300)
    return FLAT if flat else None


def _error(
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
