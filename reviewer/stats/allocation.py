"""From which stratum to label next, so that the interval of a corrected mean shrinks fastest.

Strata are the judge's levels. Sources: Neyman 1934 for labels in proportion to size times spread;
Wright 2012 for the exact whole numbers: take the largest gain in variance, one label at a time.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np

from reviewer.stats.coefficients import Floats
from reviewer.stats.estimate import Target
from reviewer.stats.quantiles import normal_quantile
from reviewer.stats.strata import Stratum

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
        if n >= min(FIRST, -size):
            continue
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
