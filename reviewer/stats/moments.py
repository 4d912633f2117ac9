"""Means, centred sums and ranks of pairs, and the figures that follow from them alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats, Worked, divided, dot, unlike


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


def pearson(stack: MomentStack) -> Worked:
    """Give Pearson's r; NaN where one side is constant."""
    r = divided(stack.s_cross, np.sqrt(stack.s_auto * stack.s_human))
    terms = {
        "covariance": divided(stack.s_cross, stack.n),
        "auto_sd": np.sqrt(divided(stack.s_auto, stack.n)),
        "human_sd": np.sqrt(divided(stack.s_human, stack.n)),
    }
    return Worked(np.clip(r, -1.0, 1.0), terms)


def icc_agreement(stack: MomentStack) -> Worked:
    """Give ICC(A,1) of two raters, which a constant bias lowers (McGraw and Wong 1996)."""
    between, within = _mean_squares(stack)
    columns = stack.n * stack.bias**2 / 2
    below = between + within + 2 * divided(columns - within, stack.n)
    value = np.where(between + within > 0, divided(between - within, below), np.nan)
    return Worked(value, {"responses": between, "rest": within, "sides": columns, "n": stack.n})


def icc_consistency(stack: MomentStack) -> Worked:
    """Give ICC(C,1) of two raters, which a constant bias does not change."""
    between, within = _mean_squares(stack)
    terms = {"responses": between, "rest": within}
    return Worked(divided(between - within, between + within), terms)


def _mean_squares(stack: MomentStack) -> tuple[Floats, Floats]:
    freedom = stack.n - 1
    between = stack.s_auto + stack.s_human + 2 * stack.s_cross
    return divided(np.maximum(between, 0) / 2, freedom), divided(stack.s_gap / 2, freedom)


def alpha_interval(stack: MomentStack) -> Worked:
    """Give Krippendorff's interval alpha of two raters from raw values."""
    n = stack.n
    observed = stack.s_gap + n * stack.bias**2
    spread = stack.s_auto + stack.s_human + n * stack.bias**2 / 2
    terms = {"observed": divided(observed, n), "expected": divided(2 * spread, 2 * n - 1)}
    return Worked(1 - divided((2 * n - 1) * observed, 2 * n * spread), terms)


Places = NDArray[np.int64]


def average_ranks(values: Floats) -> Floats:
    """Rank values from 1; equal values share the mean of their ranks."""
    return _mid_ranks(rank_places(values), np.ones(len(values)))


def spearman(left: Places, right: Places, counts: Floats) -> Worked:
    """Give Spearman's rho of d distinct pairs with counts; NaN if one side is constant.

    `left` and `right` are the places of both sides, as `rank_places` gives them.
    """
    if not (left.any() and right.any()):
        return Worked(np.full(1, np.nan), {})
    n = counts.sum()
    x, y = _mid_ranks(left, counts) - (n + 1) / 2, _mid_ranks(right, counts) - (n + 1) / 2
    both, one, other = dot(counts, x * y), dot(counts, x * x), dot(counts, y * y)
    rho = np.clip([both / np.sqrt(one * other)], -1.0, 1.0)
    terms = {
        "covariance": np.array([both / n]),
        "auto_sd": np.sqrt([one / n]),
        "human_sd": np.sqrt([other / n]),
    }
    return Worked(rho, terms)


def kendall_b(left: Places, right: Places, counts: Floats) -> Worked:
    """Give tau-b of d distinct pairs with counts in O(d log d); NaN if one side is constant.

    `left` and `right` are the places of both sides, as `rank_places` gives them.
    """
    apart_left, apart_right = (
        unlike(np.bincount(x, counts).astype(np.float64)) for x in (left, right)
    )
    room = apart_left * apart_right
    if room <= 0:
        return Worked(np.full(1, np.nan), {})
    order = np.argsort(left * (right.max() + 1) + right)
    codes = right[order].astype(np.int32)
    if (counts == 1).all():
        discordant = float(_inversions(codes))
    else:
        discordant = _weighted_inversions(codes, counts[order])
    # apart on both sides: apart on either, less those that are no tie of both
    comparable = apart_left + apart_right - unlike(counts)
    terms = {
        "in_order": np.array([comparable / 2 - discordant]),
        "in_reverse": np.array([discordant]),
        "auto_untied": np.array([apart_left / 2]),
        "human_untied": np.array([apart_right / 2]),
    }
    return Worked(np.array([(comparable - 4 * discordant) / np.sqrt(room)]), terms)


def rank_places(values: Floats) -> Places:
    """Give each value's place among the distinct ones, from 0; faster than `np.unique`."""
    if (values[1:] >= values[:-1]).all():
        return np.cumsum(np.diff(values, prepend=values[:1]) > 0, dtype=np.int64)
    order = np.argsort(values)
    ordered = values[order]
    places = np.empty(len(values), dtype=np.int64)
    places[order] = np.cumsum(np.diff(ordered, prepend=ordered[:1]) > 0)
    return places


def _mid_ranks(place: Places, counts: Floats) -> Floats:
    totals = np.bincount(place, counts)
    ranks: Floats = (np.cumsum(totals) - (totals - 1) / 2)[place]
    return ranks


# Both counts go bit by bit from the highest: inside each group of equal higher bits the ones that
# stand before a zero are its inversions; then all zeros go before all ones, which keeps the order
# inside each new group and every group in one piece.


def _inversions(codes: NDArray[np.int32]) -> int:
    """Count the pairs that stand in falling order."""
    total = 0
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        group = codes >> (bit + 1)
        starts = np.flatnonzero(group[1:] != group[:-1]) + 1
        longest = int(np.diff(starts, prepend=0, append=len(codes)).max())
        if longest <= _SMALL:
            return total + _falling(codes, group, longest)
        is_one = (codes >> bit & 1).astype(np.bool_)
        zeros, ones = np.flatnonzero(~is_one), np.flatnonzero(is_one)
        # before the k-th zero at place p stand p - k ones, less those before its group
        first = np.searchsorted(zeros, starts)
        held = np.diff(first, append=len(zeros))
        total += int(zeros.sum()) - len(zeros) * (len(zeros) - 1) // 2
        total -= int(((starts - first) * held).sum())
        codes = codes[np.concatenate([zeros, ones])]
    return total


def _falling(codes: NDArray[np.int32], group: NDArray[np.int32], longest: int) -> int:
    """Count falling pairs inside short groups by comparing at every distance."""
    total = 0
    for lag in range(1, longest):
        falls = codes[lag:] < codes[:-lag]
        total += int(np.count_nonzero(falls & (group[lag:] == group[:-lag])))
    return total


def _weighted_inversions(codes: NDArray[np.int32], counts: Floats) -> float:
    """Add up the products of counts over all pairs that stand in falling order."""
    total = 0.0
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        group = codes >> (bit + 1)
        is_one = (codes >> bit & 1).astype(np.bool_)
        ones = counts * is_one
        zeros, before = counts - ones, np.cumsum(ones)
        starts = np.flatnonzero(group[1:] != group[:-1]) + 1
        total += dot(zeros, before)
        if len(starts):
            total -= dot(np.add.reduceat(zeros, starts), before[starts - 1])
        if bit:
            order = np.concatenate([np.flatnonzero(~is_one), np.flatnonzero(is_one)])
            codes, counts = codes[order], counts[order]
    return total


_SMALL: Final = 64
"""Longest group in which comparing at every distance is faster than another bit."""
