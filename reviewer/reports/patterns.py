"""Failure patterns of a run: what went wrong, how often, where, and what to do about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import JsonValue

from reviewer.domain.rubric import Rubric
from reviewer.reports.cases import ScoredCase, share
from reviewer.reports.targets import Bound, advice_of

REPEATS: Final = "repeats_differ"


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


def pattern_rules(rubric: Rubric, marks: Mapping[str, float]) -> tuple[PatternRule, ...]:
    """Give what is looked for: a metric below its mark, high latency, high cost.

    The limits of latency and cost stand in the rubric's advice (latency_ms > 1000). Of several
    limits of one figure each is a pattern; those after the first are named after theirs.

    Args:
        rubric: with `[[advice]]`.
        marks: pass marks by metric.
    """
    usual = (
        *(PatternRule(f"low_{name}", name, Bound("<", mark)) for name, mark in marks.items()),
        PatternRule("high_latency", "latency_ms", Bound(">", 1000.0), judged=False),
        PatternRule("high_cost", "cost_usd", Bound(">", 0.005), judged=False),
    )
    advice = advice_of(rubric, marks)
    return tuple(
        replace(
            rule,
            name=f"{rule.name}_{bound.words}".replace(" ", "_") if place else rule.name,
            bound=bound,
            advice=text,
        )
        for rule in usual
        for place, (bound, text) in enumerate(advice.get(rule.figure, {rule.bound: ""}).items())
    )


@dataclass(frozen=True, slots=True)
class FailurePattern:
    """Hold one pattern.

    Attributes:
        name: such as low_accuracy or high_latency.
        n: the cases that carry the figure.
        responses: the ids of those that show the pattern, in the order of the cases.
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
    """Look for each pattern in the cases of one run, and for repeats that differ."""
    amounts = {
        "latency_ms": [x.case.latency_ms for x in cases],
        "cost_usd": [x.case.cost_usd for x in cases],
    }
    found = []
    for rule in pattern_rules(rubric, marks):
        values = [x.value(rule.figure) for x in cases] if rule.judged else amounts[rule.figure]
        there = [(x, value) for x, value in zip(cases, values, strict=True) if value is not None]
        shown = tuple(x.case.id for x, value in there if rule.bound.holds(value))
        found.append(FailurePattern(rule.name, len(there), shown, rule.advice))
    advice = " ".join(x.text for x in rubric.advice if x.when == REPEATS)
    return (*found, _repeats(cases, list(marks), advice))


def _repeats(cases: Sequence[ScoredCase], metrics: Sequence[str], advice: str) -> FailurePattern:
    """Find test cases that one run answered several times and that were scored differently."""
    repeats: dict[tuple[str, str], list[ScoredCase]] = {}
    for scored in cases:
        if scored.case.case:
            repeats.setdefault((scored.case.run, scored.case.case), []).append(scored)
    several = [group for group in repeats.values() if len(group) > 1]
    differing = [
        scored.case.id
        for group in several
        if len({tuple(x.values(metrics).values()) for x in group}) > 1
        for scored in group
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
    failed: Sequence[ScoredCase],
    patterns: Sequence[FailurePattern],
    rubric: Rubric,
    marks: Mapping[str, float],
) -> WhereToLook | None:
    """Say where to start when the pass rate is low."""

    def below(name: str, mark: float) -> int:
        return sum(1 for x in failed if (value := x.value(name)) is not None and value < mark)

    most = most_failed(pass_rate, rubric, marks, below)
    if most is None:
        return None
    metric, failures, text = most
    ids = {scored.case.id for scored in failed}
    by_pattern = {
        pattern.name: tuple(case for case in pattern.responses if case in ids)
        for pattern in patterns
    }
    shown = {name: cases for name, cases in by_pattern.items() if cases}
    return WhereToLook(text, metric, failures, shown)


def titled(name: str) -> str:
    """Give a pattern's name in words, such as "low accuracy"."""
    return name.replace("_", " ")


def without(text: str, beginning: str) -> str:
    """Give an advice without the words that stand beside it, such as "Low accuracy: "."""
    left = text.removeprefix(f"{beginning.capitalize()}: ")
    return left[:1].upper() + left[1:]
