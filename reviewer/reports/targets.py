"""What a rubric holds a run to: its targets, patterns of failure, and the advice for them.

A target is reached, missed, or cannot be said. Where people's labels correct the judge's figure it
is the corrected one's interval that decides: reached where all of it keeps to the target, missed
where none of it does. Elsewhere the figure itself decides, from ten cases on. A rubric writes
targets and advice as comparisons: "> 4.0", ">= 0.6 and <= 0.8", "cost > 1".
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

from pydantic import JsonValue

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Rubric
from reviewer.reports.cases import ScoredCase, share
from reviewer.stats.clustering import NO_QUANTITY, Quantity

TargetResult = Literal["reached", "missed", "cannot be said"]
RESULTS: Final[tuple[TargetResult, ...]] = ("reached", "missed", "cannot be said")
RESULT_WORDS: Final[Mapping[TargetResult, str]] = {
    "reached": "✓ reached",
    "missed": "✗ missed",
    "cannot be said": "? cannot be said",
}
FEWEST: Final = 10
"""Cases below which a figure alone neither reaches nor misses a target."""
TOO_FEW: Final = "too few cases"
STRADDLES: Final = "the interval of the corrected figure lies on both sides"
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
        corrected: the figure with its interval as people's labels correct it, None without.
        reason: why it cannot be said, empty where it can.
    """

    name: str
    title: str
    target: str
    value: float | None
    n: int
    result: TargetResult
    low: float | None = None
    high: float | None = None
    corrected: Quantity | None = None
    reason: str = ""

    def to_json(self) -> dict[str, JsonValue]:
        """Give the line."""
        found: dict[str, JsonValue] = {
            "name": self.name,
            "target": self.target,
            "value": self.value,
            "n": self.n,
            "result": self.result,
        }
        if self.low is not None:
            found |= {"low": self.low, "high": self.high}
        if self.corrected is not None:
            one = self.corrected
            ends: dict[str, JsonValue] = {"low": one.low, "high": one.high}
            found["corrected"] = {"value": one.value, **ends, "n": one.n}
        return found | ({"reason": self.reason} if self.reason else {})


def judge_targets(
    rubric: Rubric,
    figures: Mapping[str, Quantity],
    corrected: Mapping[str, Quantity] | None = None,
    fewest: int = FEWEST,
) -> tuple[Target, ...]:
    """Compare figures with a rubric's targets on 9 decimals; exactly 80 % meets ">= 0.8".

    The published text wants a pass rate above 80 %, its check fails below 80 %: the two differ at
    exactly 80 %, and the rubric's sign decides.

    Args:
        rubric: with its `[targets]`.
        figures: by the targets' names; one that is absent rests on no case.
        corrected: likewise, as people's labels correct them.
        fewest: the least number of cases for a verdict.

    Raises:
        RubricError: for a target that is no comparison.
    """
    found = []
    for name, wanted in rubric.targets.items():
        figure, bounds = figures.get(name, NO_QUANTITY), bounds_of(name, wanted)
        own = (corrected or {}).get(name, NO_QUANTITY)
        result: TargetResult = "cannot be said"
        reason = ""
        if own.low is not None and own.high is not None:
            result = _by_interval(own.low, own.high, bounds)
            reason = STRADDLES if result == "cannot be said" else ""
        elif figure.value is None or figure.n < max(fewest, 1):
            reason = TOO_FEW
        else:
            holds = all(bound.holds(figure.value) for bound in bounds)
            result = "reached" if holds else "missed"
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
                corrected=own if own.low is not None else None,
                reason=reason,
            )
        )
    return tuple(found)


def _by_interval(low: float, high: float, bounds: Sequence["Bound"]) -> TargetResult:
    ends = [[bound.holds(end) for end in (low, high)] for bound in bounds]
    if all(all(one) for one in ends):
        return "reached"
    # between two bounds an interval may hold the wanted value though neither of its ends is one
    return "missed" if any(not any(one) for one in ends) else "cannot be said"


def title_of(rubric: Rubric, name: str) -> str:
    """Give a metric's heading, or a figure's name in words."""
    metric = rubric.by_name.get(name)
    if metric is not None:
        return metric.heading
    return TITLES.get(name, name.replace("_", " ").capitalize())


def count_targets(targets: Sequence[Target]) -> str:
    """Count the targets in one line: 5 reached, 2 missed, 1 cannot be said."""
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


REPEATS: Final = "repeats_differ"


Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class PatternRule:
    """When a case shows a pattern.

    Attributes:
        name: such as low_accuracy or high_latency.
        figure: the metric, `latency_ms` or `cost_usd`.
        advice: what to do, in the rubric's words; empty where it has none.
        judged: whether scores show it, so that it tells what the judge says.
    """

    name: str
    figure: str
    bound: Bound
    advice: str = ""
    judged: bool = True

    def showing(
        self, named: Iterable[Named], values: Iterable[float | None]
    ) -> tuple[int, tuple[Named, ...]]:
        """Count the cases that carry the figure, and give those that show the pattern."""
        pairs = zip(named, values, strict=True)
        there = [(x, value) for x, value in pairs if value is not None and math.isfinite(value)]
        return len(there), tuple(x for x, value in there if self.bound.holds(value))


def pattern_rules(rubric: Rubric, marks: Mapping[str, float]) -> tuple[PatternRule, ...]:
    """Give what is looked for: a metric below its mark, and what the rubric limits.

    Latency and cost have a limit only where the rubric's advice has one (latency_ms > 1000). Of
    several limits of one figure each is a pattern; those after the first are named after theirs.

    Args:
        rubric: with `[[advice]]`.
        marks: pass marks by metric.
    """
    advice = advice_of(rubric, marks)
    limited = (
        PatternRule(name, figure, bound, judged=False)
        for name, figure in (("high_latency", "latency_ms"), ("high_cost", "cost_usd"))
        for bound in list(advice.get(figure, {}))[:1]
    )
    usual = (
        *(PatternRule(f"low_{name}", name, Bound("<", mark)) for name, mark in marks.items()),
        *limited,
    )
    return tuple(
        replace(
            rule,
            name=f"{rule.name}_{bound.words}".replace(" ", "_") if place else rule.name,
            bound=bound,
            advice=text,
        )
        for rule in usual
        for place, (bound, text) in enumerate(_limits(advice, rule).items())
    )


def _limits(advice: Mapping[str, Mapping[Bound, str]], rule: PatternRule) -> Mapping[Bound, str]:
    return advice.get(rule.figure, {rule.bound: ""} if rule.judged else {})


@dataclass(frozen=True, slots=True)
class FailurePattern:
    """Hold one pattern.

    Attributes:
        name: such as low_accuracy or high_latency.
        n: the cases that carry the figure.
        responses: the ids of those that show the pattern, in the order of the cases; of several
            runs each with its own.
        advice: what to do, in the rubric's words; empty where it has none.
    """

    name: str
    n: int
    responses: tuple[str, ...]
    advice: str = ""

    @property
    def count(self) -> int:
        """Count the cases that show the pattern."""
        return len(self.responses)

    @property
    def share(self) -> float | None:
        """Give the share of the cases that carry the figure."""
        return share(self.count, self.n)

    def to_json(self) -> dict[str, JsonValue]:
        """Give the pattern without its name, which is its key."""
        return {
            "count": self.count,
            "share": self.share,
            "responses": list(self.responses),
            "advice": self.advice,
        }


def failure_patterns(
    cases: Sequence[ScoredCase], rubric: Rubric, marks: Mapping[str, float]
) -> tuple[FailurePattern, ...]:
    """Look for each pattern in the cases, and for repeats of one run that differ."""
    names = names_of(cases)
    amounts = {
        "latency_ms": [x.case.latency_ms for x in cases],
        "cost_usd": [x.case.cost_usd for x in cases],
    }
    found = []
    for rule in pattern_rules(rubric, marks):
        values = [x.value(rule.figure) for x in cases] if rule.judged else amounts[rule.figure]
        n, shown = rule.showing(names, values)
        found.append(FailurePattern(rule.name, n, shown, rule.advice))
    advice = " ".join(x.text for x in rubric.advice if x.when == REPEATS)
    return (*found, _repeats(cases, list(marks), advice))


def names_of(cases: Sequence[ScoredCase]) -> list[str]:
    """Give the ids of cases, of several runs each with its run."""
    if len({x.case.run for x in cases}) < 2:
        return [x.case.id for x in cases]
    return [f"{x.case.id} ({x.case.run})" for x in cases]


def _repeats(cases: Sequence[ScoredCase], metrics: Sequence[str], advice: str) -> FailurePattern:
    """Find test cases that one run answered several times and that were scored differently."""
    repeats: dict[tuple[str, str], list[tuple[str, ScoredCase]]] = {}
    for name, scored in zip(names_of(cases), cases, strict=True):
        if scored.case.case:
            repeats.setdefault((scored.case.run, scored.case.case), []).append((name, scored))
    several = [group for group in repeats.values() if len(group) > 1]
    differing = [
        name
        for group in several
        if len({tuple(x.values(metrics).values()) for _, x in group}) > 1
        for name, _ in group
    ]
    return FailurePattern(REPEATS, sum(map(len, several)), tuple(differing), advice)


@dataclass(frozen=True, slots=True)
class WhereToLook:
    """Hold the box that a low pass rate opens.

    Attributes:
        metric: the one that fails most, of several the first in the rubric.
        metric_failures: how many cases fail it.
        failed: ids of the failed cases by pattern.
    """

    text: str
    metric: str
    metric_failures: int
    failed: Mapping[str, tuple[str, ...]]

    def to_json(self) -> dict[str, JsonValue]:
        """Give the box."""
        return {
            "text": self.text,
            "metric": self.metric,
            "metric_failures": self.metric_failures,
            "failed": {name: list(cases) for name, cases in self.failed.items()},
        }


def most_failed(
    pass_rate: float | None,
    rubric: Rubric,
    marks: Mapping[str, float],
    below: Callable[[str, float], int],
) -> tuple[str, int, str] | None:
    """Give the metric that fails most, how often, and what to do; None where few fail.

    Args:
        pass_rate: nothing is to be said from 70 % on, or from what the advice names instead; of
            several limits each adds its text.
        rubric: with its advice.
        marks: pass marks by metric.
        below: counts the fails in which a metric lies below its mark.
    """
    if pass_rate is None:
        return None
    limits = advice_of(rubric, marks).get("pass_rate", {Bound("<", 0.7): ""})
    due = [text for bound, text in limits.items() if bound.holds(pass_rate)]
    if not marks or not due:
        return None
    counts = {name: below(name, mark) for name, mark in marks.items()}
    worst = max(counts, key=lambda name: counts[name])
    return worst, counts[worst], " ".join(filter(None, due))


def where_to_look(
    pass_rate: float | None,
    failed: Mapping[str, ScoredCase],
    patterns: Sequence[FailurePattern],
    rubric: Rubric,
    marks: Mapping[str, float],
) -> WhereToLook | None:
    """Say where to start when the pass rate is low; the failed cases come by their names."""

    def below(name: str, mark: float) -> int:
        return sum(
            1 for x in failed.values() if (value := x.value(name)) is not None and value < mark
        )

    most = most_failed(pass_rate, rubric, marks, below)
    if most is None:
        return None
    metric, failures, text = most
    by_pattern = {
        pattern.name: tuple(case for case in pattern.responses if case in failed)
        for pattern in patterns
    }
    return WhereToLook(
        text, metric, failures, {name: cases for name, cases in by_pattern.items() if cases}
    )


def titled(name: str) -> str:
    """Give a pattern's name in words, such as "low accuracy"."""
    return name.replace("_", " ")


def without(text: str, beginning: str) -> str:
    """Give an advice without the words that stand beside it, such as "Low accuracy: "."""
    left = text.removeprefix(f"{beginning.capitalize()}: ")
    return left[:1].upper() + left[1:]
