"""How far a judge, or a person, repeats itself on the same items, and what that allows at most.

Sources: ICC(1,1) of Shrout and Fleiss 1979, with the harmonic-type group size for unequal
numbers of repeats; the ceiling of a correlation after Spearman 1904.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

NO_REPEAT: Final = "no evaluation was judged twice"
ONE_ITEM: Final = "repeats of two evaluations or more are needed"
ALIKE: Final = "all repeats of all evaluations are alike"


@dataclass(frozen=True, slots=True)
class FlipRate:
    """Hold how often two repeats on the same item differ; None with a reason."""

    rate: float | None
    items: int
    repeats: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Repeatability:
    """Hold how numeric repeats vary.

    Attributes:
        icc: ICC(1,1), the share of the variance that lies between items; may be negative.
        within_sd: standard deviation of repeats on the same item.
        items, repeats: items with two values or more, and their values.
        undefined: reasons by name.
    """

    icc: float | None
    within_sd: float | None
    items: int
    repeats: int
    reason: str | None = None


def flip_rate(repeats: Iterable[Sequence[Hashable]]) -> FlipRate:
    """Work out the share of pairs of repeats that differ, averaged over items.

    Args:
        repeats: each item's verdicts or levels; items judged once are left out.
    """
    rates: list[float] = []
    values = 0
    for found in repeats:
        size = len(found)
        if size < 2:
            continue
        same = sum(count * (count - 1) for count in Counter(found).values())
        rates.append(1 - same / (size * (size - 1)))
        values += size
    if not rates:
        return FlipRate(None, 0, 0, NO_REPEAT)
    return FlipRate(math.fsum(rates) / len(rates), len(rates), values)


def repeatability(repeats: Iterable[Sequence[float]]) -> Repeatability:
    """Work out ICC(1,1) and the spread within items from one-way analysis of variance.

    Args:
        repeats: each item's scores; items judged once are left out.
    """
    groups = [list(found) for found in repeats if len(found) >= 2]
    n = sum(len(group) for group in groups)
    if not groups:
        return Repeatability(None, None, 0, 0, NO_REPEAT)
    means = [math.fsum(group) / len(group) for group in groups]
    inside = math.fsum(
        (x - mean) ** 2 for group, mean in zip(groups, means, strict=True) for x in group
    )
    within = inside / (n - len(groups))
    if len(groups) < 2:
        return Repeatability(None, math.sqrt(within), 1, n, ONE_ITEM)
    total = math.fsum(mean * len(group) for group, mean in zip(groups, means, strict=True)) / n
    between = math.fsum(
        len(group) * (mean - total) ** 2 for group, mean in zip(groups, means, strict=True)
    ) / (len(groups) - 1)
    size = (n - sum(len(group) ** 2 for group in groups) / n) / (len(groups) - 1)
    below = between + (size - 1) * within
    if below <= 1e-15:
        return Repeatability(None, math.sqrt(within), len(groups), n, ALIKE)
    return Repeatability((between - within) / below, math.sqrt(within), len(groups), n)


def ceiling(judge: float | None, human: float | None) -> float | None:
    """Give the largest correlation that two measures of such reliability can have.

    None where a reliability is missing or negative.

    Raises:
        ValueError: for a reliability above 1.
    """
    if judge is None or human is None or judge < 0 or human < 0:
        return None
    if judge > 1 or human > 1:
        raise ValueError(f"A reliability is at most 1; found {max(judge, human)}.")
    return math.sqrt(judge * human)
