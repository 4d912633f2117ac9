"""What the value of a field may be, what is made of one of another kind, and what is wrong."""

import math
import re
from collections.abc import Callable
from typing import NamedTuple

from pydantic_core import to_json

from reviewer.domain.evaluation import parse_time, text_problem
from reviewer.domain.record import Field, Json, Kind
from reviewer.domain.uids import from_text

LARGEST = 1.7976931348623157e308
Check = Callable[[Json], str | None]


def found_kind(value: Json) -> str:
    """Name the kind of a JSON value in words."""
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text",
             list: "a list", dict: "an object"}  # fmt: skip
    return names.get(type(value), "something else")


def otherwise(value: Json, wanted: str) -> str:
    """Say what was found in place of what is expected."""
    return f"{found_kind(value)} was found, {wanted} is expected"


def _number(value: float) -> str | None:
    """Say why a number cannot be kept exactly."""
    if isinstance(value, float):
        good = math.isfinite(value)
        return None if good else "NaN, infinity and numbers beyond 1.8e308 are no values"
    return None if abs(value) < 2**63 else "the number is too large; at most 19 digits are kept"


def _share(value: float) -> str | None:
    problem = _number(value)
    if problem is None and not 0 <= value <= 1:
        return f"{value} was found, a number from 0 to 1 is expected"
    return problem


def _position(value: int) -> str | None:
    return None if 0 <= value < 2**31 else otherwise(value, "a whole number from 0")


def _time(value: str) -> str | None:
    try:
        parse_time(value)
    except ValueError:
        return "it is no ISO 8601 time; 2026-11-01T14:30:00Z is one"
    return None


def _uid(value: Json) -> str | None:
    good = isinstance(value, str) and from_text(value) is not None
    return None if good else "it is no UUID; 0190e5b2-7c1a-7b3e-8d2f-3a4b5c6d7e8f is one"


NO_TEXTS = "a list of texts is expected"


def _texts(value: list[Json]) -> str | None:
    good = all(isinstance(item, str) for item in value)
    return anything(value) if good else NO_TEXTS


def _as_text(value: Json) -> Json:
    """Write a number as the text that was meant."""
    is_number = value.__class__ is int or (value.__class__ is float and math.isfinite(value))
    return str(value) if is_number else value


def _as_texts(value: Json) -> Json:
    return [_as_text(item) for item in value] if value.__class__ is list else value


def _as_said(value: Json) -> Json:
    """Write an object or a list as its JSON, whose text can be read and judged."""
    if isinstance(value, dict | list) and anything(value) is None:
        return to_json(value, indent=2).decode()
    return _as_text(value)


_LONG = re.compile(rb"[0-9]{300}")
_STRIDE = 100
_OF_LONG = re.compile(rb"[0-9]{3}")
"""What every hundredth byte of a text shows where 300 digits follow one another in it."""


def anything(value: Json) -> str | None:
    """Say whether a value of any shape holds something that cannot be kept."""
    if not value:
        return None
    try:
        written = to_json(value, inf_nan_mode="constants")
    except ValueError as error:
        if "depth" in str(error):
            return "it is nested too deeply to be kept"
        return "it holds an unpaired surrogate, which no UTF-8 text can carry"
    if b"NaN" in written or b"Infinity" in written or _has_long(written):
        return _deep(value)
    return None


def _has_long(written: bytes) -> bool:
    return bool(_OF_LONG.search(written[::_STRIDE]) and _LONG.search(written))


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


class _Held(NamedTuple):
    """What a kind of field holds.

    Attributes:
        wanted: The types in words.
        look: Says what else may be wrong with a value of these types.
        plain: They are right by themselves, where texts are known to be whole.
    """

    types: tuple[type, ...]
    wanted: str
    look: Check
    plain: bool = False

    def check(self, value: Json) -> str | None:
        """Say what is wrong with a value."""
        if value.__class__ in self.types:
            return self.look(value)
        return otherwise(value, self.wanted)


A_TEXT = _Held((str,), "a text", text_problem, plain=True)
A_NUMBER = _Held((int, float), "a number", _number)
_A_LIST = _Held((list,), "a list", anything)
HELD = {
    Kind.TEXT: A_TEXT,
    Kind.NAME: A_TEXT,
    Kind.IDENTITY: A_TEXT,
    Kind.TIME: _Held((str,), "an ISO 8601 time", _time),
    Kind.NUMBER: A_NUMBER,
    Kind.SHARE: A_NUMBER._replace(look=_share),
    Kind.POSITION: _Held((int,), "a whole number from 0", _position),
    Kind.TRUTH: _Held((bool,), "true or false", lambda _: None, plain=True),
    Kind.VALUE: _Held(
        (int, float, str, bool), "a number, a text, true or false", lambda _: None, plain=True
    ),
    Kind.SAID: A_TEXT,
    Kind.TEXTS: _Held((list,), "a list of texts", _texts),
    Kind.OBJECT: _Held((dict,), "an object", anything),
    Kind.CONTEXT: _Held((str, dict, list), "a text or an object", anything),
    Kind.ENTRIES: _A_LIST._replace(plain=True),
    Kind.LIST: _A_LIST,
    Kind.IDS: _A_LIST,
}


MADE: dict[Kind, Callable[[Json], Json]] = {
    Kind.TEXT: _as_text,
    Kind.NAME: _as_text,
    Kind.SAID: _as_said,
    Kind.TEXTS: _as_texts,
}
"""What makes the value that is meant of one that is not of the kind itself."""


def _one_of(allowed: tuple[str, ...]) -> Check:
    def check(value: Json) -> str | None:
        if isinstance(value, str) and value in allowed:
            return None
        return f"{value!r} was found, one of {', '.join(allowed)} is expected"

    return check


def check_of(field: Field) -> Check:
    """Give what says whether a value may stand in a field."""
    if field.choices:
        return _one_of(field.choices)
    if field.kind is Kind.UID:
        return _uid
    return HELD[field.kind].check if field.kind in HELD else anything


def halves(value: Json) -> tuple[int | float | None, str | None]:
    """Divide a value into its number and its text; yes and no have both."""
    if isinstance(value, bool):
        return int(value), "true" if value else "false"
    if isinstance(value, str):
        return None, value
    return value, None


def whole(number: Json, text: str | None) -> Json:
    """Give the value that `halves` divided."""
    if text is None:
        return number
    return text if number is None else text == "true"
