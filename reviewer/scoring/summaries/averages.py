"""Means, shares and percentiles that are None where there is nothing to count."""

import math
from collections.abc import Iterable, Sequence


def present(values: Iterable[float | None]) -> list[float]:
    """Leave out what is missing or no finite number."""
    return [value for value in values if value is not None and math.isfinite(value)]


def mean(values: Iterable[float | None]) -> float | None:
    """Give the mean of what is there, the same in whatever order it comes."""
    found = present(values)
    return math.fsum(found) / len(found) if found else None


def share(part: int, whole: int) -> float | None:
    """Give a part of a whole, None of nothing."""
    return part / whole if whole else None


def percentile(ordered: Sequence[float], level: float) -> float | None:
    """Give the value that a share of `level` lies below, linear between neighbours.

    Args:
        ordered: ascending.
        level: from 0 to 1.
    """
    if not ordered:
        return None
    place = level * (len(ordered) - 1)
    below = math.floor(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return low + (high - low) * (place - below)
