"""Failure patterns of a run: what went wrong, how often, where, and what to do about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from reviewer.domain.rubric import Rubric
from reviewer.reports.systems.conditions import Bound, condition_of
from reviewer.reports.systems.scored import ScoredCase, share

REPEATS = "repeats_differ"
_OPERATIONS = {"latency_ms": ("high_latency", 1000.0), "cost_usd": ("high_cost", 0.005)}


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
    def title(self) -> str:
        """Give the name in words, such as "low accuracy"."""
        return self.name.replace("_", " ")

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
    """Look for each pattern: a metric below its mark, high latency, high cost, differing repeats.

    The limits of latency and cost stand in the rubric's advice (latency_ms > 1000).

    Args:
        cases: of one run.
        rubric: with `[[advice]]`.
        marks: pass marks by metric.
    """
    advice = {entry.when: entry.text for entry in rubric.advice}
    conditions = {
        condition.name: (condition.bound, text)
        for when, text in advice.items()
        if (condition := condition_of(when, marks))
    }
    found = []
    for name, mark in marks.items():
        bound, text = conditions.get(name, (Bound("<", mark), ""))
        values = [(scored.case.id, scored.value(name)) for scored in cases]
        found.append(_pattern(f"low_{name}", values, bound, text))
    for name, (pattern, limit) in _OPERATIONS.items():
        bound, text = conditions.get(name, (Bound(">", limit), ""))
        amounts = [(scored.case.id, getattr(scored.case, name)) for scored in cases]
        found.append(_pattern(pattern, amounts, bound, text))
    return (*found, _repeats(cases, list(marks), advice.get(REPEATS, "")))


def _pattern(
    name: str, values: Sequence[tuple[str, float | None]], bound: Bound, advice: str
) -> FailurePattern:
    there = [(case, value) for case, value in values if value is not None]
    shown = tuple(case for case, value in there if bound.holds(value))
    return FailurePattern(name, len(there), shown, advice)


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


def where_to_look(
    pass_rate: float | None,
    failed: Sequence[ScoredCase],
    patterns: Sequence[FailurePattern],
    rubric: Rubric,
    marks: Mapping[str, float],
) -> WhereToLook | None:
    """Say where to start when the pass rate is below 70 %, or what the advice names instead."""
    conditions = [(condition_of(x.when, marks), x.text) for x in rubric.advice]
    limits = [(c.bound, text) for c, text in conditions if c and c.name == "pass_rate"]
    bound, text = limits[0] if limits else (Bound("<", 0.7), "")
    if pass_rate is None or not marks or not bound.holds(pass_rate):
        return None
    counts = {
        name: sum(1 for x in failed if (value := x.value(name)) is not None and value < mark)
        for name, mark in marks.items()
    }
    worst = max(counts, key=lambda name: counts[name])
    ids = {scored.case.id for scored in failed}
    by_pattern = {
        pattern.name: tuple(case for case in pattern.responses if case in ids)
        for pattern in patterns
    }
    return WhereToLook(
        text, worst, counts[worst], {name: cases for name, cases in by_pattern.items() if cases}
    )
