"""Figures and texts as reports write them: dashes where nothing is, nothing that could do harm."""

import base64
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from reviewer.domain import wording
from reviewer.domain.wording import fixed

DASH: Final = "–"
LONGEST: Final = 5_000
"""Characters of a text that a report shows."""
_MARKUP: Final = re.compile(r"([\\`*\[\]|]|<(?=[A-Za-z/!?]))")
_LINE_START: Final = re.compile(r"(?m)^(\s*)([#+=~>-])")
_NUMBERED: Final = re.compile(r"(?m)^(\s*\d+)([.)])(?=\s|$)")


def number(value: float | None, digits: int = 2) -> str:
    """Write a figure with so many decimals."""
    return DASH if value is None else fixed(value, digits)


def signed(value: float | None, digits: int = 2) -> str:
    """Write a difference with its sign."""
    return DASH if value is None else wording.signed(value, digits)


def percent(value: float | None, digits: int = 1) -> str:
    """Write a share in percent."""
    return DASH if value is None else f"{fixed(100 * value, digits)}%"


def money(value: float | None) -> str:
    """Write US dollars, with more decimals where there is little of them."""
    if value is None:
        return DASH
    return f"${fixed(value, 2 if abs(value) >= 1 else 5)}"


def milliseconds(value: float | None) -> str:
    """Write a time in milliseconds."""
    return DASH if value is None else f"{fixed(value, 0)} ms"


_UNITS: Final[tuple[tuple[str, Callable[[float | None], str]], ...]] = (
    ("rate", percent),
    ("percent", percent),
    ("cost", money),
    ("latency", milliseconds),
)


def figure(value: float | None, name: str) -> str:
    """Write a figure in the unit that its name tells of."""
    return next((write for part, write in _UNITS if part in name), number)(value)


def shown(entry: Mapping[str, Any], name: str = "") -> str:
    """Write a band or an adjusted score with its mark, or the labels of how many it has."""
    if entry["value"] is None:
        return f"— {entry['n']:,} of {entry['of']:,}" if "of" in entry else DASH
    text = (signed if name == "band" else number)(entry["value"])
    return f"{text} ({entry['mark']})" if "mark" in entry else text


def interval(ends: Sequence[float | None] | None, name: str = "") -> str:
    """Write an interval in brackets, nothing where there is none."""
    if not ends or None in ends:
        return ""
    return f"[{figure(ends[0], name)}, {figure(ends[1], name)}]"


def figure_ends(low: float | None, high: float | None) -> str:
    """Write the ends of an interval as people read them, nothing where there is none."""
    return "" if low is None or high is None else f"{fixed(low)} – {fixed(high)}"


def picture_address(drawing: str) -> str:
    """Give the address of a drawing that stands in the text itself."""
    content = base64.b64encode(drawing.encode("utf-8", "backslashreplace"))
    return f"data:image/svg+xml;base64,{content.decode('ascii')}"


def spaced(text: str) -> str:
    """Write as the window does: a space before the sign, a long dash where nothing is."""
    return text.replace("%", " %").replace("–", "—")


def signs(text: str) -> str:
    """Write comparisons as people do, ≥ and ≤."""
    return text.replace(">=", "≥").replace("<=", "≤")


def visible(text: object) -> str:
    """Give a text of a record with controls and marks that turn the direction made visible.

    Texts that are longer than a report shows are cut, and say so.
    """
    said = "" if text is None else str(text)
    more = len(said) - LONGEST
    shown = "".join(_letter(letter) for letter in said[:LONGEST])
    return f"{shown} … ({more:,} more characters)" if more > 0 else shown


def _letter(letter: str) -> str:
    if letter in "\n\t":
        return letter
    if letter == "\r":
        return ""
    return "·" if unicodedata.category(letter) in ("Cc", "Cf", "Cs") else letter


def line_of(text: object) -> str:
    """Give a text of a record on one line, with nothing in it that hides or turns."""
    return " ".join(visible(text).split())


MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def days(first: date | None, last: date | None) -> str:
    """Write the days from the first to the last as people do; empty where none is known."""
    if first is None or last is None:
        return ""
    end = f"{last.day} {MONTHS[last.month - 1]} {last.year}"
    if first == last:
        return end
    month = "" if first.replace(day=1) == last.replace(day=1) else f" {MONTHS[first.month - 1]}"
    year = "" if first.year == last.year else f" {first.year}"
    return f"{first.day}{month}{year} – {end}"


def line(text: object) -> str:
    """Give a text of a record for Markdown, on one line: nothing in it is markup."""
    return " ".join(_inline(text).split())


def quoted(text: object) -> str:
    """Give a text of a record as a Markdown quotation in a list: nothing in it is markup."""
    quiet = _NUMBERED.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", _inline(text)))
    return "\n".join(f"  > {part}".rstrip() for part in (quiet or DASH).split("\n"))


def _inline(text: object) -> str:
    return _MARKUP.sub(r"\\\1", visible(text)).replace("&", "&amp;")
