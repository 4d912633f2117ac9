"""What people say where the judge says so much, how far off it may be, how steady it is.

Sources: isotonic regression by pooling adjacent violators (Barlow and others 1972); split
conformal prediction (Vovk and others 2005). The table is for reading: the mean of its steps with
an interval from the same labels would be too sure of itself.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

TABLE_FROM: Final = 50
"""Labels from which the table is shown."""
FEW: Final = f"calibration needs {TABLE_FROM} labels"


@dataclass(frozen=True, slots=True)
class Step:
    """Hold one level of the judge: labels, mean human score, and the non-decreasing fit."""

    level: float
    n: int
    mean: float
    fitted: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Hold the steps, lowest level first; none with a reason."""

    n: int
    steps: tuple[Step, ...]
    reason: str | None = None


def isotonic(counts: Sequence[float], sums: Sequence[float]) -> tuple[float, ...]:
    """Fit a non-decreasing step function by least squares.

    Args:
        counts: labels of each level, all above 0, lowest level first.
        sums: sums of their human scores.

    Raises:
        ValueError: for columns of different length or a level without labels.
    """
    if len(counts) != len(sums) or any(count <= 0 for count in counts):
        raise ValueError("Every level of the fit needs a sum and at least one label.")
    blocks: list[tuple[float, float, int]] = []
    for count, total in zip(counts, sums, strict=True):
        block = (count, total, 1)
        while blocks and blocks[-1][1] * block[0] >= block[1] * blocks[-1][0]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    return tuple(total / count for count, total, levels in blocks for _ in range(levels))


def calibration_of_sums(
    by_level: Mapping[float, tuple[float, float]], *, smallest: int = TABLE_FROM
) -> Calibration:
    """Make the step table from each judge level's number of labels and sum of human scores."""
    n = round(sum(count for count, _ in by_level.values()))
    if n < smallest:
        return Calibration(n, (), FEW)
    there = [(level, *by_level[level]) for level in sorted(by_level) if by_level[level][0] > 0]
    fitted = isotonic([count for _, count, _ in there], [total for _, _, total in there])
    return Calibration(
        n,
        tuple(
            Step(level, round(count), total / count, fit)
            for (level, count, total), fit in zip(there, fitted, strict=True)
        ),
    )


@dataclass(frozen=True, slots=True)
class Conformal:
    """Hold how far people's scores lie from the judge's, so often as the level says.

    Attributes:
        half_width: largest distance; None with a reason.
        n: labels it comes from.
        level: share of new evaluations it holds for.
    """

    half_width: float | None
    n: int
    level: float
    reason: str | None = None

    def around(self, score: float) -> tuple[float, float] | None:
        """Give the range of the human score where the judge gave a score."""
        if self.half_width is None:
            return None
        return score - self.half_width, score + self.half_width


def conformal(distances: Mapping[float, int], level: float = 0.9) -> Conformal:
    """Work out the conformal range from the distances between human and automatic scores.

    Args:
        distances: how often each gap or distance occurs; signs do not matter.
        level: share of new evaluations that must lie inside.

    Raises:
        ValueError: for a level outside 0 to 1 or a negative count.
    """
    if not 0 < level < 1 or any(count < 0 for count in distances.values()):
        raise ValueError(f"A range needs a level between 0 and 1 and counts; found {level}.")
    n = sum(distances.values())
    # rounded, since 10 × 0.9 must not become 10 through its last bit
    rank = math.ceil(round((n + 1) * level, 9))
    if rank > n:
        least = math.ceil(round(level / (1 - level), 9))
        return Conformal(None, n, level, f"a range for {100 * level:g} % needs {least} labels")
    counted = 0
    widest = 0.0
    for distance, count in sorted((abs(gap), count) for gap, count in distances.items()):
        counted += count
        widest = distance
        if counted >= rank:
            break
    return Conformal(widest, n, level)


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
        if size >= 2:
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
