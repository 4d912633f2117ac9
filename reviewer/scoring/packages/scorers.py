"""A function of a package as a scorer: a case in the native format's keys in, a score out."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from reviewer.scoring.case import Case
from reviewer.scoring.options import Parameters
from reviewer.scoring.outcome import Failure, Outcome, ScoreOutcome
from reviewer.scoring.packages.calls import why
from reviewer.scoring.scorer import NO_PARAMETERS, Deterministic, Rule

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionScorer:
    """A scorer that is a function `score(case, **parameters)`.

    It gives back a value, or `{"score", "reasoning"}`, or (value, reasoning); None for no score.

    Attributes:
        version: The package's, so that another version makes a score set of its own.
        metrics: The metrics it scores where a rubric names no scorer: its attribute `metrics`,
            else the one that is called as it is.
        named: Whose parameters are known by name, where `function` only stands in for it.
        who: As sentences name it, with its package.
    """

    name: str
    version: str
    function: Function
    metrics: tuple[str, ...]
    named: Function | None = None
    who: str = ""

    def prepare(self, parameters: Parameters = NO_PARAMETERS) -> Rule:
        """Bind the parameters that the function knows, for many cases."""
        known = _known(self.named or self.function, parameters)
        who = self.who or self.name

        def rule(case: Case) -> Outcome:
            try:
                said = self.function(record_of(case), **known)
            # whatever a stranger's function does
            except Exception as error:  # noqa: BLE001
                return Failure("input", f"{who} {why(error)}")
            return _outcome(said, who)

        return rule

    def problem(self, parameters: Parameters) -> str | None:
        """Accept every parameter: a metric's may be those of another scorer."""
        del parameters
        return None

    def score(self, case: Case, parameters: Parameters = NO_PARAMETERS) -> Outcome:
        """Score a single case."""
        return self.prepare(parameters)(case)


def scorer_of(name: str, version: str, thing: Any) -> "FunctionScorer | Deterministic":  # noqa: ANN401
    """Make a scorer of what a package brings: a function, or a scorer as Reviewer has them."""
    if isinstance(thing, Deterministic):
        return replace(thing, name=name)
    metrics = getattr(thing, "metrics", (name,))
    return FunctionScorer(
        name=name, version=version, function=cast("Function", thing), metrics=tuple(metrics)
    )


def record_of(case: Case) -> dict[str, Any]:
    """Give a case in the keys of the native format, absent ones too."""
    return {
        "id": case.id,
        "run": case.run,
        "case": case.case,
        "category": case.category,
        "complexity": case.complexity,
        "tags": list(case.tags),
        "input": case.question,
        "response": case.response,
        "context": case.context,
        "expected": case.expected,
        "expected_keywords": list(case.keywords),
        "expected_tools": list(case.tools_expected),
        "tools_used": list(case.tools_used),
        "sources": [{"id": x.id, "title": x.title, "text": x.text} for x in case.sources],
        "error": case.error,
        "latency_ms": case.latency_ms,
        "cost_usd": case.cost_usd,
        "model": case.model,
    }


def _known(function: Function, parameters: Parameters) -> dict[str, Any]:
    try:
        named = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    if any(x.kind is inspect.Parameter.VAR_KEYWORD for x in named.values()):
        return dict(parameters)
    return {name: value for name, value in parameters.items() if name in named}


def _outcome(said: object, name: str) -> Outcome:
    value, reasoning = said, ""
    if isinstance(said, Mapping):
        value = said.get("score", said.get("value"))
        reasoning = str(said.get("reasoning", said.get("reason", "")) or "")
    elif isinstance(said, tuple) and len(said) == 2:
        value, reasoning = said[0], str(said[1] or "")
    if value is None:
        return Failure("undefined", reasoning or f"{name} gave no score")
    if not isinstance(value, bool | int | float | str):
        return Failure("input", f"{name} gave {type(value).__name__}, a score is expected")
    return ScoreOutcome(value, reasoning)
