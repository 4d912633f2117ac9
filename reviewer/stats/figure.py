"""A figure: a value with everything about it, and what it means in words."""

from dataclasses import dataclass
from typing import Final, Literal

from reviewer.stats.intervals import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Hold a figure as screens, documents and sentences tell it.

    Attributes:
        name: what documents and commands call it.
        title: how a sentence calls it.
        sign: how a cell or a list calls it.
        is_share: whether it is written in percent.
        value: None if it is undefined.
        n: how many evaluations or pairs are behind it.
        interval: where it has one.
        word: what it means in words; nothing where that cannot be said.
        reason: why it is undefined.
    """

    name: str
    title: str
    sign: str
    is_share: bool
    value: float | None
    n: int
    interval: Interval | None = None
    word: str = ""
    reason: str | None = None


Strength = Literal["poor", "slight", "fair", "moderate", "substantial", "almost perfect"]
Reliability = Literal["reliable", "tentative", "not reliable"]

COEFFICIENTS_FROM: Final = 5
"""Smallest number of pairs at which a screen shows coefficients."""
WORDS_FROM: Final = 30
"""Smallest number of pairs at which a screen shows words."""
DECIMALS: Final = 9

_BANDS: Final[tuple[tuple[float, Strength], ...]] = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
)


def strength(value: float) -> Strength:
    """Word a coefficient, unrounded, by Landis and Koch 1977; each band includes its upper end."""
    if value < 0:
        return "poor"
    for end, word in _BANDS:
        if value <= end:
            return word
    return "almost perfect"


def at_least(low: float) -> str:
    """Word a coefficient by the lower end of its interval, such as "at least moderate".

    Of nothing at all, 0, it is never said that it is at least slight.
    """
    return f"at least {strength(low)}" if round(low, DECIMALS) > 0 else "may be poor"


def word_of(family: str, value: float | None, interval: Interval | None, n: int) -> str:
    """Word a coefficient of a family; nothing below 30 pairs, and never a 0.

    Args:
        family: as in the catalogue; Krippendorff's has marks of his own besides.
        value: what it is.
        interval: of which the lower end is worded.
        n: the pairs behind it.
    """
    if value is None or interval is None or n < WORDS_FROM or not round(value, DECIMALS):
        return ""
    said = at_least(interval.low)
    return f"{said}, {reliability(interval.low)}" if family == "krippendorff" else said


def reliability(value: float) -> Reliability:
    """Word Krippendorff's alpha by his own marks, .800 and .667."""
    if value >= 0.800:
        return "reliable"
    return "tentative" if value >= 0.667 else "not reliable"


def one_class_dominates(percent: float | None, kappa: float | None) -> bool:
    """Tell whether agreement is high and kappa low, so that only class rates tell the story."""
    if percent is None or kappa is None:
        return False
    return round(percent, 9) >= 0.80 and round(kappa, 9) < 0.40
