"""How a value changes with another: the slope of the least-squares line, with its interval.

The interval does not take the spread for equal everywhere (HC3, MacKinnon and White 1985), and
draws values of one conversation together where they share one.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats, dot
from reviewer.stats.quantiles import t_quantile, t_two_sided

FEW: Final = "a slope needs three values or more"
FLAT: Final = "all are alike in what the values are set against"
EXACT: Final = "all values lie on one line, so chance cannot be told from a slope"
ONE_CONVERSATION: Final = "all values come from fewer than three conversations"


@dataclass(frozen=True, slots=True)
class Slope:
    """Hold a slope with its interval.

    Attributes:
        value: change of y for one step of x; None with a reason.
        low, high: ends of its interval.
        p: whether chance alone would do, two-sided; None where the line is exact, as the ends.
        n: values.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    reason: str | None = None


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
    if n < 3:
        return Slope(None, None, None, None, n, FEW)
    centred = x - x.mean()
    squares = dot(centred, centred)
    if squares <= 1e-12 * max(float(np.abs(x).max()) ** 2, 1e-300):
        return Slope(None, None, None, None, n, FLAT)
    value = dot(centred, y - y.mean()) / squares
    rest = y - y.mean() - value * centred
    if dot(rest, rest) <= 1e-24 * dot(y, y):
        return Slope(value, None, None, None, n, EXACT)
    lever = 1 / n + centred**2 / squares
    # a point that alone decides the line has no residual to judge it by
    influence = centred * rest / np.maximum(1 - lever, 1e-9) / squares
    groups, squares = n, dot(influence, influence)
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
        groups = int(codes.max()) + 1
        if groups < 3:
            return Slope(value, None, None, None, n, ONE_CONVERSATION)
        sums = np.bincount(codes, influence).astype(np.float64)
        # few conversations that happen to balance each other prove nothing
        squares = max(groups / (groups - 1) * dot(sums, sums), squares)
    se = math.sqrt(squares)
    half = t_quantile(0.5 + level / 2, groups - 2) * se
    return Slope(value, value - half, value + half, t_two_sided(value / se, groups - 2), n)
