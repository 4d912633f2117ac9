"""What a surface shows, and whether it is the figure that is expected, as far as it is written."""

import re
from dataclasses import dataclass
from typing import Any

from tests.journeys.one_figure.expected import Wanted

DASHES = ("—", "–")
CAPPED = ("capped", "end of the scale")
"""How a screen marks the end of the scale that stands for a score beyond it."""
NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Text:
    """A figure as a person reads it.

    Attributes:
        digits: Decimals that it is rounded to, where closing zeros are left out.
    """

    words: str
    digits: int | None = None


ABSENT = Text("not shown")
Found = dict[str, Any]
"""Figures by name: a number, None, or a `Text`."""


def agrees(wanted: Wanted, found: Any) -> bool:
    """Tell whether a surface says the same."""
    if wanted.free:
        return True
    if isinstance(found, Text):
        return _reads(wanted, found)
    if isinstance(found, str) or wanted.value is None or found is None:
        return bool(found == wanted.value)
    if isinstance(wanted.value, str) or isinstance(found, bool):
        return False
    expected = float(wanted.value)
    return abs(float(found) - expected) <= 1e-9 * max(1.0, abs(expected))


def _reads(wanted: Wanted, found: Text) -> bool:
    words = found.words.replace("−", "-").replace("\u00a0", " ").strip()
    value = wanted.value if wanted.screen is None else wanted.screen
    if isinstance(value, str):
        return value == "".join("—" if x in DASHES else x for x in words)
    if value is None:
        # a column in which nothing is defined may be left out
        return words[:1] in DASHES or found == ABSENT
    if wanted.capped != any(mark in words for mark in CAPPED):
        return False
    number = NUMBER.match(words)
    if number is None:
        return False
    digits = len(number[0].partition(".")[2]) if found.digits is None else found.digits
    share = 100 if "%" in words else 1
    shown = float(number[0].replace(",", ""))
    return bool(abs(shown - share * float(value)) <= 0.5 * 10**-digits + 1e-6)


def told(wanted: Wanted | None) -> str:
    """Write what was expected."""
    if wanted is None:
        return "nothing"
    value = wanted.value if wanted.screen is None else wanted.screen
    words = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f"{words} capped" if wanted.capped else words


def written(found: Any) -> str:
    """Write what was found."""
    if isinstance(found, Text):
        return repr(found.words)
    return f"{found:.6g}" if isinstance(found, float) else str(found)
