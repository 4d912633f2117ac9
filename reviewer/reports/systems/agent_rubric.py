"""The agent rubric's results: a result a test, and the summary of many."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from pydantic import JsonValue

from reviewer.domain.rubric import Rubric
from reviewer.reports.cases import RunCases, ScoredCase, mean, share
from reviewer.reports.document import MOST_ROWS, Fields, OwnPart, Rows, Table
from reviewer.reports.wording import number, percent
from reviewer.scoring.overall import RUBRIC_WEIGHTS, overall_rule, rubric_overall, rubric_passed
from reviewer.scoring.scorer import Case
from reviewer.stats.satisfaction import Verdict, verdict, weighted_mean

NO_RESULTS = "No results"
_PASSED: Final[Mapping[Verdict | None, bool]] = {"pass": True, "fail": False}


@dataclass(frozen=True, slots=True)
class AgentResult:
    """Hold one test's result.

    Attributes:
        test: the test case as it was given.
        dimension_scores: by dimension; None where there is no score.
        passed: None where nothing was scored that a verdict could follow from.
        reasons: of the scores, by dimension; where there is no score, why.
    """

    test: Mapping[str, JsonValue]
    output: str | None
    overall_score: float | None
    dimension_scores: Mapping[str, float | None]
    passed: bool | None
    reasons: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, JsonValue]:
        """Give the result in the agent rubric's field names; reasons where there are any."""
        evaluation: dict[str, JsonValue] = {
            "overall_score": self.overall_score,
            "dimension_scores": dict(self.dimension_scores),
            "passed": self.passed,
        }
        if self.reasons:
            evaluation["reasons"] = dict(self.reasons)
        return {"test": dict(self.test), "output": self.output, "evaluation": evaluation}


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """Hold the summary of many results; without results all counts are 0.

    What nothing was scored of, as where a judge's replies were none, neither passed nor failed;
    the pass rate is that of the others.

    Attributes:
        dimension_averages: over the results that have the dimension; None where none has.
    """

    total_tests: int
    passed: int
    not_scored: int
    dimension_averages: Mapping[str, float | None]
    failures: tuple[AgentResult, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """Give the summary in the agent rubric's field names."""
        if not self.total_tests:
            return {"error": NO_RESULTS}
        judged = self.total_tests - self.not_scored
        return {
            "total_tests": self.total_tests,
            "passed": self.passed,
            "failed": judged - self.passed,
            "pass_rate": share(self.passed, judged),
            "dimension_averages": dict(self.dimension_averages),
            "failures": [result.to_json() for result in self.failures],
            **({"not_scored": self.not_scored} if self.not_scored else {}),
        }


def agent_result(
    scored: ScoredCase,
    rubric: Rubric | None = None,
    test: Mapping[str, JsonValue] | None = None,
) -> AgentResult:
    """Make the result of one scored case.

    Args:
        scored: the case with its scores.
        rubric: dimensions, weights and pass mark; without one the published.
        test: the test case as it was given; without it, what the record holds of it.
    """
    test = test_of(scored.case) if test is None else test
    if rubric is None:
        values = scored.values(RUBRIC_WEIGHTS)
        overall = rubric_overall(values)
        passed = None if overall is None else rubric_passed(values)
    else:
        values = scored.values(metric.name for metric in rubric.overall_metrics)
        rule = overall_rule(rubric)
        overall, passed = weighted_mean(values, rule), _PASSED.get(verdict(values, rule))
    reasons = {name: scored.reason(name) for name in values}
    told = {name: reason for name, reason in reasons.items() if reason}
    return AgentResult(test, scored.case.response, overall, values, passed, told)


def test_of(case: Case) -> dict[str, JsonValue]:
    """Give the test case behind a record: what was asked and expected, without the response."""
    fields: dict[str, JsonValue] = {
        "id": case.case or case.id,
        "input": case.question,
        "expected": case.expected,
        "expected_keywords": list(case.keywords),
        "expected_tools": list(case.tools_expected),
        "expected_sources": case.expected_sources,
        "context": case.context,
        "category": case.category,
        "complexity": case.complexity,
        "tags": list(case.tags),
    }
    return {name: value for name, value in fields.items() if value not in (None, [])}


def agent_summary(results: Sequence[AgentResult]) -> AgentSummary:
    """Count and average results; failures are given whole."""
    names = dict.fromkeys(name for result in results for name in result.dimension_scores)
    return AgentSummary(
        total_tests=len(results),
        passed=sum(result.passed is True for result in results),
        not_scored=sum(result.passed is None for result in results),
        dimension_averages={
            name: mean(result.dimension_scores.get(name) for result in results) for name in names
        },
        failures=tuple(result for result in results if result.passed is False),
    )


def own_part(found: RunCases) -> OwnPart:
    """Give results and summary of a run; what fails is told with its test."""
    results = [agent_result(scored, found.rubric) for scored in found.cases]
    made = replace(agent_summary(results), failures=())
    pairs = zip(found.keys, results, strict=True)
    failures = [key for key, result in pairs if result.passed is False]

    def read(keys: Sequence[int]) -> Iterator[AgentResult]:
        return (agent_result(scored, found.rubric) for scored in found.whole.read(keys))

    def rows(keys: Sequence[int]) -> Rows:
        return Rows(len(keys), lambda: (result.to_json() for result in read(keys)))

    def tables() -> list[Table]:
        averages = [
            [metric.heading, f"{percent(metric.weight, 0)}", number(average)]
            for name, average in made.dimension_averages.items()
            for metric in (found.rubric.by_name[name],)
        ]
        failed = [
            [str(x.test.get("id", "")), str(x.test.get("input", "")), number(x.overall_score)]
            for x in islice(read(failures), MOST_ROWS)
        ]
        return [
            Table("Dimensions", ["Dimension", "Weight", "Average"], averages).of(len(averages)),
            Table("Failures", ["Test", "Input", "Score"], failed).of(len(failures)),
        ]

    summary: Fields = made.to_json()
    if results:
        summary["failures"] = rows(failures)
    return OwnPart({"summary": summary, "results": rows(found.keys)}, tables)
