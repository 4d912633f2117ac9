"""The options of scorers: what a metric's `parameters` may say, and reading them."""

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from reviewer.domain.errors import ReviewerError

Parameters = Mapping[str, JsonValue]
Check = Callable[[JsonValue], str | None]
"""Says what is wrong with a value, None where it is right."""


class ParameterError(ReviewerError):
    """Report a parameter of a metric that its scorer cannot use."""


@dataclass(frozen=True, slots=True)
class Option:
    """Describe one parameter of a scorer: its name, default, meaning and what it may be."""

    name: str
    default: JsonValue
    help: str
    check: Check

    @property
    def takes_tables(self) -> bool:
        """Tell whether a table can be its value."""
        return self.check({}) is None


class Settings:
    """Give a scorer's checked parameters by name, defaults filled in."""

    __slots__ = ("_values",)

    def __init__(self, values: Parameters) -> None:
        """Keep values that `settle` has checked."""
        self._values = values

    def raw(self, name: str) -> JsonValue:
        """Give a parameter as it stands."""
        return self._values[name]

    def truth(self, name: str) -> bool:
        """Give a yes or no."""
        return bool(self._values[name])

    def text(self, name: str) -> str:
        """Give a text."""
        return str(self._values[name])

    def number(self, name: str) -> float:
        """Give a number."""
        return float(str(self._values[name]))

    def count(self, name: str) -> int:
        """Give a whole number."""
        return int(self.number(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """Give a list of texts; a single text is a list of one."""
        return _texts(self._values[name])

    def texts_by_name(self, name: str) -> dict[str, tuple[str, ...]]:
        """Give lists of texts under names."""
        value = self._values[name]
        entries = value.items() if isinstance(value, dict) else ()
        return {key: _texts(item) for key, item in entries}


def settle(options: Sequence[Option], parameters: Parameters) -> Settings:
    """Check a metric's parameters and fill in the defaults.

    Raises:
        ParameterError: for a name that the scorer does not know or a value it cannot use.
    """
    values = {option.name: option.default for option in options}
    checks = {option.name: option.check for option in options}
    for name, value in parameters.items():
        if name not in checks:
            raise ParameterError(_unknown(name, list(checks)))
        problem = checks[name](value)
        if problem:
            raise ParameterError(f"parameter {name}: {problem}")
        values[name] = value
    return Settings(values)


def _unknown(name: str, known: Sequence[str]) -> str:
    if not known:
        return f"parameter {name}: this scorer has no parameters"
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"it knows {', '.join(known)}"
    return f"parameter {name}: this scorer does not know it; {hint}"


def yes_or_no(value: JsonValue) -> str | None:
    """Accept true and false."""
    return None if isinstance(value, bool) else f"{value!r} was found, true or false is expected"


def a_text(value: JsonValue) -> str | None:
    """Accept any text."""
    return None if isinstance(value, str) else f"{value!r} was found, a text is expected"


def some_texts(value: JsonValue) -> str | None:
    """Accept a text or a list of texts, none of them blank."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return f"{value!r} was found, a list of texts is expected"
    blank = any(isinstance(item, str) and not item.strip() for item in items)
    return "a text in the list is empty" if blank else None


def lists_by_name(value: JsonValue) -> str | None:
    """Accept a table of lists of texts."""
    if not isinstance(value, dict):
        return f"{value!r} was found, a table of lists is expected"
    problems = ((name, some_texts(item)) for name, item in value.items())
    return next((f"{name}: {text}" for name, text in problems if text), None)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Accept one of a few texts."""

    allowed: tuple[str, ...]

    def __call__(self, value: JsonValue) -> str | None:
        """Say what is wrong with a value."""
        if isinstance(value, str) and value in self.allowed:
            return None
        return f"{value!r} was found, one of {', '.join(self.allowed)} is expected"


def one_of(*allowed: str) -> Check:
    """Accept one of a few texts."""
    return OneOf(allowed)


def number_from(low: float, *, whole: bool = False) -> Check:
    """Accept a finite number from `low` on; `whole` numbers only where said."""

    def check(value: JsonValue) -> str | None:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if good and isinstance(value, int | float):
            good = math.isfinite(value) and value >= low and (not whole or value == int(value))
        kind = "a whole number" if whole else "a number"
        return None if good else f"{value!r} was found, {kind} from {low:g} is expected"

    return check


def or_null(check: Check) -> Check:
    """Accept null beside what another check accepts."""

    def either(value: JsonValue) -> str | None:
        return None if value is None else check(value)

    return either


def anything(value: JsonValue) -> str | None:
    """Accept every value; the scorer itself looks closer."""
    del value
    return None


def _texts(value: JsonValue) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
