"""Targets of a run: each a line that is met, missed, or rests on too few cases.

A rubric writes targets and advice as comparisons: "> 4.0", ">= 0.6 and <= 0.8", "cost > 1".
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Rubric
from reviewer.stats.quantities import NOTHING, Quantity

TargetResult = Literal["met", "missed", "too few"]
RESULTS: Final[tuple[TargetResult, ...]] = ("met", "missed", "too few")
FEWEST: Final = 10
"""Cases below which a target is neither met nor missed."""
TITLES: Final = {
    "avg_cost_usd": "Average cost",
    "avg_latency_ms": "Average latency",
    "p95_latency_ms": "Latency p95",
    "percent": "Same verdict as people",
    "kappa": "Kappa of verdicts with people",
}
"""What figures are called beside metrics."""
_BOUND: Final = re.compile(r"\s*(>=|<=|==|=|>|<)\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*")
_CONDITION: Final = re.compile(r"^\s*(\w+)\s*(>=|<=|==|=|>|<)\s*(\S+)\s*$")


@dataclass(frozen=True, slots=True)
class Target:
    """Hold one target's line.

    Attributes:
        title: what the figure is called.
        target: what is wanted, as the rubric writes it, such as ">= 0.8".
        value: None where no case carries the figure.
        n: the cases behind the value.
        low, high: the ends of its interval, None where it has none.
    """

    name: str
    title: str
    target: str
    value: float | None
    n: int
    result: TargetResult
    low: float | None = None
    high: float | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Give the line."""
        found: dict[str, JsonValue] = {
            "name": self.name,
            "target": self.target,
            "value": self.value,
            "n": self.n,
            "result": self.result,
        }
        return found if self.low is None else found | {"low": self.low, "high": self.high}


def judge_targets(
    rubric: Rubric, figures: Mapping[str, Quantity], fewest: int = FEWEST
) -> tuple[Target, ...]:
    """Compare figures with a rubric's targets on 9 decimals; exactly 80 % meets ">= 0.8".

    The published text wants a pass rate above 80 %, its check fails below 80 %: the two differ at
    exactly 80 %, and the rubric's sign decides.

    Args:
        rubric: with its `[targets]`.
        figures: by the targets' names; one that is absent rests on no case.
        fewest: the least number of cases for a verdict.

    Raises:
        RubricError: for a target that is no comparison.
    """
    found = []
    for name, wanted in rubric.targets.items():
        figure, bounds = figures.get(name, NOTHING), bounds_of(name, wanted)
        result: TargetResult = "too few"
        if figure.value is not None and figure.n >= max(fewest, 1):
            result = "met" if all(bound.holds(figure.value) for bound in bounds) else "missed"
        found.append(
            Target(
                name=name,
                title=title_of(rubric, name),
                target=wanted if isinstance(wanted, str) else f">= {wanted}",
                value=figure.value,
                n=figure.n,
                result=result,
                low=figure.low,
                high=figure.high,
            )
        )
    return tuple(found)


def title_of(rubric: Rubric, name: str) -> str:
    """Give a metric's heading, or a figure's name in words."""
    metric = rubric.by_name.get(name)
    if metric is not None:
        return metric.heading
    return TITLES.get(name, name.replace("_", " ").capitalize())


def count_targets(targets: Sequence[Target]) -> str:
    """Count the targets in one line: 5 met, 2 missed, 1 too few."""
    results = [target.result for target in targets]
    return ", ".join(f"{results.count(result)} {result}" for result in RESULTS)


@dataclass(frozen=True, slots=True)
class Bound:
    """One comparison with a number, made on 9 decimals."""

    sign: str
    limit: float

    def holds(self, value: float) -> bool:
        """Tell whether a value keeps to it."""
        return _COMPARISONS[self.sign](round(value, 9), round(self.limit, 9))

    @property
    def words(self) -> str:
        """Say when a figure keeps to it, such as "below 3"."""
        return f"{_SIGNS.get(self.sign, self.sign)} {self.limit:g}"


_SIGNS: Final = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}
_COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "=": operator.eq,
}


def bounds_of(name: str, target: JsonValue) -> tuple[Bound, ...]:
    """Read a target; a bare number is the least that is wanted.

    Raises:
        RubricError: where it is neither a number nor comparisons joined by "and".
    """
    if isinstance(target, int | float) and not isinstance(target, bool):
        return (Bound(">=", float(target)),)
    parts = re.split(r"\band\b", target) if isinstance(target, str) else [""]
    found = [_BOUND.fullmatch(part) for part in parts]
    if not all(found):
        raise RubricError(
            f'[targets] {name}: {target!r} was found, a comparison like ">= 0.8" or '
            '">= 0.6 and <= 0.8" is expected'
        )
    return tuple(Bound(match[1], float(match[2])) for match in found if match)


def condition_of(when: str, marks: Mapping[str, float]) -> tuple[str, Bound] | None:
    """Read an advice's `when`, a figure of a case and its bound; None for a plain name.

    Args:
        when: a name, a comparison sign, and a number or `pass_at`; or such as repeats_differ.
        marks: the pass marks by metric that `pass_at` stands for.
    """
    match = _CONDITION.match(when)
    if match is None:
        return None
    name, sign, limit = match.groups()
    try:
        return name, Bound(sign, marks[name] if limit == "pass_at" else float(limit))
    except (KeyError, ValueError):
        return None


def advice_of(rubric: Rubric, marks: Mapping[str, float]) -> dict[str, dict[Bound, str]]:
    """Read a rubric's advice by figure and bound; all that is said of one bound is one text."""
    found: dict[str, dict[Bound, str]] = {}
    for advice in rubric.advice:
        condition = condition_of(advice.when, marks)
        if condition is not None:
            name, bound = condition
            texts = found.setdefault(name, {})
            texts[bound] = f"{texts.get(bound, '')} {advice.text}".strip()
    return found
