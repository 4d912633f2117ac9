"""How many labels a precision takes, where they are best spent, and when to give a verdict."""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

import numpy as np

from reviewer.stats.coefficients import Floats, Moments
from reviewer.stats.estimate import Target
from reviewer.stats.quantiles import normal_quantile
from reviewer.stats.strata import Stratum

WORST_CASE_BELOW: Final = 20
"""Labels below which the judge's correlation with people is taken as 0."""
WIDTH_FROM: Final = 30
"""Labels from which labelling may stop because the interval is narrow enough."""
UNREACHABLE: Final = "even with every evaluation labelled the interval stays wider"
FEW: Final = "planning needs the spread of at least two labels"
Verdict = Literal["pass", "fail", "open"]


def labels_needed(
    *,
    sd: float,
    correlation: float,
    half_width: float,
    n_all: int,
    target: Target = "future",
    level: float = 0.95,
) -> float | None:
    """Work out how many random labels bring the interval to the wanted half-width.

    Args:
        sd: standard deviation of the human scores.
        correlation: of human and automatic scores; 0 plans without the judge.
        half_width: wanted, above 0.
        n_all: judged evaluations.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.

    Returns:
        The number, not rounded; None where not even labelling everything is enough.

    Raises:
        ValueError: for a spread, correlation, width or number out of bounds.
    """
    if not (sd >= 0 and -1 <= correlation <= 1 and half_width > 0 and n_all > 0):
        raise ValueError(
            "Planning needs a spread of 0 or more, a correlation between -1 and 1, and a width "
            f"and a number above 0; found {sd}, {correlation}, {half_width}, {n_all}."
        )
    explained = correlation**2
    rest, wanted = (1 - explained) * sd**2, (half_width / normal_quantile(0.5 + level / 2)) ** 2
    if target == "run":
        return rest / (wanted + rest / n_all)
    room = wanted - explained * sd**2 / n_all
    if room < 0 or rest > room * n_all * (1 + 1e-12):
        return None
    return rest / room if rest else 0.0


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """Hold how many labels a wanted half-width takes.

    Attributes:
        needed: labels in all; None if it cannot be reached.
        more: labels still missing.
        without_judge: labels in all if there were no automatic scores; None if unreachable.
        half_width: the wanted one.
        correlation: the one planned with: 0 below 20 labels, the worst case.
        reason: why `needed` is None.
    """

    needed: int | None
    more: int | None
    without_judge: int | None
    half_width: float
    correlation: float
    reason: str | None = None


def plan_labels(
    pairs: Moments,
    *,
    n_all: int,
    half_width: float,
    target: Target = "future",
    level: float = 0.95,
) -> LabelPlan:
    """Plan from the labels there are.

    Args:
        pairs: moments of the labelled evaluations with an automatic score.
        n_all: judged evaluations, the labelled included.
        half_width: wanted.
        target: `future` for the traffic these came from, `run` for exactly these.
        level: level of the interval.
    """
    n = pairs.n
    if n < 2:
        return LabelPlan(None, None, None, half_width, 0.0, FEW)
    sd = math.sqrt(pairs.s_human / (n - 1))
    room = math.sqrt(pairs.s_auto * pairs.s_human)
    known = room > 0 and n >= WORST_CASE_BELOW
    correlation = min(max(pairs.s_cross / room, -1.0), 1.0) if known else 0.0

    def whole(rho: float) -> int | None:
        found = labels_needed(
            sd=sd,
            correlation=rho,
            half_width=half_width,
            n_all=n_all,
            target=target,
            level=level,
        )
        return None if found is None else min(math.ceil(round(found, 9)), n_all)

    needed = whole(correlation)
    more = None if needed is None else max(needed - n, 0)
    reason = UNREACHABLE if needed is None else None
    return LabelPlan(needed, more, whole(0.0), half_width, correlation, reason)


def kappa_labels(n: int, half_width: float, wanted: float) -> int:
    """Count the labels more that bring the interval of a coefficient to the wanted half-width.

    The half-width falls with the root of the number of labels; conversations and weights, which
    are in the interval there is, stay as they are.

    Raises:
        ValueError: for a number or a width that is not above 0.
    """
    if n < 1 or half_width <= 0 or wanted <= 0:
        raise ValueError(
            "Planning needs labels, and an interval and a width above 0; "
            f"found {n}, {half_width}, {wanted}."
        )
    return max(math.ceil(round(n * (half_width / wanted) ** 2, 9)) - n, 0)


@dataclass(frozen=True, slots=True)
class PlannedLooks:
    """Set beforehand after how many labels a release verdict may be given.

    Looking after every label and stopping once the interval leaves the target gives a wrong
    verdict up to one time in four; few looks, each at a stricter level, keep the promised error.

    Attributes:
        at: numbers of labels, increasing.
        level: the level promised over all looks together.
    """

    at: tuple[int, ...] = (30, 60, 120, 240)
    level: float = 0.95

    def __post_init__(self) -> None:
        """Check the plan.

        Raises:
            ValueError: for looks that do not increase from 1 or a level outside 0 to 1.
        """
        steps = zip((0, *self.at), self.at, strict=False)
        if not self.at or any(a >= b for a, b in steps) or not 0 < self.level < 1:
            raise ValueError(
                "Planned looks need increasing numbers of labels and a level between 0 and 1; "
                f"found {list(self.at)} and {self.level}."
            )

    @property
    def level_each(self) -> float:
        """Give the level of the interval at each look (Bonferroni)."""
        return 1 - (1 - self.level) / len(self.at)

    def next_look(self, n: int) -> int | None:
        """Give the number of labels of the next look after n; None after the last."""
        return next((at for at in self.at if at > n), None)

    def verdict(self, low: float | None, high: float | None, *, threshold: float) -> Verdict:
        """Judge an interval of `level_each` taken at a planned look against a target."""
        if low is None or high is None or low < threshold <= high:
            return "open"
        return "pass" if low >= threshold else "fail"


def is_narrow_enough(n: int, half_width: float | None, *, wanted: float) -> bool:
    """Tell whether labelling may stop because of the width, which needs no planned look."""
    return n >= WIDTH_FROM and half_width is not None and round(half_width - wanted, 9) <= 0


FIRST: Final = 2
"""Labels that every stratum gets before gains are compared: without two there is no spread. More
of them made intervals wider in simulation, where levels are rare."""
PRIOR: Final = 4
"""Labels' worth that the strata's shared spread counts beside each stratum's own: a few labels
that happen to be alike must not end the labelling of a stratum."""


def spreads(strata: Sequence[Stratum]) -> Floats:
    """Give each stratum's standard deviation of human scores, shape (strata,), drawn together.

    Without two labels in any stratum, or where all are alike, every stratum has the same.
    """
    own = np.array([one.n - 1 if one.n else 0 for one in strata], dtype=np.float64)
    squares = np.array([one.variance * one.n for one in strata], dtype=np.float64)
    freedom = float(own.sum())
    shared = float(squares.sum()) / freedom if freedom else 0.0
    if shared <= 0:
        return np.ones(len(strata))
    found: Floats = np.sqrt((squares + PRIOR * shared) / (own + PRIOR))
    return found


def next_strata(strata: Sequence[Stratum], spread: Floats) -> Iterator[int]:
    """Give the stratum of one label after the other, by its place, until all are labelled.

    Strata without labels come first, then those without a spread, then the one whose next label
    takes most from the variance of the mean.
    """
    labelled = [one.n for one in strata]
    yield from _filling(strata, labelled)
    shares = [one.judged for one in strata]

    def gain(at: int) -> float:
        n = labelled[at]
        return -((shares[at] * float(spread[at])) ** 2) / (n * (n + 1))

    heap = [(gain(at), at) for at, one in enumerate(strata) if labelled[at] < one.judged]
    heapq.heapify(heap)
    while heap:
        at = heap[0][1]
        labelled[at] += 1
        if labelled[at] < strata[at].judged:
            heapq.heapreplace(heap, (gain(at), at))
        else:
            heapq.heappop(heap)
        yield at


def _filling(strata: Sequence[Stratum], labelled: list[int]) -> Iterator[int]:
    """Fill strata up to the first labels that each needs, the emptiest and largest first."""
    heap = [(labelled[at], -one.judged, at) for at, one in enumerate(strata) if one.judged]
    heapq.heapify(heap)
    while heap:
        n, size, at = heapq.heappop(heap)
        if n < min(FIRST, -size):
            labelled[at] = n + 1
            heapq.heappush(heap, (n + 1, size, at))
            yield at


def labels_to_width(
    strata: Sequence[Stratum],
    *,
    half_width: float,
    told: Sequence[Stratum] | None = None,
    target: Target = "future",
    effect: float = 1.0,
    level: float = 0.95,
) -> int | None:
    """Count the labels more, in the order of `next_strata`, that bring the mean to a half-width.

    Args:
        strata: neighbours in order, with the labels there are.
        half_width: wanted, above 0.
        told: the same strata with all labels that tell how far scores spread, also those that
            count towards no mean; None where they are the same.
        target: `future` for the traffic these came from, `run` for exactly these.
        effect: design effect of conversations, by which labels are worth less.
        level: level of the interval.

    Returns:
        The number; None where not even labelling everything is enough.

    Raises:
        ValueError: for a width that is not above 0.
    """
    if half_width <= 0:
        raise ValueError(f"A half-width is above 0; found {half_width}.")
    spread = spreads(told or strata)
    total = sum(one.judged for one in strata)
    wanted = (half_width / normal_quantile(0.5 + level / 2)) ** 2
    beyond = _beyond(told or strata, spread) / total if target == "future" else 0.0
    parts = [_part(one, one.n, float(s), total) for one, s in zip(strata, spread, strict=True)]
    labelled = [one.n for one in strata]
    for taken, at in enumerate(chain((-1,), next_strata(strata, spread))):
        if at >= 0:
            labelled[at] += 1
            parts[at] = _part(strata[at], labelled[at], float(spread[at]), total)
        # an empty stratum leaves its part infinite, so that it is never taken as settled
        if math.fsum(parts) * effect + beyond <= wanted * (1 + 1e-12):
            return taken
    return None


def _part(one: Stratum, n: int, spread: float, total: int) -> float:
    if not one.judged:
        return 0.0
    if not n:
        return math.inf
    return (one.judged / total) ** 2 * spread**2 * (1 - n / one.judged) / n


def _beyond(strata: Sequence[Stratum], spread: Floats) -> float:
    """Give the variance of human scores over all evaluations, inside strata and between them."""
    kept = [(one, float(s)) for one, s in zip(strata, spread, strict=True) if one.n]
    judged = sum(one.judged for one, _ in kept)
    if not judged:
        return float((spread**2).mean())
    mean = sum(one.judged * one.mean for one, _ in kept) / judged
    return sum(one.judged * (s**2 + (one.mean - mean) ** 2) for one, s in kept) / judged
