"""Sum up simulated intervals and print them beside settled figures."""

import math
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.estimate import Corrected

Floats = NDArray[np.float64]
Ends = tuple[float | None, float | None, float | None]
SETTLED_REPEATS = 2000
"""Repetitions behind most of the settled figures, as far as their error goes."""


@dataclass(frozen=True, slots=True)
class Row:
    """Hold what a method's intervals came to over the repetitions.

    Attributes:
        coverage, width, bias: over the repetitions in which it is defined.
        undefined: share of those in which it is not.
        repeats: repetitions in which it is.
    """

    coverage: float
    width: float
    bias: float
    undefined: float
    repeats: int


def tried(found: list[Ends], truth: float | list[float]) -> Row:
    """Sum up repetitions."""
    truths = truth if isinstance(truth, list) else [truth] * len(found)
    there = [
        (value, low, high, true)
        for (value, low, high), true in zip(found, truths, strict=True)
        if value is not None and low is not None and high is not None
    ]
    if not there:
        return Row(math.nan, math.nan, math.nan, 1.0, 0)
    column = np.array(there)
    return Row(
        float(np.mean((column[:, 1] <= column[:, 3]) & (column[:, 3] <= column[:, 2]))),
        float(np.mean(column[:, 2] - column[:, 1])),
        float(np.mean(column[:, 0] - column[:, 3])),
        1 - len(there) / len(found),
        len(there),
    )


class Report:
    """Prints rows beside the settled figures and counts those that differ."""

    def __init__(self) -> None:
        """Start without a difference."""
        self.differing = 0

    def head(self, title: str) -> None:
        """Open a table."""
        sys.stdout.write(
            f"\n{title}\n{'':<46}{'coverage':>9}{'settled':>9}{'width':>8}{'settled':>9}"
            f"{'bias':>8}{'settled':>9}{'undefined':>11}\n"
        )

    def row(
        self,
        name: str,
        row: Row,
        coverage: float | None = None,
        *,
        width: float | None = None,
        bias: float | None = None,
        least: float | None = None,
    ) -> None:
        """Write a line; only the coverage is compared, with a settled one or with a least one."""
        mark = ""
        if least is not None and row.repeats:
            mark = self._below(row.coverage, least, row.repeats)
        if coverage is not None and row.repeats:
            mark = self._mark(row.coverage, coverage, row.repeats)
        settled = [f"{x:.3f}" if x is not None else "" for x in (coverage, width, bias)]
        sys.stdout.write(
            f"{name:<46}{row.coverage:>9.3f}{settled[0]:>9}{row.width:>8.3f}{settled[1]:>9}"
            f"{row.bias:>8.3f}{settled[2]:>9}{row.undefined:>11.2f}{mark}\n"
        )

    def share(self, name: str, found: float, settled: float, *, repeats: int) -> None:
        """Write a share of repetitions, compared with the settled one."""
        mark = self._mark(found, settled, repeats)
        sys.stdout.write(f"{name:<56}{found:>9.3f}{settled:>9.3f}{mark}\n")

    def most(self, name: str, found: float, most: float, *, repeats: int) -> None:
        """Write a share of repetitions that may be at most so large."""
        mark = self._below(1 - found, 1 - most, repeats)
        sys.stdout.write(f"{name:<56}{found:>9.3f}{most:>9.3f}{mark}\n")

    def _below(self, found: float, least: float, repeats: int) -> str:
        if found >= least - 2 * math.sqrt(least * (1 - least) / repeats):
            return ""
        self.differing += 1
        return "  below"

    def _mark(self, found: float, settled: float, repeats: int) -> str:
        share = min(max(settled, 0.005), 0.995)
        error = math.sqrt(share * (1 - share) * (1 / repeats + 1 / SETTLED_REPEATS))
        if abs(found - settled) <= 4 * error + 0.0005:
            return ""
        self.differing += 1
        return "  differs"

    def finish(self) -> int:
        """Say how many rows differ; the exit code."""
        sys.stdout.write(
            f"\n{self.differing} rows differ by more than four Monte Carlo errors, or "
            "lie below what is wanted by more than two\n"
        )
        return 1 if self.differing else 0


def ends(found: Corrected) -> Ends:
    """Take value and ends of an estimate."""
    return found.value, found.low, found.high


def levels(rng: np.random.Generator, size: int, *, lenient: bool) -> tuple[Floats, Floats]:
    """Draw ordinal scores: a close judge, or one who gives 4 and 5 to nearly everything."""
    quality = rng.normal(3.3 if lenient else 3.7, 1.1, size)
    human = np.clip(np.rint(quality), 1, 5)
    said = quality + (rng.normal(1.5, 1.0, size) if lenient else rng.normal(0, 0.4, size))
    return np.clip(np.rint(said), 1, 5), human
