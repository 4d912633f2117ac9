"""Agreement of two raters, from tables of counts and from pairs, for many tables at once.

A stack has the shape (tables, k, k): rows human, columns auto, counts or fractions of counts.
Every coefficient gives one double a table, NaN where it is not defined, and the terms that it is
made of, so that an explanation tells what was computed; the callers turn NaN into None with a
reason. Figures of exact pairs follow from their means, centred sums and ranks alone. Sources:
Cohen 1960 and 1968, Gwet 2008, Krippendorff 2011, Kendall 1945.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class Worked(NamedTuple):
    """Hold a coefficient of many tables and the named terms of its formula, one double a table."""

    value: Floats
    terms: Mapping[str, Floats]


OUT_OF_RANGE: Final = "the values are too large or too small to compute with"


def divided(above: Floats, below: Floats) -> Floats:
    """Divide element by element, NaN where the divisor is not positive."""
    positive = below > 0
    if positive.all():
        return np.asarray(above / below)
    result = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=result, where=positive)
    return result


def unlike(totals: Floats) -> Floats:
    """Count ordered pairs of different classes from the weights of the classes, on the last axis.

    Of one class they are exactly 0, however its weights are rounded.
    """
    n = totals.sum(axis=-1, keepdims=True)
    return np.asarray((totals * (n - totals)).sum(axis=-1))


def defined(found: Floats) -> float | None:
    """Give the first value, None where it is NaN."""
    value = float(found[0])
    return None if np.isnan(value) else value


def dot(a: Floats, b: Floats) -> float:
    """Add up products of two long columns.

    The usual product spreads them over threads and waits milliseconds for those where the other
    cores are busy.
    """
    return float(np.einsum("i,i->", a, b))


def disagreement(values: Floats, power: int) -> Floats:
    """Give the k by k distances between values: power 0 unequal, 1 absolute, 2 squared."""
    steps = np.abs(values[:, None] - values[None, :])
    weights: Floats = (steps > 0).astype(np.float64) if power == 0 else steps**power
    return weights


def agreement_weights(values: Floats, power: int) -> Floats:
    """Give Gwet's agreement weights: 1 on the diagonal, 0 at the largest distance."""
    steps = disagreement(values, power)
    largest = steps.max(initial=0.0)
    return 1 - steps / largest if largest else np.ones_like(steps)


def percent(stack: Floats) -> Worked:
    """Give the share of pairs in the same category."""
    return _share(np.trace(stack, axis1=1, axis2=2), stack)


def within_one(stack: Floats) -> Worked:
    """Give the share of pairs in the same or a neighbouring category."""
    ranks = np.arange(stack.shape[1])
    near = np.abs(ranks[:, None] - ranks[None, :]) <= 1
    return _share((stack * near).sum(axis=(1, 2)), stack)


def _share(alike: Floats, stack: Floats) -> Worked:
    n = stack.sum(axis=(1, 2))
    return Worked(divided(alike, n), {"alike": alike, "n": n})


def kappa(stack: Floats, distances: Floats) -> Worked:
    """Give Cohen's kappa with the given distances; undefined where chance leaves no room."""
    n = stack.sum(axis=(1, 2))
    rows, columns = stack.sum(axis=2), stack.sum(axis=1)
    expected = ((rows @ distances) * columns).sum(axis=1)
    observed = stack.reshape(len(stack), stack.shape[1] * stack.shape[2]) @ distances.ravel()
    terms = {"observed": divided(observed, n), "expected": divided(expected, n**2)}
    return Worked(1 - divided(n * observed, expected), terms)


def kappa_se(table: Floats, distances: Floats) -> float:
    """Give the standard error of kappa (Fleiss, Cohen and Everitt 1969); NaN if undefined."""
    n = table.sum()
    largest = distances.max(initial=0.0)
    if not n or not largest:
        return float("nan")
    weights, share = 1 - distances / largest, table / n
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    chance = rows @ weights @ columns
    room = 1 - chance
    if rows @ distances @ columns == 0:
        return float("nan")
    value = ((weights * share).sum() - chance) / room
    spread = weights - (1 - value) * ((weights @ columns)[:, None] + (rows @ weights)[None, :])
    variance = (share * spread**2).sum() - (value - chance * (1 - value)) ** 2
    return float(np.sqrt(max(variance, 0.0) / n) / room)


def gwet(stack: Floats, weights: Floats) -> Worked:
    """Give Gwet's AC1 (identity weights) or AC2; undefined with fewer than two categories."""
    n, k = stack.sum(axis=(1, 2)), stack.shape[1]
    if k < 2:
        return Worked(np.full(len(stack), np.nan), {})
    observed = divided(
        stack.reshape(len(stack), stack.shape[1] * stack.shape[2]) @ weights.ravel(), n
    )
    shares = divided(stack.sum(axis=1) + stack.sum(axis=2), 2 * n[:, None])
    chance = weights.sum() / (k * (k - 1)) * (shares * (1 - shares)).sum(axis=1)
    terms = {"observed": observed, "chance": chance}
    return Worked(divided(observed - chance, 1 - chance), terms)


def scott(stack: Floats) -> Worked:
    """Give Fleiss' kappa, which for two raters is Scott's pi."""
    n = stack.sum(axis=(1, 2))
    both = stack.sum(axis=1) + stack.sum(axis=2)
    unequal = n - np.trace(stack, axis1=1, axis2=2)
    expected = unlike(both)
    terms = {"observed": divided(unequal, n), "expected": divided(expected, 4 * n**2)}
    return Worked(1 - divided(4 * n * unequal, expected), terms)


def coincidences(stack: Floats) -> Floats:
    """Give Krippendorff's coincidence tables of two raters without missing labels."""
    return stack + stack.transpose(0, 2, 1)


def alpha_nominal(pairs: Floats) -> Worked:
    """Give Krippendorff's alpha for categories from coincidence tables."""
    counts = pairs.sum(axis=2)
    n = counts.sum(axis=1)
    unequal = n - np.trace(pairs, axis1=1, axis2=2)
    return _beyond_chance(n, unequal, unlike(counts))


def alpha_ordinal(pairs: Floats) -> Worked:
    """Give Krippendorff's alpha for ordered categories.

    His ordinal distance is the difference of the categories' mid-ranks in the pooled counts.
    """
    counts = pairs.sum(axis=2)
    return _alpha(pairs, counts, np.cumsum(counts, axis=1) - counts / 2)


def _alpha(pairs: Floats, counts: Floats, places: Floats) -> Worked:
    squares = (places[:, :, None] - places[:, None, :]) ** 2
    observed = (pairs * squares).sum(axis=(1, 2))
    expected = (counts[:, :, None] * counts[:, None, :] * squares).sum(axis=(1, 2))
    return _beyond_chance(counts.sum(axis=1), observed, expected)


def _beyond_chance(n: Floats, observed: Floats, expected: Floats) -> Worked:
    terms = {"observed": divided(observed, n), "expected": divided(expected, n * (n - 1))}
    return Worked(1 - divided((n - 1) * observed, expected), terms)


def kendall_of_tables(stack: Floats) -> Floats:
    """Give Kendall's tau-b of tables whose rows and columns are in order (not only square)."""
    rows, columns = stack.sum(axis=2), stack.sum(axis=1)
    # strictly below and strictly right of each cell, then strictly below and strictly left
    below = rows_after(stack)
    right = np.flip(np.cumsum(np.flip(below, 2), axis=2), 2) - below
    left = np.cumsum(below, axis=2) - below
    surplus = (stack * (right - left)).sum(axis=(1, 2))
    return divided(2 * surplus, np.sqrt(unlike(rows) * unlike(columns)))


def rows_after(stack: Floats) -> Floats:
    """Sum, for each cell, the cells below it in the same column."""
    return np.flip(np.cumsum(np.flip(stack, 1), axis=1), 1) - stack


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
