"""What probes of the judge show: one result a probe, its rows, and what it says in words."""

from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from reviewer.services.figures.human_columns import Ints
from reviewer.services.findings.insights_values import Topic
from reviewer.stats.contrast import Contrast
from reviewer.stats.intervals import Interval
from reviewer.stats.paired_shares import McNemar
from reviewer.stats.trend import Slope

Kind = Literal["length", "order", "family", "language"]
TITLES: Final[dict[Kind, str]] = {
    "length": "Length of the response",
    "order": "Order of candidates",
    "family": "Own model family",
    "language": "Language of the response",
}
FALSE_SHARE: Final = 0.05
NOBODY: Final[Ints] = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One figure of a probe.

    Attributes:
        name: What it is about, such as a language.
        value: The difference, slope or correlation, by `unit`.
        low, high: Ends of its interval.
        p: Whether chance alone would do; None where nothing was tested.
        adjusted: The same, allowing for every figure of all probes.
        reason: Why there is no value or no interval.
        keys: The evaluations behind it.
        source: What it was made from.
        level: Of the interval.
    """

    name: str
    unit: str
    n: int
    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    reason: str | None = None
    keys: Ints = field(default_factory=lambda: NOBODY)
    source: Slope | Contrast | McNemar | Interval | None = None
    level: float = 0.95

    @property
    def differs(self) -> bool:
        """Tell whether it may be called a bias."""
        return self.adjusted is not None and self.adjusted <= FALSE_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe(Topic):
    """One probe of the judge.

    Attributes:
        rows: Its figures, the one of the sentence first.
        note: What to know before relying on it.
        higher_is_better: Whether the judge is kind to what it scores high.
    """

    kind: Kind
    rows: tuple[Row, ...] = ()
    note: str = ""
    higher_is_better: bool = True

    @property
    def differs(self) -> bool:
        """Tell whether any figure may be called a bias."""
        return any(row.differs for row in self.rows)

    def favours(self, gap: float) -> bool:
        """Tell whether a gap that moves so means that the judge is kinder there than people."""
        return gap < 0 if self.higher_is_better else gap > 0


@dataclass(frozen=True, slots=True)
class Probes:
    """All probes of a metric.

    Attributes:
        tested: Figures that were tested, over all probes.
        sentence: How many were looked at, and what that means.
    """

    probes: tuple[Probe, ...]
    tested: int
    sentence: str
