"""Where an axis has its ticks: at round values, as many as there is room for."""

import math
from collections.abc import Sequence
from typing import Final

ROUND: Final = (1.0, 2.0, 5.0, 10.0)


def round_step(least: float) -> float:
    """Give the smallest step of 1, 2 or 5 times a power of ten that is not below `least`."""
    if least <= 0 or not math.isfinite(least):
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    found = next((x for x in ROUND if x * power >= least * (1 - 1e-9)), ROUND[-1])
    return float(found * power)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Give at most `most` round values from `low` to `high`, both ends included."""
    step = round_step((high - low) / max(most - 1, 1))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12) + 0.0 for place in range(first, last + 1)]


def without_overlap(places: Sequence[tuple[float, float, float]]) -> list[bool]:
    """Tell which labels can be written side by side, those that matter most first.

    Args:
        places: Of each label its middle, its width and how much it matters.
    """
    kept: list[tuple[float, float]] = []
    shown = [False] * len(places)
    for at in sorted(range(len(places)), key=lambda x: -places[x][2]):
        middle, width, _ = places[at]
        low, high = middle - width / 2, middle + width / 2
        if all(high <= left or low >= right for left, right in kept):
            kept.append((low, high))
            shown[at] = True
    return shown
