"""The guest-response report: totals, averages, best and worst, patterns, targets, trend line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import JsonValue

from reviewer.domain.rubric import Metric, Rubric
from reviewer.reports.systems.guest_patterns import (
    FailurePattern,
    WhereToLook,
    failure_patterns,
    where_to_look,
)
from reviewer.reports.systems.guest_targets import Figure, Target, judge_targets
from reviewer.reports.systems.operations import Operations, operations
from reviewer.reports.systems.scored import ScoredCase, mean, share
from reviewer.scoring.overall import GUEST_PASS_AT, overall_rule
from reviewer.stats.satisfaction import (
    OverallRule,
    Part,
    Verdict,
    reaches,
    verdict,
    weighted_mean,
)

BEST_AND_WORST: Final = 5


@dataclass(frozen=True, slots=True)
class GuestResult:
    """Hold one response's result.

    Attributes:
        marks: pass marks by metric, for those that have one.
        overall: the mean of the metrics; None with one missing.
        metrics: those whose scores are told; without any, those with a mark.
    """

    scored: ScoredCase
    marks: Mapping[str, float]
    overall: float | None
    verdict: Verdict
    metrics: tuple[str, ...] = ()

    @property
    def passed(self) -> bool | None:
        """Tell whether it passed; None while incomplete."""
        return None if self.verdict == "incomplete" else self.verdict == "pass"

    def to_json(self) -> dict[str, JsonValue]:
        """Give the result in the report's field names."""
        case = self.scored.case
        return {
            "id": case.id,
            "category": case.category,
            "query": case.question,
            "response": case.response,
            "context": case.context,
            "scores": {name: self._score(name) for name in self.metrics or self.marks},
            "overall_score": self.overall,
            "passed": self.passed,
            "latency_ms": case.latency_ms,
            "cost_usd": case.cost_usd,
        }

    def _score(self, name: str) -> dict[str, JsonValue]:
        value, score = self.scored.value(name), self.scored.scores.get(name)
        mark = self.marks.get(name)
        return {
            "score": score.value if value is None and score else value,
            "reasoning": self.scored.reasoning(name),
            "passed": None if value is None or mark is None else reaches(value, mark),
        }


Judgement = tuple[float | None, Verdict]
"""The overall of a case and its verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestReport:
    """Hold the figures of one run.

    Attributes:
        averages: by metric, and `overall`, over the results that have it.
        best, worst: up to five by overall, ties by id; incomplete results are in neither.
        where_to_look: only where the pass rate is low.
    """

    results: tuple[GuestResult, ...]
    averages: Mapping[str, float | None]
    operations: Operations
    best: tuple[GuestResult, ...]
    worst: tuple[GuestResult, ...]
    patterns: tuple[FailurePattern, ...]
    targets: tuple[Target, ...] = ()
    where_to_look: WhereToLook | None = None
    counts: Mapping[Verdict, int] = field(default_factory=dict)

    @property
    def total_cases(self) -> int:
        """Count all results."""
        return len(self.results)

    @property
    def passed(self) -> int:
        """Count the results that passed."""
        return self.counts.get("pass", 0)

    @property
    def failed(self) -> int:
        """Count the results that failed."""
        return self.counts.get("fail", 0)

    @property
    def incomplete(self) -> int:
        """Count the results with a metric missing and none failed: neither passed nor failed."""
        return self.counts.get("incomplete", 0)

    @property
    def pass_rate(self) -> float | None:
        """Give the share that passed of all that passed or failed."""
        return share(self.passed, self.passed + self.failed)

    def trend_line(self, timestamp: str) -> dict[str, JsonValue]:
        """Give the line that the history file keeps of this run."""
        return {
            "timestamp": timestamp,
            "pass_rate": self.pass_rate,
            "avg_scores": dict(self.averages),
            "performance": {
                "avg_latency_ms": self.operations.latency.average,
                "avg_cost_usd": self.operations.average_cost,
            },
        }

    def to_json(self, timestamp: str) -> dict[str, JsonValue]:
        """Give the report in the system's field names."""
        results = [result.to_json() for result in self.results]
        return {**self.figures_json(timestamp), "results": list(results)}

    def figures_json(self, timestamp: str) -> dict[str, JsonValue]:
        """Give the report without its single results."""
        return {
            **self.trend_line(timestamp),
            "total_cases": self.total_cases,
            "passed": self.passed,
            "failed": self.failed,
            "best_cases": [result.to_json() for result in self.best],
            "worst_cases": [result.to_json() for result in self.worst],
            "failure_patterns": {pattern.name: pattern.to_json() for pattern in self.patterns},
            "targets": [target.to_json() for target in self.targets],
        }


def guest_report(
    cases: Sequence[ScoredCase],
    rubric: Rubric,
    *,
    passing: float | Mapping[str, float] | None = None,
    judged: Sequence[Judgement] | None = None,
    figures: Mapping[str, Figure] | None = None,
    top: int = BEST_AND_WORST,
) -> GuestReport:
    """Work out the report of one run.

    Args:
        cases: with one score a metric.
        rubric: metrics, targets and advice.
        passing: one pass mark for all metrics or one each, in place of the rubric's.
        judged: overall and verdict of every case where figures of the run have them already.
        figures: what targets need from elsewhere: `percent` and `kappa` of judge and people.
        top: how many of the best and of the worst are told.

    Raises:
        RubricError: for a target that is no comparison.
    """
    marks = pass_marks(rubric, passing)
    said = judgements(cases, rubric, marks) if judged is None else judged
    results = [GuestResult(one, marks, *how) for one, how in zip(cases, said, strict=True)]
    found = of_results(results, rubric, marks=marks, top=top)
    known = known_figures(found) | dict(figures or {})
    return replace(found, targets=judge_targets(rubric.targets, known))


def of_results(
    results: Sequence[GuestResult],
    rubric: Rubric,
    *,
    marks: Mapping[str, float],
    top: int = BEST_AND_WORST,
) -> GuestReport:
    """Work out what follows from single results: everything but the targets.

    Args:
        results: with overall and verdict.
        rubric: with its advice.
        marks: the pass marks that failure patterns go by.
        top: how many of the best and of the worst are told.
    """
    cases = [result.scored for result in results]
    counts: dict[Verdict, int] = {"pass": 0, "fail": 0, "incomplete": 0}
    for result in results:
        counts[result.verdict] += 1
    names = dict.fromkeys(name for x in results[:1] for name in x.metrics or x.marks)
    averages = {name: mean(scored.value(name) for scored in cases) for name in names or marks}
    averages["overall"] = mean(result.overall for result in results)
    patterns = failure_patterns(cases, rubric, marks)
    ranked = [result for result in results if result.overall is not None]
    failed = [result.scored for result in results if result.verdict == "fail"]
    rate = share(counts["pass"], counts["pass"] + counts["fail"])
    best = sorted(ranked, key=lambda x: (-(x.overall or 0), x.scored.case.id))
    worst = sorted(ranked, key=lambda x: (x.overall or 0, x.scored.case.id))
    return GuestReport(
        results=tuple(results),
        averages=averages,
        operations=operations([scored.case for scored in cases]),
        best=tuple(best[:top]),
        worst=tuple(worst[:top]),
        patterns=patterns,
        where_to_look=where_to_look(rate, failed, patterns, rubric, marks),
        counts=counts,
    )


def pass_marks(
    rubric: Rubric, passing: float | Mapping[str, float] | None = None
) -> dict[str, float]:
    """Give the pass mark of each metric that takes part in the overall."""
    return {metric.name: _mark(metric, rubric, passing) for metric in rubric.overall_metrics}


def _mark(metric: Metric, rubric: Rubric, passing: float | Mapping[str, float] | None) -> float:
    given = passing.get(metric.name) if isinstance(passing, Mapping) else passing
    marks = (given, metric.pass_at, rubric.pass_at)
    return next((mark for mark in marks if mark is not None), GUEST_PASS_AT)


def judgements(
    cases: Sequence[ScoredCase], rubric: Rubric, marks: Mapping[str, float]
) -> list[Judgement]:
    """Give every response its overall and verdict: each metric at its mark."""
    rule = overall_rule(rubric)
    verdicts = OverallRule(parts=tuple(_marked(part, marks) for part in rule.parts))
    judged = Judged(rule, verdicts)
    return [judged.of(scored.values(marks)) for scored in cases]


@dataclass(frozen=True, slots=True)
class Judged:
    """Works out overall and verdict, once for all cases whose scores are the same.

    Attributes:
        overall: The rule of the overall.
        verdicts: The rule of pass and fail.
    """

    overall: OverallRule
    verdicts: OverallRule
    _known: dict[tuple[float | None, ...], tuple[float | None, Verdict]] = field(
        default_factory=dict
    )

    def of(self, values: Mapping[str, float | None]) -> tuple[float | None, Verdict]:
        """Give overall and verdict of scores, which always name the same metrics."""
        scores = tuple(values.values())
        if scores not in self._known:
            said = verdict(values, self.verdicts) if self.verdicts.parts else None
            self._known[scores] = (
                weighted_mean(values, self.overall)[0],
                said or "incomplete",
            )
        return self._known[scores]


def _marked(part: Part, marks: Mapping[str, float]) -> Part:
    return Part(
        name=part.name,
        low=part.low,
        high=part.high,
        weight=part.weight,
        higher_is_better=part.higher_is_better,
        pass_at=marks.get(part.name),
    )


def known_figures(found: GuestReport) -> dict[str, Figure]:
    """Give the figures of a report by the names that targets use, with their counts."""
    cases = [result.scored for result in found.results]
    counts = {name: sum(1 for x in cases if x.value(name) is not None) for name in found.averages}
    counts["overall"] = sum(1 for result in found.results if result.overall is not None)
    return {name: Figure(value, counts[name]) for name, value in found.averages.items()} | {
        "pass_rate": Figure(found.pass_rate, found.passed + found.failed),
        **operation_figures(found.operations),
    }


def operation_figures(performed: Operations) -> dict[str, Figure]:
    """Give latency, cost and templates by the names that targets use."""
    template, direct = performed.template_match, performed.direct_substitution
    return {
        "avg_cost_usd": Figure(performed.average_cost, performed.n_cost),
        "avg_latency_ms": Figure(performed.latency.average, performed.latency.n),
        "p95_latency_ms": Figure(performed.latency.p95, performed.latency.n),
        "template_match_rate": Figure(template.value, template.n),
        "direct_substitution_rate": Figure(direct.value, direct.n),
    }
