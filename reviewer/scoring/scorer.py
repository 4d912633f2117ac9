"""The contract of scorers: the case and options they read, what they give, their protocol."""

import difflib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypedDict

from pydantic import JsonValue

from reviewer.confined.patterns import PatternError
from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Evaluation, Score, Subject, Value
from reviewer.domain.rubric import Metric

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
    return lambda value: None if value is None else check(value)


def anything(value: JsonValue) -> str | None:
    """Accept every value; the scorer itself looks closer."""
    del value
    return None


def _texts(value: JsonValue) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


FailureKind = Literal["missing", "input", "undefined", "parameters"]
"""`missing`: the record lacks the field. `input`: the field holds something that cannot be scored.
`undefined`: the figure does not exist for this case. `parameters`: the rubric's parameters are
wrong, so no case can be scored."""


class Hit(NamedTuple):
    """A place in the response: characters from `start` up to `end`, and what was looked for."""

    start: int
    end: int
    text: str
    sought: str


class ScoreOutcome(NamedTuple):
    """Hold a score with its reasoning in words.

    Attributes:
        value: the score on the metric's scale.
        reasoning: one or more sentences for the reader.
        hits: places in the response that the reasoning rests on, by position.
        examples: texts quoted as evidence.
    """

    value: Value
    reasoning: str
    hits: tuple[Hit, ...] = ()
    examples: tuple[str, ...] = ()


class Failure(NamedTuple):
    """Say why a case has no score."""

    kind: FailureKind
    text: str


Outcome = ScoreOutcome | Failure


def as_score(
    outcome: Outcome, metric: str, *, scorer: str, version: str, at: str | None = None
) -> Score:
    """Turn an outcome into a score to store; a failure becomes a null value with its error."""
    if isinstance(outcome, Failure):
        return Score(
            metric=metric,
            value=None,
            error=outcome.text,
            scorer=scorer,
            scorer_version=version,
            at=at,
        )
    return Score(
        metric=metric,
        value=outcome.value,
        reasoning=outcome.reasoning,
        examples=outcome.examples,
        scorer=scorer,
        scorer_version=version,
        at=at,
    )


class Case(Subject, frozen=True, kw_only=True):
    """Hold what scorers and summaries read of one evaluation; what is absent is None or empty.

    Attributes:
        key: the project's own number of the evaluation, 0 outside of a project.
        response: the answer under evaluation; hits of scorers are places in this text.
        keywords: the keywords that the answer should hold.
        expected_sources: as the record has it, ids or objects with id and relevance.
        cache: `warm` or `cold`.
        unreadable: fields that came with a value of the wrong kind.
        bot: the name of the bot that answered, where the record tells it.
    """

    key: int = 0
    id: str = ""
    run: str = ""
    question: str | None = None
    keywords: tuple[str, ...] = ()
    tools_expected: tuple[str, ...] = ()
    expected_sources: JsonValue = None
    template_matched: bool | None = None
    direct_substitution: bool | None = None
    cache: str | None = None
    unreadable: frozenset[str] = frozenset()
    bot: str | None = None


def case_of(evaluation: Evaluation) -> Case:
    """Take from an evaluation what scorers read.

    Where the record has no response or tools of its own, the last assistant turn and the tool
    calls of the conversation stand in.
    """
    kept = _kept(evaluation) if evaluation.rest else _Kept()
    question, response = evaluation.input, evaluation.response
    return Case(
        key=evaluation.key,
        id=evaluation.id,
        run=evaluation.run,
        case=evaluation.case,
        category=evaluation.category,
        complexity=evaluation.complexity,
        tags=evaluation.tags,
        question=_question(evaluation) if question is None else question,
        response=_response(evaluation) if response is None else response,
        context=evaluation.context,
        expected=evaluation.expected,
        keywords=evaluation.expected_keywords,
        tools_expected=evaluation.expected_tools,
        tools_used=evaluation.called,
        error=evaluation.error,
        sources=evaluation.sources,
        latency_ms=evaluation.latency_ms,
        cost_usd=evaluation.cost_usd,
        feedback=evaluation.feedback,
        model=evaluation.model,
        occurred_at=evaluation.occurred_at,
        evaluated_at=evaluation.evaluated_at,
        **kept,
    )


class _Kept(TypedDict, total=False):
    expected_sources: JsonValue
    template_matched: bool | None
    direct_substitution: bool | None
    cache: str | None
    unreadable: frozenset[str]
    bot: str | None


def _kept(evaluation: Evaluation) -> _Kept:
    rest = evaluation.rest
    meta = rest.get("meta")
    return {
        "expected_sources": rest.get("expected_sources"),
        "template_matched": _truth(rest.get("template_matched")),
        "direct_substitution": _truth(rest.get("direct_substitution")),
        "cache": _text(rest.get("cache")),
        "unreadable": evaluation.unreadable,
        "bot": _text((meta if isinstance(meta, dict) else rest).get("bot")),
    }


def _question(evaluation: Evaluation) -> str | None:
    return next((turn.text for turn in evaluation.messages if turn.role == "user"), None)


def _response(evaluation: Evaluation) -> str | None:
    last = next((turn for turn in reversed(evaluation.messages) if turn.role == "assistant"), None)
    return None if last is None or last.content is None else last.text


def _truth(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


Rule = Callable[[Case], Outcome]
"""Scores one case; never raises for what a record holds."""

_HALF: Final = 0.5
NO_PARAMETERS: Final[Parameters] = MappingProxyType({})


def unread(names: Iterable[str]) -> str:
    """Say which fields of a record cannot be read, so that nothing is made of them."""
    return f"The record's {' and '.join(names)} came with a value of the wrong kind."


@dataclass(frozen=True, slots=True, kw_only=True)
class Deterministic:
    """A scorer without judge: the same case and parameters always give the same outcome.

    Attributes:
        name: the name by which rubrics call it.
        metrics: the metrics it scores where a rubric names no scorer.
        title: the heading in lists.
        help: how the score comes about, for the reader.
        options: the parameters it knows.
        reads: the fields of a record that it scores; where one of them could not be read, nothing
            is scored.
        gives: what its values are: a share or truth from 0 to 1, a measure such as a length, or
            numbers that its parameters decide.
        build: makes the rule from checked parameters; may raise `ParameterError`.
        shared_by: the option, if any, that makes shares of its yes and no.
    """

    name: str
    metrics: tuple[str, ...]
    title: str
    help: str
    build: Callable[[Settings], Rule]
    reads: tuple[str, ...] = ("response",)
    options: tuple[Option, ...] = ()
    version: str = "1"
    gives: Literal["share", "measure", "numbers"] = "share"
    shared_by: str = ""

    def misfit(self, metric: Metric, parameters: Parameters = NO_PARAMETERS) -> str | None:
        """Say why its values mean nothing on a metric's scale, None where they fit."""
        if parameters.get(self.shared_by) is True and metric.score_problem(_HALF):
            return (
                f"the scorer {self.name} gives shares with {self.shared_by}, and {metric.name} is "
                "yes or no; give it the range 0 to 1, its levels may stay"
            )
        fits = {
            "share": metric.bounds == (0.0, 1.0),
            "measure": metric.kind.is_open,
            "numbers": metric.is_numeric,
        }
        if fits[self.gives]:
            return None
        given = {"share": "0 to 1", "measure": "a measure", "numbers": "numbers"}[self.gives]
        return (
            f"the scorer {self.name} gives {given}, which is not on the scale of {metric.name}: "
            f"{metric.describe_scale()} expected"
        )

    def prepare(self, parameters: Parameters = NO_PARAMETERS) -> Rule:
        """Read the parameters once, for many cases; wrong ones make every case a failure."""
        try:
            rule = self.build(settle(self.options, parameters))
        except ParameterError as error:
            failure = Failure("parameters", f"{self.name}: {error}")
            return lambda _case: failure
        reads = self.reads

        def whole(case: Case) -> Outcome:
            if case.unreadable and not case.unreadable.isdisjoint(reads):
                return Failure("input", unread(x for x in reads if x in case.unreadable))
            try:
                return rule(case)
            except PatternError as error:
                return Failure("input", f"{self.name}: {error}")

        return whole

    def problem(self, parameters: Parameters) -> str | None:
        """Say what is wrong with a metric's parameters, None where nothing is."""
        try:
            self.build(settle(self.options, parameters))
        except ParameterError as error:
            return f"{self.name}: {error}"
        return None

    def score(self, case: Case, parameters: Parameters = NO_PARAMETERS) -> Outcome:
        """Score a single case; for many cases `prepare` once and call the rule."""
        return self.prepare(parameters)(case)
