"""Intervals: Wilson for shares, t for means, resampling for coefficients.

Which one belongs to which figure was settled by simulated coverage: two by two tables draw from
Dirichlet(counts + 1/2), larger ones from the multinomial bootstrap, AC1 and AC2 of larger ones
from Dirichlet(counts + 1/k²).

Evaluations that were drawn with different chances weigh 1 over their own. Labelling more of one
kind than of another distorts every coefficient (verification bias, Begg and Greenes 1983). Where
evaluations were drawn by the judge's levels and nobody wrote down with which probabilities, the
labelled share of each level stands in: a level then counts by its share of all judged ones, and
one that nobody labelled stands for nothing.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats
from reviewer.stats.quantiles import normal_quantile, t_quantile

INTERVALS_FROM: Final = 10
"""Smallest number of pairs with an interval."""
APPROXIMATE_BELOW: Final = 100
"""Resampled intervals of fewer pairs are marked approximate."""

Method = Literal[
    "wilson", "wilson by conversation", "t", "dirichlet", "bootstrap", "beta", "order"
]
Statistic = Callable[[Floats], Floats]
_CELLS_AT_ONCE: Final = 2_000_000
_CELLS_KEPT: Final = 250_000


@dataclass(frozen=True, slots=True)
class Interval:
    """Hold both ends of an interval, how it was made, and whether its level is approximate."""

    low: float
    high: float
    method: Method
    approximate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalPolicy:
    """Choose level, seed and number of resamples; 0 leaves out every resampled interval."""

    level: float = 0.95
    seed: int = 0
    resamples: int = 1000

    def __post_init__(self) -> None:
        """Check the choice.

        Raises:
            ValueError: for a level outside 0 to 1 or too few resamples.
        """
        if not 0 < self.level < 1:
            raise ValueError(f"The level is {self.level}; it must lie between 0 and 1, like 0.95.")
        if self.resamples < 0 or self.resamples == 1 or self.seed < 0:
            raise ValueError(
                "The number of resamples must be 0, or 2 or more, and the seed 0 or more."
            )


def containing(interval: Interval, value: float) -> Interval:
    """Widen an interval to hold its figure.

    Few pairs that agree without exception draw fewer agreements than they are, so that the cut
    tails of kappa 1 lie below it; widening can only make the interval cover more.
    """
    low, high = min(interval.low, value), max(interval.high, value)
    return replace(interval, low=low, high=high)


def wilson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """Give Wilson's score interval of a share; None without cases."""
    if n <= 0:
        return None
    low, high = score_ends(successes / n, n, normal_quantile(0.5 + level / 2))
    return Interval(low, high, "wilson")


def score_ends(share: float, n: float, reach: float) -> tuple[float, float]:
    """Give the shares that so many standard deviations reach from the one found (Wilson).

    Args:
        share: the one found, 0 to 1.
        n: cases, or as many as they are worth, above 0.
        reach: standard deviations, such as a normal quantile.
    """
    squared = reach * reach
    middle = (share + squared / (2 * n)) / (1 + squared / n)
    half = reach / (1 + squared / n) * math.sqrt(share * (1 - share) / n + squared / (4 * n * n))
    low = 0.0 if share <= 0 else max(middle - half, 0.0)
    high = 1.0 if share >= 1 else min(middle + half, 1.0)
    return low, high


def t_interval(mean: float, sd: float, n: int, level: float = 0.95) -> Interval | None:
    """Give the t interval of a mean from its standard deviation; None below two cases."""
    if n < 2:
        return None
    half = t_quantile(0.5 + level / 2, n - 1) * sd / math.sqrt(n)
    return Interval(mean - half, mean + half, "t")


def order_interval(values: Floats, share: float, level: float = 0.95) -> Interval | None:
    """Give the interval of a percentile between two of its values, by the ranks that it may have.

    None where there are too few values for a rank above it: 95 of 100 have one, 19 of 20 have not.

    Args:
        values: shape (n,).
        share: the percentile as a share, 0.95 for p95.
        level: level of the interval.
    """
    n = values.size
    half = normal_quantile(0.5 + level / 2) * math.sqrt(n * share * (1 - share))
    low, high = math.floor(n * share - half), math.ceil(n * share + half)
    if n < INTERVALS_FROM or low < 1 or high > n:
        return None
    ranked = np.sort(values)
    return Interval(float(ranked[low - 1]), float(ranked[high - 1]), "order")


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Hold what an evaluation of each of several patterns counts, and what was drawn together.

    Attributes:
        each: shape (patterns,).
        groups: shape (patterns,): above 0 the stratum that was drawn by itself, 0 for all others.
    """

    each: Floats
    groups: NDArray[np.intp]

    def of(self, counts: Floats) -> Floats:
        """Give weighted counts."""
        weighted: Floats = counts * self.each
        return weighted

    @property
    def is_even(self) -> bool:
        """Tell whether all that was drawn together counts alike."""
        return all(not np.ptp(self.each[self.groups == one]) for one in np.unique(self.groups))

    def drawn(self, rng: np.random.Generator, counts: Floats, sets: int, prior: float) -> Floats:
        """Draw each group by itself, since it was labelled by itself, and weigh what is drawn."""
        draws = np.zeros((sets, len(counts)))
        for group in np.unique(self.groups[counts > 0]).tolist():
            mine = np.flatnonzero(self.groups == group)
            draws[:, mine] = _drawn(rng, counts[mine], sets, prior) * self.each[mine]
        return self._brought(draws, counts)

    def evened(self, draws: Floats, counts: Floats) -> Floats:
        """Weigh drawn counts, shape (sets, patterns), and bring each stratum to its whole."""
        even = draws * self.each
        for group in np.unique(self.groups[(counts > 0) & (self.groups > 0)]).tolist():
            mine = self.groups == group
            found = even[:, mine].sum(axis=1, keepdims=True)
            whole = self.of(counts)[mine].sum()
            even[:, mine] *= np.divide(whole, found, out=np.zeros_like(found), where=found > 0)
        return self._brought(even, counts)

    def _brought(self, draws: Floats, counts: Floats) -> Floats:
        """Bring every set to the number of evaluations, as the weights themselves are."""
        found = draws.sum(axis=1, keepdims=True)
        brought: Floats = draws * np.divide(
            float(self.of(counts).sum()), found, out=np.zeros_like(found), where=found > 0
        )
        return brought


def resample(
    counts: Floats,
    statistics: Mapping[str, Statistic],
    policy: IntervalPolicy,
    *,
    prior: float = 0.0,
    weights: Weights | None = None,
) -> dict[str, Floats]:
    """Draw sets of counts and give every statistic's value in each set.

    Without prior the draws are multinomial; with one they are n times Dirichlet(counts + prior).
    With weights each group of them is drawn by itself and then weighted.
    One fresh generator serves all statistics, which is the same as a fresh one for each.

    Args:
        counts: shape (cells,).
        statistics: functions of draws of shape (sets, cells) to values of shape (sets,).
        policy: level, seed and number of resamples.
        prior: what is added to each count.
        weights: what each cell counts, where evaluations were drawn with different chances.
    """
    if not policy.resamples:
        return {name: np.zeros(0) for name in statistics}
    rng = np.random.default_rng(policy.seed)
    size = max(1, _CELLS_AT_ONCE // max(len(counts), 1))
    found: dict[str, list[Floats]] = {name: [] for name in statistics}
    for start in range(0, policy.resamples, size):
        sets = min(size, policy.resamples - start)
        if weights is None and counts.size * policy.resamples <= _CELLS_KEPT:
            draws = _drawn_before(counts.tobytes(), policy.seed, sets, prior)
        elif weights is None:
            draws = _drawn(rng, counts, sets, prior)
        else:
            draws = weights.drawn(rng, counts, sets, prior)
        for name, statistic in statistics.items():
            found[name].append(statistic(draws))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def at_least(
    intervals: Mapping[str, Interval], alone: Mapping[str, Interval]
) -> dict[str, Interval]:
    """Widen intervals of conversations to those of single pairs.

    Few conversations that happen to balance each other prove nothing.
    """
    return {
        name: containing(containing(one, alone[name].low), alone[name].high)
        if name in alone
        else one
        for name, one in intervals.items()
    }


def by_conversation(
    cells: NDArray[np.intp], codes: NDArray[np.intp], size: int, policy: IntervalPolicy
) -> Floats | None:
    """Draw whole conversations and count their pairs; None below two conversations.

    Args:
        cells: shape (n,), where each pair is counted, -1 for nowhere.
        codes: shape (n,), its conversation; those without a counted pair are not drawn.
        size: number of cells.
        policy: level, seed and number of resamples.

    Returns:
        Counts of shape (resamples, size).
    """
    places = cells[cells >= 0]
    found, of = np.unique(codes[cells >= 0], return_inverse=True)
    groups = len(found)
    if groups < 2:
        return None
    rng = np.random.default_rng(policy.seed)
    drawn = np.zeros((policy.resamples, size))
    for row in drawn:
        times = np.bincount(rng.integers(0, groups, groups), minlength=groups)
        row[:] = np.bincount(places, times[of], size)
    return drawn


def share_of_groups(interval: Interval, share: float, groups: int, level: float) -> Interval:
    """Give a share of which every draw says the same, such as 1, Wilson's of what is drawn."""
    if interval.low < interval.high:
        return interval
    found = wilson(share * groups, groups, level)
    return interval if found is None else replace(found, approximate=True)


@lru_cache(maxsize=2)
def _drawn_before(counts: bytes, seed: int, sets: int, prior: float) -> Floats:
    """Give the draws of counts; coefficients of one table ask for the same ones in a row."""
    draws = _drawn(np.random.default_rng(seed), np.frombuffer(counts), sets, prior)
    draws.flags.writeable = False
    return draws


def _drawn(rng: np.random.Generator, counts: Floats, sets: int, prior: float) -> Floats:
    n = float(counts.sum())
    if prior:
        return rng.dirichlet(counts + prior, size=sets) * n
    return rng.multinomial(round(n), counts / n, size=sets).astype(np.float64)


def percentile_interval(
    values: Floats,
    policy: IntervalPolicy,
    *,
    method: Method,
    approximate: bool,
    shift: float = 0.0,
) -> Interval | None:
    """Cut off both tails; None if the statistic is undefined in most of the sets."""
    defined = values[~np.isnan(values)]
    if 2 * len(defined) <= len(values):
        return None
    tail = 50 * (1 - policy.level)
    low, high = (float(end) + shift for end in np.percentile(defined, [tail, 100 - tail]))
    return Interval(low, high, method, approximate=approximate or low == high)


UNKNOWN: Final = 0.0
"""Worth of an evaluation whose probability is not known: it counts 1."""
BY_LEVEL: Final = -1.0
"""Worth of an evaluation drawn by the judge's level, whose labelled share is its probability."""
DECIMALS: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Hold with which chance evaluations were drawn.

    Attributes:
        worth: shape (n,), 1 over the probability, `UNKNOWN`, or `BY_LEVEL`.
        strata: shape (n,), a number above 0 of what was drawn together, such as the probability
            of a stratum; 0 for evaluations that were drawn one by one.
    """

    worth: Floats
    strata: Floats

    @property
    def of_strata(self) -> bool:
        """Tell whether any were drawn in strata, such as the judge's levels or verdicts."""
        return bool(((self.worth == BY_LEVEL) | (self.strata != 0)).any())

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Chances":
        """Give some of the rows."""
        return Chances(self.worth[rows], self.strata[rows])


def weights_of(
    chances: Chances,
    places: NDArray[np.intp] | None,
    judged: Floats | None,
    counts: Floats | None = None,
) -> Weights | None:
    """Give what each evaluation counts; together they count as many as they are.

    Those with a probability share their number by 1 over it; all others count 1.

    Args:
        chances: how each was drawn.
        places: shape (n,), the level nearest to each auto score; None without levels, where a
            level stands for nothing and what was drawn by one counts 1.
        judged: shape (k,), how many auto scores each level has in all.
        counts: shape (n,), how often each row occurs; None for once.

    Returns:
        None where all count alike.
    """
    worth, strata = chances.worth, chances.strata
    often = np.ones(worth.size) if counts is None else counts
    if not worth.any():
        return None
    by_level = worth == BY_LEVEL
    if places is None or judged is None:
        worth = np.where(by_level, UNKNOWN, worth)
    elif by_level.any():
        labelled = np.bincount(places[by_level], often[by_level], len(judged))
        rates = np.divide(judged, labelled, out=np.zeros(len(judged)), where=labelled > 0)
        worth = np.where(by_level, rates[places], worth)
        strata = np.where(by_level, -1.0 - places, strata)
    known = worth > 0
    total = float((worth * often)[known].sum())
    each = np.ones(worth.size)
    each[known] = worth[known] * (often[known].sum() / total if total else 0.0)
    if not known.any() or not np.ptp(worth[known]):
        each[:] = 1.0
    # what is left of rounding must not tell two ways of adding up apart
    each = np.round(each, DECIMALS)
    kinds, groups = np.unique(strata, return_inverse=True)
    if (each == 1).all() and kinds.size == 1:
        return None
    return Weights(each, np.where(strata == 0, 0, groups + 1).astype(np.intp))
