"""Means and centred sums of pairs, and the figures that follow from them alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.stats.coefficients import Floats, divided, dot


@dataclass(frozen=True, slots=True)
class Moments:
    """Hold what pairs of an automatic and a human value come down to.

    Attributes:
        n: pairs; with 0 all other fields are 0 and mean nothing.
        auto_mean, human_mean: plain means.
        s_auto, s_human, s_cross: sums of squares and products around the means.
        s_gap: sum of squares of the gap (human minus auto) around its mean.
        mae: mean absolute gap.
    """

    n: int
    auto_mean: float
    human_mean: float
    s_auto: float
    s_human: float
    s_cross: float
    s_gap: float
    mae: float

    @property
    def bias(self) -> float:
        """Give the mean gap, human minus auto."""
        return self.human_mean - self.auto_mean

    def arrays(self) -> "MomentStack":
        """Give the same as arrays of one element."""
        one = [np.array([getattr(self, name)], dtype=np.float64) for name in _STACKED]
        return MomentStack(*one)


@dataclass(frozen=True, slots=True)
class MomentStack:
    """Hold the moments of many resampled sets of pairs: one element a set."""

    n: Floats
    bias: Floats
    s_auto: Floats
    s_human: Floats
    s_cross: Floats
    s_gap: Floats


_STACKED = ("n", "bias", "s_auto", "s_human", "s_cross", "s_gap")


def moments(auto: Sequence[float] | Floats, human: Sequence[float] | Floats) -> Moments:
    """Work out the moments of pairs given as two lists of the same length."""
    x, y = np.asarray(auto, dtype=np.float64), np.asarray(human, dtype=np.float64)
    return weighted_moments(x, y, np.ones(len(x)))


def weighted_moments(auto: Floats, human: Floats, counts: Floats) -> Moments:
    """Work out the moments of distinct pairs with their counts."""
    there = counts > 0
    if not there.all():
        auto, human, counts = auto[there], human[there], counts[there]
    n = float(counts.sum())
    if not n:
        return Moments(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    auto_mean, human_mean = dot(counts, auto) / n, dot(counts, human) / n
    x, y, gap = auto - auto_mean, human - human_mean, human - auto
    centred = gap - dot(counts, gap) / n
    return Moments(
        n=round(n),
        auto_mean=auto_mean,
        human_mean=human_mean,
        s_auto=dot(counts, x * x) if np.ptp(auto) else 0.0,
        s_human=dot(counts, y * y) if np.ptp(human) else 0.0,
        s_cross=dot(counts, x * y),
        s_gap=dot(counts, centred * centred) if np.ptp(gap) else 0.0,
        mae=dot(counts, np.abs(gap)) / n,
    )


def stacked_moments(auto: Floats, human: Floats, draws: Floats) -> MomentStack:
    """Work out the moments of resampled pairs; draws has the shape (sets, pairs)."""
    n = draws.sum(axis=1)
    # one shift for all sets keeps the squares small; what is left is removed set by set
    total = max(float(n.sum()), 1.0)
    weight = draws.sum(axis=0)
    x, y = auto - float(weight @ auto) / total, human - float(weight @ human) / total
    gap = human - auto
    mean_x, mean_y, mean_gap = (divided(draws @ part, n) for part in (x, y, gap))
    return MomentStack(
        n=n,
        bias=mean_gap,
        s_auto=_centred(draws, x * x, n * mean_x**2),
        s_human=_centred(draws, y * y, n * mean_y**2),
        s_cross=draws @ (x * y) - n * mean_x * mean_y,
        s_gap=_centred(draws, gap * gap, n * mean_gap**2),
    )


def _centred(draws: Floats, squares: Floats, shift: Floats) -> Floats:
    raw = draws @ squares
    # below the rounding of the subtraction a sum of squares is zero
    rest: Floats = np.where(raw - shift > 1e-12 * raw, raw - shift, 0.0)
    return rest


def pearson(stack: MomentStack) -> Floats:
    """Give Pearson's r; NaN where one side is constant."""
    r = divided(stack.s_cross, np.sqrt(stack.s_auto * stack.s_human))
    clipped: Floats = np.clip(r, -1.0, 1.0)
    return clipped


def icc_agreement(stack: MomentStack) -> Floats:
    """Give ICC(A,1) of two raters, which a constant bias lowers (McGraw and Wong 1996)."""
    between, within = _mean_squares(stack)
    columns = stack.n * stack.bias**2 / 2
    below = between + within + 2 * divided(columns - within, stack.n)
    return np.where(between + within > 0, divided(between - within, below), np.nan)


def icc_consistency(stack: MomentStack) -> Floats:
    """Give ICC(C,1) of two raters, which a constant bias does not change."""
    between, within = _mean_squares(stack)
    return divided(between - within, between + within)


def _mean_squares(stack: MomentStack) -> tuple[Floats, Floats]:
    freedom = stack.n - 1
    between = stack.s_auto + stack.s_human + 2 * stack.s_cross
    return divided(np.maximum(between, 0) / 2, freedom), divided(stack.s_gap / 2, freedom)


def alpha_interval(stack: MomentStack) -> Floats:
    """Give Krippendorff's interval alpha of two raters from raw values."""
    n = stack.n
    observed = stack.s_gap + n * stack.bias**2
    spread = stack.s_auto + stack.s_human + n * stack.bias**2 / 2
    return 1 - divided((2 * n - 1) * observed, 2 * n * spread)
