"""What probes of the judge show: results, rows, sentences, and the numbers behind each figure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from reviewer.domain.wording import (
    UNDER,
    counted,
    in_percent,
    level_percent,
    listed,
    p_words,
    points,
    signed,
    two,
    upper_first,
)
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.human_columns import Ints
from reviewer.services.findings.insights_values import Topic
from reviewer.stats.contrast import Contrast, Slope
from reviewer.stats.intervals import Interval
from reviewer.stats.paired_shares import McNemar

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


NAMED = 3


def tested_sentence(count: int, found: Sequence[Probe]) -> str:
    """Say how many figures were looked at together."""
    if not count:
        return "Nothing could be tested here."
    told = [one for one in found if one.differs]
    if count == 1:
        return "One figure was tested."
    allowed = (
        f"{count} figures were tested together; allowing for that many, at most "
        f"{100 * FALSE_SHARE:g} % of those called different are expected to be false."
    )
    return allowed if told else f"{allowed} None is."


def around(row: Row) -> str:
    """Write a figure's interval in brackets, or why there is none."""
    if row.low is None or row.high is None:
        return f" ({row.reason})" if row.reason else ""
    if row.unit == "share difference":
        return f" ({level_percent(row.level)} {points(row.low)} to {points(row.high)})"
    return f" ({level_percent(row.level)} {signed(row.low)} to {signed(row.high)})"


def _sure(row: Row) -> str:
    if row.adjusted is None:
        return ""
    return "" if row.differs else "; chance may explain it"


def length_sentence(found: Probe) -> str:
    """Say how the gap follows the length."""
    line, rank = found.rows
    if line.value is None:
        return upper_first(line.reason or "")
    favoured = "longer" if found.favours(line.value) else "shorter"
    said = (
        f"For every 100 characters more the gap changes by {signed(line.value)}{around(line)}"
        f"{_sure(line)}"
    )
    if line.differs:
        said += f": the judge favours {favoured} responses"
    if rank.value is not None:
        said += f". Gap and length have a rank correlation of {signed(rank.value)}{around(rank)}"
    return f"{said}; n = {line.n:,}."


def order_sentence(found: Probe) -> str:
    """Say who takes the candidate that stands first."""
    step, judge, people = found.rows
    said = (
        f"In {counted(step.n, 'comparison')} the judge takes the candidate that stands first in "
        f"{in_percent(judge.value, 0)}, people in {in_percent(people.value, 0)}: "
        f"{points(step.value or 0.0)} points{around(step)}{_sure(step)}"
    )
    if step.differs:
        favoured = "first" if (step.value or 0.0) > 0 else "later"
        said += f": the judge favours {favoured} places"
    return f"{said}."


def family_sentence(found: Probe) -> str:
    """Say how the judge treats its own family."""
    row = found.rows[0]
    if row.unit == "share difference":
        return (
            f"{row.name} than by people: {points(row.value or 0.0)} points{around(row)}"
            f"{_sure(row)} (n = {row.n:,})."
        )
    contrast = row.source
    counts = ""
    if isinstance(contrast, Contrast):
        counts = f" (n = {contrast.n_second:,} own, {contrast.n_first:,} other)"
    said = (
        "Where a model of the judge's own family answered, the gap differs by "
        f"{signed(row.value or 0.0)}{around(row)}{_sure(row)}"
    )
    if row.differs:
        favours = "favours" if found.favours(row.value or 0.0) else "disfavours"
        said += f": the judge {favours} its family"
    return f"{said}{counts}."


def language_sentence(found: Probe) -> str:
    """Say in which languages the judge is apart from people."""
    shown = [row for row in found.rows if row.value is not None]
    small = len(found.rows) - len(shown)
    rest = f"; {counted(small, 'language')} too small to tell" if small else ""
    if not shown:
        return f"No language has 10 labelled responses yet{rest}."
    apart = [row for row in shown if row.differs]
    if not apart:
        one = shown[0]
        return (
            f"In no language is the gap another for sure ({counted(len(shown), 'language')} "
            f"compared); furthest: {one.name} by {signed(one.value or 0.0)}{around(one)}{rest}."
        )
    parts = [f"{row.name} by {signed(row.value or 0.0)}{around(row)}" for row in apart[:NAMED]]
    return f"The gap differs from that of the other languages in {listed(parts)}{rest}."


def told(row: Row, about: str) -> str:
    """Say one figure in a sentence that stands alone."""
    if row.value is None:
        return f"{about}, {row.name}: {row.reason}."
    shown = in_percent(row.value, 0) if row.unit == "share" else signed(row.value)
    if row.unit == "share difference":
        shown = f"{points(row.value)} points"
    return f"{about}, {row.name}: {shown}{around(row)}, n = {row.n:,}{_p(row)}."


def _p(row: Row) -> str:
    if row.p is None or row.adjusted is None:
        return ""
    return f", p = {p_words(row.p, UNDER)}, allowing for all probes {p_words(row.adjusted, UNDER)}"


def steps(row: Row) -> tuple[Step, ...]:
    """Explain one figure with its numbers."""
    made = []
    source = row.source
    if isinstance(source, Contrast) and source.first is not None and source.second is not None:
        made.append(
            Step(
                "Difference of mean gaps",
                f"{signed(source.second)} ({source.n_second:,}) − {signed(source.first)} "
                f"({source.n_first:,} others) = {signed(source.difference or 0.0)}{around(row)}.",
            )
        )
    elif isinstance(source, McNemar):
        made.append(
            Step(
                "Difference of shares",
                f"(judge only {source.gained:,} − people only {source.lost:,}) / {source.n:,} = "
                f"{points(source.difference or 0.0)} points{around(row)}.",
            )
        )
    elif row.value is not None:
        made.append(
            Step(upper_first(row.name)[:-1], f"{two(row.value)}{around(row)}, n = {row.n:,}.")
        )
    if row.p is not None and row.adjusted is not None:
        made.append(
            Step(
                "Chance",
                f"p = {p_words(row.p, UNDER)}; allowing for every figure of all probes (Benjamini "
                f"and Hochberg) {p_words(row.adjusted, UNDER)}.",
            )
        )
    return tuple(made) or (Step(upper_first(row.name)[:-1], upper_first(row.reason or "")),)
