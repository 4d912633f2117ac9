"""Two judges against the same people: which is nearer, with an interval.

Every resample holds the same responses for both, so that what is hard for either of them cancels
out; whole conversations are drawn where responses share one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.catalogue import TABLE_NAMES, pair_statistic, table_statistic
from reviewer.stats.coefficients import Floats
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
from reviewer.stats.label_table import Judged, label_shares
from reviewer.stats.pairs import Pairs, places
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
    first, second = (_defined(statistic(counts[None])) for statistic in (one, other))
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


def _defined(found: Floats) -> float | None:
    value = float(found[0])
    return None if np.isnan(value) else value


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
