"""Make values out of cells: numbers from text, scores out of prose, categories into numbers."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache

from reviewer.confined.patterns import Pattern, PatternError
from reviewer.domain.evaluation import Value
from reviewer.formats import habits
from reviewer.formats.habits import Dates, Decimal, as_written
from reviewer.formats.mapping import PATTERN_FLAGS, Condition, Rule, Scale
from reviewer.formats.paths import Json, Row, as_text, find, parsed

NUMBER = re.compile(r"[-+]?(?:\d+(\.\d*)?|(\.\d+))([eE][-+]?\d+)?")
"""Its groups are what whole numbers have not."""
_YES = {"true", "yes", "y", "pass", "passed", "1", "1.0"}
_NO = {"false", "no", "n", "fail", "failed", "0", "0.0"}
_MILLISECONDS = 1e11
"""Numbers beyond this are milliseconds since 1970 rather than seconds."""
EXCERPT = 120


class CellError(ValueError):
    """Say why a cell gives no value."""


def is_blank(value: object) -> bool:
    """Tell whether a cell holds nothing."""
    return value is None or (isinstance(value, str) and (not value or value.isspace()))


def number_of(text: str, decimal: Decimal | None = None) -> int | float | None:
    """Read a number as programs write it, or as people do by a habit; None for no number."""
    stripped = (as_written(text, decimal) if decimal else text).strip()
    match = NUMBER.fullmatch(stripped)
    if match is None:
        return None
    return int(stripped) if match.lastindex is None and len(stripped) < 40 else float(stripped)


def looks_like(text: str, decimal: Decimal | None = None) -> Value:
    """Read a table's cell as the number, yes or no that it looks like, else as text."""
    number = number_of(text, decimal)
    if number is not None:
        return number
    lowered = text.strip().lower()
    return lowered == "true" if lowered in ("true", "false") else text.strip()


def matches_any(text: str, patterns: Sequence[str]) -> bool:
    """Tell whether a text fits one of the patterns with `*` and `?`."""
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def value_of(
    raw: Json,
    rule: Rule,
    *,
    texts: bool,
    scale: Scale | None = None,
    decimal: Decimal | None = None,
) -> Value | None:
    """Make the value that a rule asks for; None for a blank or skipped cell.

    Args:
        raw: What the cell or key holds.
        rule: How it becomes a value.
        texts: True where all cells are texts, so that numbers look like texts.
        scale: The mapping's scale, where the rule has none of its own.
        decimal: How numbers are written in texts.

    Raises:
        CellError: The cell holds something, but not what the rule expects.
    """
    if is_blank(raw) or (rule.skip and matches_any(as_text(raw).strip(), rule.skip)):
        return None
    value = _extracted(raw, rule) if rule.extract else raw
    if rule.map:
        value = _mapped(value, rule.map)
    elif rule.as_ is None and isinstance(value, str) and (texts or rule.extract):
        value = looks_like(value, decimal)
    if rule.as_ is not None or isinstance(value, list | dict):
        value = _converted(value, rule, decimal)
    known = rule.scale or scale
    return value if known is None else _scaled(value, known)


def _extracted(raw: Json, rule: Rule) -> Value:
    text = as_text(raw)
    for pattern in rule.extract:
        try:
            found = _compiled(pattern).search(text)
        except PatternError as error:
            raise CellError(f"{error}".removesuffix(".")) from None
        if found is not None:
            return found.group or ""
    raise CellError("none of the patterns under extract is found in it")


@lru_cache(maxsize=256)
def _compiled(source: str) -> Pattern:
    return Pattern(source, PATTERN_FLAGS)


def _mapped(value: object, table: dict[str, bool | int | float | str]) -> Value:
    text = as_text(value).strip()
    if text in table:
        return table[text]
    if not isinstance(value, bool):
        number = number_of(text)
        for key, result in table.items():
            if number is not None and number_of(key) == number:
                return result
    if "*" in table:
        return table["*"]
    raise CellError(f"it is not in the map; {', '.join(table)} are")


def _converted(value: Json, rule: Rule, decimal: Decimal | None) -> Value:
    """Bring a value to the kind that the rule asks for; a list or an object is none by itself."""
    if rule.as_ == "text":
        return as_text(value)
    if rule.as_ == "number":
        number = number_of(as_text(value), decimal)
        if number is None:
            raise CellError("a number is expected")
        return number
    if rule.as_ == "boolean":
        return _truth(as_text(value))
    raise CellError("a single value is expected; a path inside it would give one")


def _truth(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered in _YES | _NO:
        return lowered in _YES
    raise CellError("yes or no is expected")


def _scaled(value: Value, scale: Scale) -> Value:
    if isinstance(value, str):
        raise CellError("a number is expected, since a scale is declared")
    moved = scale.apply(float(value))
    return int(moved) if moved == int(moved) and not isinstance(value, float) else moved


def combined(values: Sequence[Value], how: str) -> Value | None:
    """Make one value of several: their mean, the unique most frequent, the first or the last."""
    if not values:
        return None
    if how == "mean":
        numbers = [float(value) for value in values if not isinstance(value, str)]
        if len(numbers) < len(values):
            raise CellError("a mean needs numbers")
        return sum(numbers) / len(numbers)
    if how == "majority":
        ranked = Counter(values).most_common(2)
        tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
        return None if tied else ranked[0][0]
    return values[0] if how == "first" else values[-1]


def holds(row: Row, condition: Condition) -> bool:
    """Tell whether a row fits a condition; "" stands for blank and "*" for filled."""
    return all(_fits(find(row, path), wanted) for path, wanted in condition.items())


def is_meant(row: Row, rule: Rule) -> bool:
    """Tell whether a rule is for a row."""
    if rule.when and not holds(row, rule.when):
        return False
    return not rule.unless or not holds(row, rule.unless)


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, tuple):
        return any(_fits(value, one) for one in wanted)
    if isinstance(value, list):
        value = next((part for part in value if not is_blank(part)), None)
    if wanted == "":
        return is_blank(value)
    if wanted == "*":
        return not is_blank(value)
    return as_text(value).strip() == as_text(wanted)


def time_of(value: object, dates: Dates | None = None) -> str:
    """Bring a time to ISO 8601; numbers are seconds or milliseconds since 1970.

    `dates` says what comes first where a date is written as `01/10/2026`.

    Raises:
        CellError: It is no time.
    """
    number = value if isinstance(value, int | float) else number_of(as_text(value))
    if number is None:
        text = as_text(value).strip()
        written = habits.time_of(text, dates) if dates else None
        if written is not None:
            return written
        try:
            datetime.fromisoformat(text)
        except ValueError:
            raise CellError(
                "no ISO 8601 time; 2026-11-01T14:30:00Z is one; in a mapping, dates says how "
                "others are written"
            ) from None
        return text
    seconds = number / 1000 if abs(number) > _MILLISECONDS else float(number)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        raise CellError("no time since 1970 in seconds or milliseconds") from None
    return moment.isoformat().replace("+00:00", "Z")


def texts_of(value: object, separator: str | None) -> list[str]:
    """Make a list of texts of a list, a JSON list in a cell, or a text with separators."""
    if isinstance(value, str):
        opened = parsed(value)
        if isinstance(opened, str):
            parts = opened.split(separator) if separator else re.split(r"[;,\n]", opened)
            return [part.strip() for part in parts if part.strip()]
        value = opened
    if isinstance(value, list):
        return [as_text(part) for part in value if not is_blank(part)]
    return [as_text(value)]


def excerpt_of(value: object) -> object:
    """Shorten a value for a report."""
    return value[:EXCERPT] + "…" if isinstance(value, str) and len(value) > EXCERPT else value
