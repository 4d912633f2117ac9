"""How people write numbers and dates: with decimal commas, with the day before the month."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Literal

Decimal = Literal[",", "."]
Dates = Literal["day-first", "month-first"]

_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:[. \u00a0\u202f']\d{3})+|\d+),\d+")
_COMMA_WHOLE = re.compile(r"[-+]?\d{1,3}(?:[. \u00a0\u202f']\d{3})+")
_POINT = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_EITHER = re.compile(r"[-+]?\d{1,3},\d{3}")
_DATE = re.compile(
    r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})"
    r"(?:,?[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?(?: ?([AaPp])\.?[Mm]\.?)?)?"
)
_GROUPS = re.compile(r"[. \u00a0\u202f']")
MONTHS = 12


def as_written(text: str, decimal: Decimal) -> str:
    """Spell a number of the habit `decimal` with a point and without groups; else as it is."""
    stripped = text.strip()
    if decimal == "," and (_COMMA.fullmatch(stripped) or _COMMA_WHOLE.fullmatch(stripped)):
        return _GROUPS.sub("", stripped).replace(",", ".")
    if decimal == "." and _POINT.fullmatch(stripped):
        return stripped.replace(",", "")
    return text


def decimal_of(texts: Iterable[str]) -> Decimal | Literal["?"] | None:
    """Tell how the numbers of a column are written.

    Returns:
        The sign before the decimals; "?" where `1,234` can be read both ways; None where there
        is no comma, or anything else than numbers.
    """
    doubtful = points = False
    for text in texts:
        stripped = text.strip()
        if _EITHER.fullmatch(stripped):
            doubtful = True
        elif _COMMA.fullmatch(stripped):
            return ","
        elif "," in stripped:
            return "." if _POINT.fullmatch(stripped) else None
        else:
            points = points or "." in stripped
    return ("." if points else "?") if doubtful else None


def dates_of(texts: Iterable[str]) -> Dates | Literal["?"] | None:
    """Tell what comes first in the dates of a column.

    Returns:
        "?" where no date tells; None where they are no dates of this kind, or contradict one
        another.
    """
    found: set[Dates] = set()
    seen = False
    for text in texts:
        match = _DATE.fullmatch(text.strip())
        if match is None:
            return None
        seen = True
        # a date with points has the day first wherever it is written
        if match[2] == "." or int(match[1]) > MONTHS:
            found.add("day-first")
        if int(match[3]) > MONTHS:
            found.add("month-first")
    if len(found) == 1:
        return found.pop()
    return "?" if seen and not found else None


def time_of(text: str, dates: Dates) -> str | None:
    """Bring a date as people write it to ISO 8601, None where it is none."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    first, second = int(match[1]), int(match[3])
    day, month = (first, second) if dates == "day-first" or match[2] == "." else (second, first)
    year = int(match[4]) + (2000 if len(match[4]) == 2 else 0)
    hour = int(match[5] or 0)
    if match[8]:
        hour = hour % 12 + (12 if match[8] in "pP" else 0)
    try:
        moment = datetime(year, month, day, hour, int(match[6] or 0), int(match[7] or 0))  # noqa: DTZ001
    except ValueError:
        return None
    return moment.isoformat() if match[5] else moment.date().isoformat()
