"""Score and label values, and the times that stand beside them."""

import math
from datetime import UTC, datetime
from typing import Annotated, Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Value = bool | int | float | str
"""What a score or a label may be: a number, yes or no, or a category."""


class AnyJson:
    """Has a value from outside checked to be what JSON can say, wherever it is checked at all."""

    @staticmethod
    def __get_pydantic_core_schema__(source: object, handler: Any) -> Any:  # noqa: ANN401
        """Give the schema of a JSON value, called by the check only."""
        from pydantic import JsonValue as Checked

        return handler.generate_schema(Checked)


JsonValue = Annotated[
    bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None, AnyJson
]
"""Anything that JSON can say."""


def as_number(value: Value | None) -> float | None:
    """Give the number behind a value; categories and missing values have none."""
    if value is None or isinstance(value, str):
        return None
    return float(value)


def value_problem(value: object) -> str | None:
    """Say why a raw JSON value can be no score or label, or None where it can."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN and infinity are not values; a finite number is expected"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**63 - 1:
        return "the number is too large; at most 19 digits are kept exactly"
    if isinstance(value, str):
        return text_problem(value)
    if not isinstance(value, bool | int | float):
        return "a number, a text, true or false is expected"
    return None


def text_problem(text: str) -> str | None:
    """Say why a text cannot be stored, or None where it can."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "it holds an unpaired surrogate, which no UTF-8 text can carry"
    return None


def parse_time(text: str) -> datetime:
    """Read an ISO 8601 time; without a zone it is UTC.

    Raises:
        ValueError: The text is no ISO 8601 date or time.
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def to_micros(text: str | None) -> int | None:
    """Give the microseconds since 1970 in UTC of an ISO 8601 time, None for none or unreadable."""
    if not text:
        return None
    try:
        moment = parse_time(text)
    except ValueError:
        return None
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def now_text() -> str:
    """Give the present as ISO 8601 in UTC with milliseconds, as stored with every label."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
