"""Estimates from labels drawn with different chances: by the judge's level, or one by one.

Each level counts by its share among all judged evaluations, however many of it were labelled, so
that neither more labels at one level nor a judge who is wrong by level distorts the mean
(Cochran 1977, chapter 5; degrees of freedom after Satterthwaite 1946).

A label drawn with a known probability counts 1 over its own. Sources: Horvitz and Thompson 1952;
with automatic scores beside, the active inference of Zrnic and Candès 2024. Labels drawn in
several ways are pooled by their numbers (multiplicity estimator), so that neither way's
probabilities distort the other's.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats, dot
from reviewer.stats.contrast import satterthwaite
from reviewer.stats.estimate import (
    Corrected,
    EstimateMethod,
    Target,
    VerdictCounts,
    corrected_pass_rate,
    human_pass_rate,
)
from reviewer.stats.quantiles import t_quantile

SMALLEST: Final = 5
"""Labels that a stratum needs to stand by itself."""
MOST_LEVELS: Final = 20
"""Distinct scores up to which each is a stratum; more are cut into ten of equal size."""

DECIMALS: Final = 9
"""Of probabilities that are compared."""
ROUNDED: Final = 1e-3
"""How far a count may lie from the whole number that rounded probabilities stand for."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Hold the judged evaluations of one level, and what people said of some of them.

    Attributes:
        judged: evaluations of this level, the labelled included.
        n: labelled ones.
        mean, variance: of their human scores; the variance divides by n. 0 without labels.
        covered: judged evaluations of the levels inside that have a label.
        effective: labels' worth when levels labelled at different rates were merged.
    """

    judged: int
    n: int
    mean: float
    variance: float
    covered: int
    effective: float

    def __post_init__(self) -> None:
        """Check the counts.

        Raises:
            ValueError: if more are labelled than judged, or the variance is negative.
        """
        if not 0 <= self.n <= self.judged or self.variance < 0:
            raise ValueError(
                f"A stratum cannot have {self.n} labels for {self.judged} judged evaluations "
                f"with a variance of {self.variance}."
            )

    @property
    def is_enough(self) -> bool:
        """Tell whether it can stand by itself: five labels, or every evaluation labelled."""
        return self.n >= SMALLEST or self.n == self.judged


def stratum(judged: int, human: Iterable[float]) -> Stratum:
    """Make a stratum from its number of judged evaluations and its human scores."""
    scores = np.fromiter(human, dtype=np.float64)
    n = len(scores)
    covered = judged if n else 0
    if not n:
        return Stratum(judged, 0, 0.0, 0.0, 0, 0.0)
    spread = float(scores.var()) if np.ptp(scores) else 0.0
    return Stratum(judged, n, float(scores.mean()), spread, covered, float(n))


def strata_by_level(autos: Floats, labelled_autos: Floats, human: Floats) -> tuple[Stratum, ...]:
    """Sort evaluations into strata by the judge's score, lowest first.

    Args:
        autos: scores of all judged evaluations.
        labelled_autos: scores of the labelled ones, which are among `autos`.
        human: their human scores.

    Raises:
        ValueError: if both labelled columns differ in length or hold more than `autos`.
    """
    if len(labelled_autos) != len(human) or len(human) > len(autos):
        raise ValueError(
            f"{len(human)} human scores need as many scores of the judge among all "
            f"{len(autos)}; found {len(labelled_autos)}."
        )
    place, mine = level_places(autos, labelled_autos)
    sizes = np.bincount(place)
    return tuple(stratum(int(sizes[at]), human[mine == at]) for at in np.flatnonzero(sizes))


def level_rates(autos: Floats, labelled_autos: Floats) -> Floats:
    """Give the share of each label's level that was labelled: its probability of being drawn."""
    place, mine = level_places(autos, labelled_autos)
    sizes = np.bincount(place).astype(np.float64)
    labelled = np.bincount(mine, minlength=len(sizes)).astype(np.float64)
    rates: Floats = labelled[mine] / sizes[mine]
    return rates


def drawn_by_level(autos: Floats, labelled_autos: Floats, probability: Floats) -> bool:
    """Tell whether labels with known probabilities were drawn by these levels, or by others.

    They were where each level has one probability (one draw), or each probability one level
    (several draws). Levels that share one in several draws give as many labels of each probability
    as it announces of the level, or twice as many. Labels that were drawn by something else, such
    as another metric's scores, are not at random inside these levels: they count 1 over their
    probabilities.
    """
    place, mine = level_places(autos, labelled_autos)
    found = Counter(zip(mine.tolist(), np.round(probability, DECIMALS).tolist(), strict=True))
    if len(found) in (len({level for level, _ in found}), len({p for _, p in found})):
        return True
    sizes = np.bincount(place)
    return all(_is_announced(n, int(sizes[at]) * p) for (at, p), n in found.items())


def _is_announced(labels: int, wanted: float) -> bool:
    """Tell whether labels are as many as one draw, or several alike, took."""
    draw = round(wanted)
    return draw > 0 and abs(wanted - draw) < ROUNDED and labels % draw == 0


def level_places(
    autos: Floats, labelled_autos: Floats
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number the levels of all scores and of the labelled ones, lowest first."""
    every, some = np.round(autos, 9), np.round(labelled_autos, 9)
    levels = np.unique(every)
    if len(levels) > MOST_LEVELS:
        levels = np.quantile(every, np.arange(1, 10) / 10)
    return np.searchsorted(levels, every), np.searchsorted(levels, some)


def merged(strata: Sequence[Stratum]) -> tuple[Stratum, ...]:
    """Join each stratum that has too few labels to the neighbour with fewer, smallest first."""
    found = list(strata)
    while len(found) > 1:
        weak = [(one.n, at) for at, one in enumerate(found) if not one.is_enough]
        if not weak:
            break
        at = min(weak)[1]
        beside = [x for x in (at - 1, at + 1) if 0 <= x < len(found)]
        low, high = sorted((at, min(beside, key=lambda x: (found[x].n, x))))
        found[low : high + 1] = [_joined(found[low], found[high])]
    return tuple(found)


def _joined(a: Stratum, b: Stratum) -> Stratum:
    judged, n = a.judged + b.judged, a.n + b.n
    if not a.n or not b.n:
        one = a if a.n else b
        return Stratum(judged, n, one.mean, one.variance, one.covered, one.effective)
    covered = a.covered + b.covered
    share_a, share_b = a.covered / covered, b.covered / covered
    mean = share_a * a.mean + share_b * b.mean
    variance = share_a * (a.variance + (a.mean - mean) ** 2) + share_b * (
        b.variance + (b.mean - mean) ** 2
    )
    effective = 1 / (share_a**2 / a.effective + share_b**2 / b.effective)
    return Stratum(judged, n, mean, variance, covered, effective)


def stratified_mean(
    strata: Sequence[Stratum],
    *,
    target: Target = "future",
    level: float = 0.95,
) -> Corrected:
    """Estimate the mean human score of all judged evaluations from labels by stratum.

    Args:
        strata: neighbours in order; those with too few labels are merged.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.
    """
    kept = merged([one for one in strata if one.judged])
    n_all, n = sum(one.judged for one in kept), sum(one.n for one in kept)
    if not n:
        return Corrected(None, None, None, "none", 0, reason="no label in any stratum")
    shares = [one.judged / n_all for one in kept]
    value = sum(share * one.mean for share, one in zip(shares, kept, strict=True))
    if n < 2:
        reason = "an interval needs at least two labels"
        return Corrected(value, None, None, "stratified", n, reason=reason)
    parts = [
        (share**2 * (1 - one.n / one.judged) * _spread(one) / one.effective, one.n - 1)
        for share, one in zip(shares, kept, strict=True)
    ]
    beyond = 0.0
    if target == "future":
        spread = sum(
            share * (_spread(one) + (one.mean - value) ** 2)
            for share, one in zip(shares, kept, strict=True)
        )
        beyond = spread / n_all
    default = n - 1
    there = [(variance, freedom) for variance, freedom in parts if variance > 0]
    total = sum(variance for variance, _ in there)
    freedom = satterthwaite(*zip(*there, strict=True)) if there else default
    half = t_quantile(0.5 + level / 2, freedom) * math.sqrt(total + beyond)
    return Corrected(value, value - half, value + half, "stratified", n)


def _spread(one: Stratum) -> float:
    return one.variance * one.n / (one.n - 1) if one.n > 1 else 0.0


UNFINISHED: Final = (
    "fewer or more labels than the probabilities announce: they are used in proportion only"
)
_TOLERANCE: Final = 3.0


def pooled_probabilities(drawn: NDArray[np.int8], own: Floats, n_all: int) -> Floats:
    """Give each label the probability that stands for all ways of drawing together.

    Args:
        drawn: shape (n,), a code for the way each label was drawn.
        own: shape (n,), its probability; NaN where its way drew everything alike.
        n_all: evaluations they were drawn from.

    Raises:
        ValueError: for a probability that is not above 0 and at most 1, or too many labels.
    """
    n = len(drawn)
    known = own[~np.isnan(own)]
    if len(own) != n or n > n_all or not ((known > 0) & (known <= 1)).all():
        raise ValueError(
            f"{n} labels of {n_all} evaluations need as many probabilities above 0 and up to 1."
        )
    pooled = np.empty(n)
    for way in np.unique(drawn):
        mine = drawn == way
        count = int(mine.sum())
        plain = np.where(np.isnan(own[mine]), count / n_all, own[mine])
        pooled[mine] = plain * n / count
    return pooled


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Hold labelled evaluations that were drawn with known probabilities.

    Attributes:
        human: shape (n,), human scores.
        probability: shape (n,), above 0; pooled ones may be above 1.
        auto: shape (n,), automatic scores; None where nothing was judged.
    """

    human: Floats
    probability: Floats
    auto: Floats | None = None

    def __post_init__(self) -> None:
        """Check the columns.

        Raises:
            ValueError: for columns of different length or a probability that is not above 0.
        """
        sizes = {len(self.human), len(self.probability), len(self.gaps)}
        if len(sizes) > 1 or not (self.probability > 0).all():
            raise ValueError("Every label that was drawn needs a probability above 0.")

    @property
    def gaps(self) -> Floats:
        """Give what each label adds to the automatic scores, or to nothing."""
        return self.human if self.auto is None else self.human - self.auto


def drawn_mean(
    drawn: Drawn,
    autos: Floats | None,
    *,
    n_all: int,
    target: Target = "future",
    level: float = 0.95,
) -> Corrected:
    """Estimate the mean human score of all evaluations from labels drawn with probabilities.

    With automatic scores the weighted gaps are added to their mean, else the weighted labels
    stand alone. Where the weights do not add up to the evaluations, as after a queue that was
    left half way, they are used in proportion.

    Args:
        drawn: the labels.
        autos: automatic scores of all evaluations, the labelled included; None without any.
        n_all: all evaluations.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.

    Raises:
        ValueError: for more labels than evaluations.
    """
    n = len(drawn.human)
    if n > n_all:
        raise ValueError(f"{n} labels cannot come from {n_all} evaluations.")
    if not n:
        return Corrected(None, None, None, "none", 0, reason="no label drawn with a probability")
    method: EstimateMethod = "human_only" if autos is None else "ppi"
    weight = None if autos is None else 1.0
    base = np.zeros(1) if autos is None else autos
    weights = 1 / drawn.probability
    total = float(weights.sum())
    unfinished = _is_unfinished(drawn.probability, n_all)
    note = UNFINISHED if unfinished else None
    shift = 0.0
    if unfinished or autos is None:
        # the weighted mean gap goes to everybody, only what is left of each gap is weighted
        shift = dot(weights, drawn.gaps) / total
        weights = weights * n_all / total
    parts = weights * (drawn.gaps - shift)
    value = float(base.mean()) + shift + float(parts.sum()) / n_all
    effective = float(weights.sum()) ** 2 / dot(weights, weights)
    if effective < 2 - 1e-9:
        reason = "an interval needs at least two labels"
        return Corrected(value, None, None, method, n, weight, reason, note)
    variance = _variance(drawn, base, parts, n_all=n_all, target=target)
    half = t_quantile(0.5 + level / 2, effective - 1) * math.sqrt(variance)
    return Corrected(value, value - half, value + half, method, n, weight, note=note)


def _variance(drawn: Drawn, base: Floats, parts: Floats, *, n_all: int, target: Target) -> float:
    """Give the variance of the mean from each label's weighted part of it."""
    if target == "run":
        squares = float((parts**2 * np.maximum(1 - drawn.probability, 0)).sum())
        return squares / n_all**2
    centred = base - base.mean()
    own = np.zeros(len(parts)) if drawn.auto is None else drawn.auto - base.mean()
    squares = dot(centred, centred) + float((2 * own * parts + parts**2).sum())
    squares -= float(parts.sum()) ** 2 / n_all
    return max(squares, 0.0) / (n_all - 1) / n_all


def _is_unfinished(probability: Floats, n_all: int) -> bool:
    """Tell whether the weights miss the number of evaluations by more than chance explains."""
    missing = abs(float((1 / probability).sum()) - n_all)
    chance = float((np.maximum(1 - probability, 0) / probability**2).sum())
    return missing > _TOLERANCE * math.sqrt(chance) + 1e-9 * n_all


def drawn_pass_rate(
    drawn: Drawn,
    *,
    judged_pass: int,
    judged: int,
    effect: float = 1.0,
    target: Target = "future",
    level: float = 0.95,
) -> Corrected:
    """Estimate the pass rate from verdicts on evaluations drawn with probabilities.

    Each verdict's rate is weighted by 1 over the probabilities; its interval counts as many
    labels as the weights are worth (Kish 1965).

    Args:
        drawn: people's and the judge's verdicts, 1 for a pass; people's may lie between. Without
            the judge's, people stand alone.
        judged_pass: of all judged evaluations, those the judge passed.
        judged: all of them.
        effect: design effect of conversations, by which labels are worth less.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.
    """
    n = len(drawn.human)
    if drawn.auto is None:
        passed, failed = _worth(drawn, np.ones(n, dtype=np.bool_), effect)
        return replace(human_pass_rate(passed, passed + failed, level), n=n)
    cells = [*_worth(drawn, drawn.auto == 1, effect), *_worth(drawn, drawn.auto == 0, effect)]
    counts = VerdictCounts(
        both_pass=cells[0],
        judge_pass_only=cells[1],
        human_pass_only=cells[2],
        both_fail=cells[3],
        judged_pass=judged_pass,
        judged=judged,
    )
    return corrected_pass_rate(counts, n=n, target=target, level=level)


def _worth(drawn: Drawn, which: NDArray[np.bool_], effect: float) -> tuple[float, float]:
    """Give how many passes and fails the weighted labels are worth."""
    weights = 1 / drawn.probability[which]
    total, squares = float(weights.sum()), dot(weights, weights)
    worth = total / squares / effect if squares else 0.0
    passed = dot(weights, drawn.human[which])
    return passed * worth, (total - passed) * worth
