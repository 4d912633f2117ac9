"""Do two groups differ in a share? The exact test of a two by two table.

Source: Fisher 1935, two-sided by summing every table that is no likelier than the one found.
"""

import math
from typing import Final

_ALIKE: Final = 1e-7
"""Relative room within which two tables count as equally likely, whatever their last bits."""


def fisher_exact(hits: int, misses: int, *, others_hits: int, others_misses: int) -> float | None:
    """Give the two-sided p value that two groups have the same share; None for an empty group.

    Raises:
        ValueError: for a negative count.
    """
    if min(hits, misses, others_hits, others_misses) < 0:
        raise ValueError("The cells of a table cannot be negative.")
    mine, others = hits + misses, others_hits + others_misses
    total = hits + others_hits
    if not mine or not others:
        return None
    lowest, highest = max(0, total - others), min(mine, total)
    logs = [
        _log_ways(mine, at) + _log_ways(others, total - at) for at in range(lowest, highest + 1)
    ]
    found = logs[hits - lowest] + _ALIKE
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    small = math.fsum(w for w, log in zip(weights, logs, strict=True) if log <= found)
    return min(1.0, small / math.fsum(weights))


def _log_ways(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
