"""The parameters of scorers as somebody types them, a field each."""

import json
import re
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.domain.errors import ReviewerError
from reviewer.domain.values import JsonValue
from reviewer.scoring.registry import SCORERS
from reviewer.scoring.scorer import OneOf, Option, ParameterError, some_texts

Kind = Literal["choice", "text", "texts", "json"]
_NAMED: Final = re.compile(
    r"^Metric (?P<metric>\S+): \S+: parameter (?P<name>\w+): (?P<why>.*?)\.*$"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a scorer.

    Attributes:
        kind: How it is typed: one of `choices`, a text as it is, texts with commas between them
            or as a JSON list, or JSON.
        choices: Words and value of each.
        is_long: Whether it may take several lines.
    """

    name: str
    default: JsonValue
    help: str
    kind: Kind
    choices: tuple[tuple[str, JsonValue], ...] = ()
    is_long: bool = False

    @property
    def usual(self) -> str:
        """Give the default as one would type it, empty where there is none."""
        return self.written(self.default)

    def written(self, value: JsonValue) -> str:
        """Give a value as one would type it."""
        if value is None:
            return ""
        if self.kind == "choice":
            return next((words for words, one in self.choices if one == value), str(value))
        if self.kind in ("text", "texts") and isinstance(value, str):
            return value
        if self.kind == "texts" and isinstance(value, list) and _is_plain(value):
            return ", ".join(map(str, value))
        return json.dumps(value, ensure_ascii=False, indent=2 if self.is_long else None)


@dataclass(frozen=True, slots=True)
class Misfit:
    """A parameter that a scorer cannot use, and why."""

    metric: str
    name: str
    why: str


def of_scorer(name: str) -> tuple[Parameter, ...]:
    """Give the parameters of a scorer of Reviewer; those of a package's are not known."""
    found = SCORERS.get(name)
    return tuple(map(_parameter, found.options)) if found else ()


def read(scorer: str, name: str, text: str) -> JsonValue:
    """Read what was typed for a parameter.

    Raises:
        ParameterError: It cannot be read, or the scorer cannot use it.
    """
    option = next(x for x in SCORERS[scorer].options if x.name == name)
    value = _value(_parameter(option), text)
    problem = option.check(value)
    if problem:
        raise ParameterError(f"{problem[:1].upper()}{problem[1:]}.")
    return value


def misfit(error: ReviewerError) -> Misfit | None:
    """Tell which parameter of which metric an error is about; None for every other error."""
    found = _NAMED.match(str(error))
    return Misfit(found["metric"], found["name"], found["why"]) if found else None


def _parameter(option: Option) -> Parameter:
    name, default, words, check = option.name, option.default, option.help, option.check
    if isinstance(default, bool):
        return Parameter(name, default, words, "choice", (("yes", True), ("no", False)))
    if isinstance(check, OneOf):
        return Parameter(name, default, words, "choice", tuple((x, x) for x in check.allowed))
    if check is some_texts:
        return Parameter(name, default, words, "texts")
    if isinstance(default, str):
        return Parameter(name, default, words, "text")
    is_long = not isinstance(default, int | float) and option.takes_tables
    return Parameter(name, default, words, "json", is_long=is_long)


def _value(parameter: Parameter, text: str) -> JsonValue:
    if parameter.kind == "choice":
        return dict(parameter.choices).get(text, text)
    if parameter.kind == "text":
        return text
    if parameter.kind == "texts" and not text.lstrip().startswith("["):
        return [x.strip() for x in text.split(",") if x.strip()]
    try:
        found: JsonValue = json.loads(text)
    except ValueError as error:
        what = "JSON" if parameter.is_long else "a number"
        what = "a JSON list" if parameter.kind == "texts" else what
        raise ParameterError(f"This is not {what}: {error}.") from error
    return found


def _is_plain(texts: list[JsonValue]) -> bool:
    return all(isinstance(x, str) and "," not in x and x == x.strip() for x in texts)
