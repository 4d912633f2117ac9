"""The steps of an explanation, and how their numbers are written."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.domain.wording import numeral

ONE_LOOK = "It holds for one look, not for one after every label."
"""What an explanation says of every interval; who looks again and again is misled more often."""


@dataclass(frozen=True, slots=True)
class Step:
    """One figure: its name, what decided it, and the formula with the case's numbers."""

    title: str
    text: str
    formula: str = ""


def summed(parts: Sequence[float], divisor: str, result: float) -> str:
    """Write a quotient of a sum."""
    return f"({' + '.join(map(numeral, parts))}) / {divisor} = {numeral(result)}"
