"""Two judges, or two runs, on the same items: which is nearer or higher, with an interval.

Every resample holds the same items for both, so that what is hard for either of them cancels out;
whole conversations are drawn where items share one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.catalogue import TABLE_NAMES, pair_statistic, table_statistic
from reviewer.stats.clustering import ONE, cluster_codes_of, cluster_se
from reviewer.stats.coefficients import OUT_OF_RANGE, Floats, average_ranks, defined
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    Statistic,
    by_conversation,
    containing,
    percentile_interval,
    resample,
)
from reviewer.stats.label_counts import Judged, label_shares
from reviewer.stats.paired_shares import (
    NO_PAIR,
    Codes,
    McNemar,
    Sign,
    sign_beyond_chance,
    told_apart,
)
from reviewer.stats.pairs import Pairs, places
from reviewer.stats.quantiles import normal_two_sided, t_quantile, t_two_sided
from reviewer.stats.values import LabelTable, Scale

NOTHING: Final = "no response that both scored is labelled"
FEW: Final = f"fewer than {INTERVALS_FROM} labelled responses that both scored"
ALIKE: Final = "every draw of responses gives the same difference, so that nothing tells its width"
UNDEFINED: Final = "the figure is not defined for both"


@dataclass(frozen=True, slots=True)
class PairedAgreement:
    """Hold the agreement of two judges with the same people.

    Attributes:
        n: responses that both scored and people labelled.
        first, second: each one's figure on these.
        difference: first minus second; None with a reason.
        interval: None below 10 responses, and where nothing tells its width, with a reason.
        level: level of the interval.
    """

    n: int
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    reason: str | None = None
    level: float = 0.95

    @property
    def apart(self) -> bool:
        """Tell whether the interval leaves no doubt which is nearer."""
        return self.interval is not None and (self.interval.low > 0 or self.interval.high < 0)


@dataclass(frozen=True, slots=True, eq=False)
class RatedTwice:
    """Hold the same responses as two judges scored them and people labelled them.

    Attributes:
        first, second: with the scores of each judge, and what each response counts for it.
        scale: the declared scale; None for a range without levels.
        label_table: whether each label enters the tables, or what most people gave.
    """

    first: Judged
    second: Judged
    scale: Scale | None
    label_table: LabelTable


def paired_agreement(rated: RatedTwice, name: str, policy: IntervalPolicy) -> PairedAgreement:
    """Compare two judges by one coefficient on the same responses.

    Args:
        rated: the responses.
        name: a coefficient by its name in `Agreement`.
        policy: level, seed and number of resamples.
    """
    n = rated.first.auto.size
    if not n:
        return PairedAgreement(0, None, None, None, None, NOTHING)
    answers = [_answers(x, rated) for x in (rated.first, rated.second)]
    cells, at = _patterns(answers)
    counts = np.bincount(cells).astype(np.float64)
    one, other = (_of(x, rated.scale, name, at) for x in answers)
    first, second = (defined(statistic(counts[None])) for statistic in (one, other))
    if first is None or second is None:
        return PairedAgreement(n, first, second, None, None, UNDEFINED)
    step = first - second
    if n < INTERVALS_FROM:
        return PairedAgreement(n, first, second, step, None, FEW)
    drawn = _drawn(rated, cells, counts, lambda draws: one(draws) - other(draws), policy)
    found = None
    if drawn is not None:
        rough = n < APPROXIMATE_BELOW
        found = percentile_interval(drawn, policy, method="bootstrap", approximate=rough)
    if found is None or found.low == found.high:
        reason = UNDEFINED if found is None else ALIKE
        return PairedAgreement(n, first, second, step, None, reason, policy.level)
    return PairedAgreement(n, first, second, step, containing(found, step), level=policy.level)


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """Hold responses as one judge and people answered them.

    Attributes:
        shares: shape (n, k), which part of a response's labels lies at each place.
        weights: shape (n,), what each response counts.
    """

    auto: Floats
    human: Floats
    shares: Floats
    weights: Floats


def _answers(judged: Judged, rated: RatedTwice) -> _Answers:
    shares = np.zeros((judged.auto.size, 0))
    if rated.scale is not None:
        shares = label_shares(judged, rated.scale, label_table=rated.label_table)
    weights = np.ones(judged.auto.size) if judged.weights is None else judged.weights.each
    return _Answers(judged.auto, judged.human, shares, weights)


def _patterns(answers: list[_Answers]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number equal responses: each one's pattern, and a response of each pattern."""
    columns = [np.column_stack([x.auto, x.weights]) for x in answers]
    rows = np.column_stack([*columns, answers[0].human, answers[0].shares])
    _, at, cells = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return cells.ravel(), at


def _of(answers: _Answers, scale: Scale | None, name: str, at: NDArray[np.intp]) -> Statistic:
    """Give the function of drawn counts of the patterns, shape (sets, patterns), for one judge."""
    weights = answers.weights[at]
    if name not in TABLE_NAMES:
        return _of_pairs(answers.auto[at], answers.human[at], weights, name)
    if scale is None:
        return lambda draws: np.full(len(draws), np.nan)
    k = len(scale.values)
    columns, _ = places(answers.auto[at], scale)
    into = np.zeros((at.size, k, k))
    into[np.arange(at.size), :, columns] = answers.shares[at] * weights[:, None]
    flat, statistic = into.reshape(at.size, k * k), table_statistic(name, scale)
    return lambda draws: statistic((draws @ flat).reshape(-1, k, k))


def _of_pairs(auto: Floats, human: Floats, weights: Floats, name: str) -> Statistic:
    rows, place = np.unique(np.stack([auto, human], axis=1), axis=0, return_inverse=True)
    into = np.zeros((auto.size, len(rows)))
    into[np.arange(auto.size), place.ravel()] = weights
    statistic = pair_statistic(name, Pairs(rows[:, 0], rows[:, 1], np.ones(len(rows))))
    return lambda draws: statistic(draws @ into)


def _drawn(
    rated: RatedTwice,
    cells: NDArray[np.intp],
    counts: Floats,
    statistic: Statistic,
    policy: IntervalPolicy,
) -> Floats | None:
    clusters = rated.first.clusters
    if clusters is None:
        return resample(counts, {"it": statistic}, policy)["it"]
    codes = np.unique(clusters, return_inverse=True)[1]
    draws = by_conversation(cells, codes, counts.size, policy)
    return None if draws is None else statistic(draws)


ONE_PAIR: Final = "only one evaluation is in both"
CONSTANT: Final = (
    "the difference is the same on every evaluation, so that nothing tells its spread"
)
SAME: Final = "no evaluation changed"
EXACT_UP_TO: Final = 50
"""Changed items up to which signed ranks are counted out instead of approximated."""
_ALIKE: Final = 1e-9
"""Differences closer than this part of the largest are the same but for rounding."""
_LARGE: Final = 1e150
"""Beyond it, and below its inverse, squares leave the range of doubles."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Hold the mean difference of numeric scores on the same items, second minus first.

    Attributes:
        n: items in both.
        difference, sd: mean and standard deviation of the differences.
        se: standard error of the mean, by conversation where items share one.
        low, high: ends of the interval; None below two items, and where all differences are
            alike: then the p value is that of all signs being the same by chance.
        p: of the test that the interval inverts.
        method: how interval and p were made.
        level: level of the interval.
        conversations: how many the items come from; None where each is its own.
        freedom: degrees of freedom of Student's t.
        rates: the comparison of two rates, where the means are these.
    """

    n: int
    difference: float | None
    sd: float | None
    se: float | None
    low: float | None
    high: float | None
    p: float | None
    method: Literal["t", "signs", "bootstrap", "mcnemar"] = "t"
    reason: str | None = None
    level: float = 0.95
    conversations: int | None = None
    freedom: float | None = None
    rates: McNemar | None = None

    @property
    def test(self) -> str:
        """Name the test."""
        if self.rates is not None:
            return self.rates.test
        by = self.conversations is not None
        match self.method:
            case "signs":
                return "signs by conversation" if by else "signs"
            case "bootstrap":
                return "bootstrap"
            case _:
                return "paired t by conversation" if by else "paired t"

    @property
    def sign(self) -> Sign:
        """Tell which way the mean moved beyond chance, 0 where it did not."""
        return sign_beyond_chance(self.difference, self.p, self.level)

    def at(self, level: float) -> "Shift":
        """Give it with an interval of another level."""
        if self.rates is not None:
            rates = self.rates.at(level)
            return replace(self, level=level, low=rates.low, high=rates.high, rates=rates)
        if self.method != "t" or self.difference is None or not self.se or self.freedom is None:
            return replace(self, level=level)
        half = t_quantile(0.5 + level / 2, self.freedom) * self.se
        sign = sign_beyond_chance(self.difference, self.p, level)
        low, high = told_apart(self.difference - half, self.difference + half, sign)
        return replace(self, level=level, low=low, high=high)


def paired_shift(
    differences: Sequence[float] | Floats, level: float = 0.95, clusters: Codes | None = None
) -> Shift:
    """Compare numeric scores on the same items by the paired t test.

    Where items share conversations, these are what is counted: the standard error is that of
    their sums, though never below that of single items, since few conversations that happen to
    balance each other prove nothing.

    Args:
        differences: second minus first, shape (n,).
        level: level of the interval.
        clusters: shape (n,), each item's conversation; None where each is its own.
    """
    column = np.asarray(differences, dtype=np.float64)
    n = len(column)
    if n < 2:
        first = float(column[0]) if n else None
        return Shift(n, first, None, None, None, None, None, reason=ONE_PAIR if n else NO_PAIR)
    largest = float(np.abs(column).max())
    if largest and not 1 / _LARGE < largest < _LARGE:
        return Shift(n, None, None, None, None, None, None, reason=OUT_OF_RANGE)
    codes = cluster_codes_of(clusters)
    groups = None if codes is None else int(codes.max()) + 1
    mean, plain = float(column.mean()), _plain_se(column)
    sd = plain * math.sqrt(n)
    found = Shift(n, mean, sd, plain, None, None, None, level=level, conversations=groups)
    units = n if groups is None else groups
    if units < 2:
        return replace(found, se=None, reason=ONE)
    if not plain:
        by_chance = 2.0 ** (1 - units) if mean else 1.0
        return replace(found, p=by_chance, method="signs", reason=CONSTANT)
    se = plain if codes is None else max(cluster_se(column, codes) or 0.0, plain)
    found = replace(found, se=se, freedom=units - 1, p=t_two_sided(mean / se, units - 1))
    return found.at(level)


def shift_of_verdicts(found: McNemar) -> Shift:
    """Give a difference of two rates the form of a difference of means."""
    return Shift(
        found.n,
        found.difference,
        None,
        None,
        found.low,
        found.high,
        found.mid,
        method="mcnemar",
        reason=found.reason,
        level=found.level,
        conversations=found.conversations,
        rates=found,
    )


def conversation_means(differences: Floats, clusters: Codes | None) -> Floats:
    """Give the mean difference of each conversation; the differences where each is its own."""
    codes = cluster_codes_of(clusters)
    if codes is None:
        return differences
    sums = np.bincount(codes, differences)
    return np.asarray(sums / np.bincount(codes), dtype=np.float64)


def _plain_se(column: Floats) -> float:
    """Give the standard error of a mean of single items, 0 if only rounding tells them apart."""
    if np.ptp(column) <= _ALIKE * float(np.abs(column).max()):
        return 0.0
    return float(column.std(ddof=1)) / math.sqrt(len(column))


@dataclass(frozen=True, slots=True)
class SignedRanks:
    """Hold Wilcoxon's test: sum of the ranks of rises, and the two-sided p value."""

    n: int
    statistic: float | None
    p: float | None
    exact: bool = True
    reason: str | None = None


def signed_ranks(differences: Sequence[float] | Floats) -> SignedRanks:
    """Compare numeric scores on the same items by Wilcoxon's signed ranks.

    Items without difference are left out. Up to 50 items the distribution is counted out, ties
    included; beyond it is normal, with the variance corrected for ties.
    """
    column = np.round(np.asarray(differences, dtype=np.float64), 9)
    column = column[column != 0]
    n = len(column)
    if not n:
        return SignedRanks(0, None, None, reason=SAME)
    ranks = average_ranks(np.abs(column))
    rises = float(ranks[column > 0].sum())
    middle = n * (n + 1) / 4
    if n > EXACT_UP_TO:
        z = (rises - middle) / math.sqrt(float((ranks**2).sum()) / 4)
        return SignedRanks(n, rises, normal_two_sided(z), exact=False)
    # ranks end in .0 or .5, so their doubles are whole: count the subsets by their sum
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] = (ways[rank:] + ways[: len(ways) - rank]) / 2
        ways[:rank] /= 2
    away = abs(2 * rises - 2 * middle)
    far = np.abs(np.arange(len(ways)) - 2 * middle) >= away - 1e-9
    return SignedRanks(n, rises, min(1.0, float(ways[far].sum())))
