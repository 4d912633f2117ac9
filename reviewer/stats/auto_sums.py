"""Running sums of automatic scores, exact whatever comes and goes."""

import numpy as np

from reviewer.stats.coefficients import Floats
from reviewer.stats.ledger import (
    from_fixed,
    mean_of_fixed,
    product_to_fixed,
    ratio_of_squares,
    to_fixed,
)


class AutoSums:
    """Keep number, sum and sum of squares of automatic scores."""

    __slots__ = ("n", "squares", "total")

    def __init__(self) -> None:
        """Start empty."""
        self.n = 0
        self.total = 0
        self.squares = 0

    def add(self, value: float, count: int = 1) -> None:
        """Count one score in, or several equal ones."""
        self.n += count
        self.total += count * to_fixed(value)
        self.squares += count * product_to_fixed(value, value)

    def remove(self, value: float) -> None:
        """Take one score out."""
        self.n -= 1
        self.total -= to_fixed(value)
        self.squares -= product_to_fixed(value, value)

    def add_many(self, n: int, total: float, squares: float) -> None:
        """Count many scores in whose sums are known."""
        self.n += n
        self.total += to_fixed(total)
        self.squares += to_fixed(squares) << 1074

    def mean(self) -> float | None:
        """Give the mean; None without scores."""
        return mean_of_fixed(self.total, self.n) if self.n else None

    def sums(self) -> tuple[int, float, float]:
        """Give number, sum and sum of squares, for the corrected mean."""
        return self.n, from_fixed(self.total), ratio_of_squares(self.squares, 1)


class ClippedSums:
    """Give the mean of fixed automatic scores that are moved by a band and held on the scale."""

    __slots__ = ("_sums", "_values")

    def __init__(self, values: Floats) -> None:
        """Sort the scores once; each mean then takes two searches."""
        self._values = np.sort(values)
        self._sums = np.concatenate([[0.0], np.cumsum(self._values)])

    def mean(self, band: float, bounds: tuple[float, float]) -> float | None:
        """Give the mean of min(max(score + band, low), high); None without scores."""
        n, (low, high) = len(self._values), bounds
        if not n:
            return None
        first = int(np.searchsorted(self._values, low - band))
        last = int(np.searchsorted(self._values, high - band, side="right"))
        middle = float(self._sums[last] - self._sums[first]) + (last - first) * band
        return (first * low + middle + (n - last) * high) / n
