"""Estimates from labels that were drawn with known probabilities: each counts 1 over its own.

Sources: Horvitz and Thompson 1952; with automatic scores beside, the active inference of Zrnic
and Candès 2024. Labels drawn in several ways are pooled by their numbers (multiplicity
estimator), so that neither way's probabilities distort the other's.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.coefficients import Floats, dot
from reviewer.stats.estimate import (
    Corrected,
    EstimateMethod,
    Target,
    VerdictCounts,
    corrected_pass_rate,
    human_pass_rate,
)
from reviewer.stats.quantiles import t_quantile

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
