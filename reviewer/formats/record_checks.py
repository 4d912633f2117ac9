"""Check a record's types and take out what is wrong, keeping the good parts.

Written for speed on good records: one dictionary look-up and one type comparison a key; only what
fails that goes through the careful functions below.
"""

import math
from collections.abc import Callable

from pydantic_core import to_json

from reviewer.domain.record import Json
from reviewer.domain.uids import from_text
from reviewer.domain.values import parse_time, text_problem
from reviewer.formats.incoming import Fields, Refused

LARGEST = 1.7976931348623157e308
Check = Callable[[Json], str | None]


class UnusableError(Exception):
    """Carry what makes a whole record, score, label or mark unusable."""

    def __init__(self, field: str, value: Json, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.value = value
        self.reason = reason


def found(value: Json) -> str:
    """Name the kind of a JSON value in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    names = {int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "something else")


def _expect(value: Json, *, good: bool, wanted: str) -> str | None:
    return None if good else f"{found(value)} was found, {wanted} is expected"


def a_text(value: Json) -> str | None:
    """Say what is wrong with a text."""
    if isinstance(value, str):
        return text_problem(value)
    return _expect(value, good=False, wanted="a text")


def a_number(value: Json) -> str | None:
    """Say what is wrong with a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _expect(value, good=False, wanted="a number")
    return number_problem(value)


def number_problem(value: float) -> str | None:
    """Say why a number cannot be kept exactly."""
    if isinstance(value, int):
        return (
            None if abs(value) < 2**63 else "the number is too large; at most 19 digits are kept"
        )
    return (
        None if math.isfinite(value) else "NaN, infinity and numbers beyond 1.8e308 are no values"
    )


def a_whole_number(value: Json) -> str | None:
    """Say what is wrong with a count or a position."""
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    return _expect(value, good=good, wanted="a whole number from 0")


def a_truth(value: Json) -> str | None:
    """Say what is wrong with a yes or no."""
    return _expect(value, good=isinstance(value, bool), wanted="true or false")


def a_time(value: Json) -> str | None:
    """Say what is wrong with a time."""
    if not isinstance(value, str):
        return _expect(value, good=False, wanted="an ISO 8601 time")
    try:
        parse_time(value)
    except ValueError:
        return "it is no ISO 8601 time; 2026-11-01T14:30:00Z is one"
    return None


def a_uid(value: Json) -> str | None:
    """Say what is wrong with the number of an entry."""
    good = isinstance(value, str) and from_text(value) is not None
    return None if good else "it is no UUID; 0190e5b2-7c1a-7b3e-8d2f-3a4b5c6d7e8f is one"


def texts(value: Json) -> str | None:
    """Say what is wrong with a list of texts."""
    good = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return _expect(value, good=good, wanted="a list of texts") or anything(value)


def an_object(value: Json) -> str | None:
    """Say what is wrong with an object."""
    return _expect(value, good=isinstance(value, dict), wanted="an object") or anything(value)


def a_list(value: Json) -> str | None:
    """Say what is wrong with a list."""
    return _expect(value, good=isinstance(value, list), wanted="a list") or anything(value)


def text_or_object(value: Json) -> str | None:
    """Say what is wrong with a context."""
    good = isinstance(value, str | dict | list)
    return _expect(value, good=good, wanted="a text or an object") or anything(value)


def a_value(value: Json) -> str | None:
    """Say what is wrong with a score's or label's value; its scale is checked elsewhere."""
    good = isinstance(value, bool | int | float | str)
    return _expect(value, good=good, wanted="a number, a text, true or false")


def between(low: float, high: float) -> Check:
    """Make a check for a number within ends."""

    def check(value: Json) -> str | None:
        problem = a_number(value)
        if problem is None and not low <= value <= high:
            return f"{value} was found, a number from {low:g} to {high:g} is expected"
        return problem

    return check


def one_of(*allowed: str) -> Check:
    """Make a check for one of a few texts."""

    def check(value: Json) -> str | None:
        if isinstance(value, str) and value in allowed:
            return None
        return f"{value!r} was found, one of {', '.join(allowed)} is expected"

    return check


def anything(value: Json) -> str | None:
    """Say whether a value of any shape holds something that cannot be kept."""
    try:
        written = to_json(value, inf_nan_mode="constants")
    except ValueError:
        return "it holds an unpaired surrogate, which no UTF-8 text can carry"
    if b"NaN" in written or b"Infinity" in written or len(written) > 309:
        return _deep(value)
    return None


def _deep(value: Json) -> str | None:
    """Look at every number below a value; only called where something may be wrong."""
    if isinstance(value, dict):
        return next((text for text in map(_deep, value.values()) if text), None)
    if isinstance(value, list):
        return next((text for text in map(_deep, value) if text), None)
    if isinstance(value, float) and not math.isfinite(value):
        return "it holds NaN, infinity or a number beyond 1.8e308"
    if isinstance(value, int) and abs(value) > LARGEST:
        return "it holds a number beyond 1.8e308"
    return None


def clean(
    fields: Fields, checks: dict[str, Check], plain: dict[str, tuple[type, ...]]
) -> list[Refused] | None:
    """Remove every key whose value is wrong and report it; null is always allowed.

    Args:
        fields: Changed in place.
        checks: What each known key must be; unknown keys may be anything JSON can say.
        plain: The keys whose check is the type alone.
    """
    # one look-up and one comparison for nearly every key of nearly every record
    doubtful = [
        key
        for key, value in fields.items()
        if value is not None and value.__class__ not in plain.get(key, ())
    ]
    if not doubtful:
        return None
    refused: list[Refused] | None = None
    for key in doubtful:
        value = fields[key]
        problem = checks.get(key, anything)(value)
        if problem is not None:
            refused = [*(refused or ()), Refused(key, value, problem)]
            del fields[key]
    return refused
