"""The scorers of Reviewer and of installed packages, and their parameters as they are typed."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import tomli_w

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.rubric import Metric, Rubric
from reviewer.scoring.packages.scorers import FunctionScorer
from reviewer.scoring.registry import SCORERS, scorer_for
from reviewer.scoring.scorer import Deterministic, OneOf, Option, ParameterError, some_texts
from reviewer.services.computer import plugins
from reviewer.services.computer.packaged import Packaged
from reviewer.services.computer.plugins import Offer

AnyScorer = Deterministic | FunctionScorer


def names() -> tuple[str, ...]:
    """Give the names of all scorers; those of packages come last and are not loaded."""
    return (*SCORERS, *(x for x in plugins.names("scorer") if x not in SCORERS))


def offers() -> tuple[Offer, ...]:
    """Give the scorers to choose from; those of packages come last, with their packages."""
    brought = (x for x in plugins.offers("scorer") if x.name not in SCORERS)
    return (*(Offer(name, "") for name in SCORERS), *brought)


def find(name: str) -> AnyScorer | None:
    """Give a scorer by name, None where there is none.

    Raises:
        PackageError: A package brings it and it cannot be loaded.
    """
    known = SCORERS.get(name)
    if known is not None:
        return known
    brought = plugins.find("scorer", name)
    if brought is None:
        return None
    function = Packaged("scorer", brought)
    return FunctionScorer(
        name=name,
        version=brought.version,
        function=function,
        metrics=function.about.metrics or (name,),
        takes=function.about.parameters,
        who=brought.title,
    )


def get(name: str, metric: str = "") -> AnyScorer:
    """Give a scorer by name.

    Raises:
        ReviewerError: There is none; the sentence says for which metric, where one is given.
    """
    found = find(name)
    if found is None:
        what = f"{name!r} for {metric}" if metric else repr(name)
        raise ReviewerError(f"There is no scorer {what}; there are: {', '.join(names())}.")
    return found


def of_metric(metric: Metric, wanted: tuple[str, ...] = ()) -> AnyScorer | None:
    """Give the scorer of a metric: a package's that is asked for, the one it names, or its own.

    Args:
        metric: of a rubric.
        wanted: names that were asked for; a package's scorer takes the metrics it is made for.

    Raises:
        PackageError: A package brings it and it cannot be loaded.
    """
    for name in wanted:
        mine = None if name in SCORERS else find(name)
        if mine is not None and metric.name in mine.metrics:
            return mine
    return scorer_for(metric) if metric.scorer is None else find(metric.scorer)


def cover(rubric: Rubric, metrics: Sequence[str]) -> bool:
    """Tell whether scorers can score what is named, or, without names, anything of the rubric."""
    if not metrics:
        return any(of_metric(x) is not None for x in rubric.metrics)
    named = [rubric.by_name[x] for x in metrics if x in rubric.by_name]
    return bool(named) and all(of_metric(x) is not None for x in named)


def misfit(metric: Metric) -> str | None:
    """Say why the scorer that a metric names cannot score it, None where it can or none is named.

    What a package's scorer gives is not known before it scores.
    """
    known = SCORERS.get(metric.scorer or "")
    return None if known is None else known.misfit(metric, metric.parameters)


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
        if self.kind == "texts" and isinstance(value, list):
            texts = [x for x in value if isinstance(x, str) and "," not in x and x == x.strip()]
            if len(texts) == len(value):
                return ", ".join(texts)
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


def examples(name: str) -> tuple[str, ...]:
    """Give each option of a scorer as a rubric's file has it by default, and what it does."""
    found = SCORERS.get(name)
    return tuple(
        f"{tomli_w.dumps({x.name: x.default}).strip()} \u2013 {x.help}"
        for x in (found.options if found else ())
        if x.default is not None
    )


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


def parameter_misfit(error: ReviewerError) -> Misfit | None:
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
