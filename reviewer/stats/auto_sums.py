"""Running sums of automatic scores, exact whatever comes and goes."""

from reviewer.stats.exact import (
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
