"""The agent rubric's results and summary."""

import pytest

from reviewer.domain.evaluation import Score
from reviewer.domain.rubric import Rubric
from reviewer.domain.rubric_check import checked
from reviewer.reports.cases import ScoredCase
from reviewer.reports.systems.agent_rubric import AgentResult, agent_result, agent_summary
from reviewer.scoring.scorer import Case
from tests.resources.demo_records import RESOURCES, rubric_of

RUBRIC = checked(rubric_of(RESOURCES / "rubrics" / "agent-rubric.toml"))


def result(rubric: Rubric | None = None, **values: float | None) -> AgentResult:
    scores = {name: Score(metric=name, value=value) for name, value in values.items()}
    case = Case(id="t1", question="Q?", response="A.", complexity="simple")
    return agent_result(ScoredCase(case, scores), rubric)


@pytest.mark.parametrize("rubric", [None, RUBRIC])
def test_a_result_has_the_fields_of_the_system(rubric: Rubric | None) -> None:
    found = result(rubric, factual_accuracy=1.0, source_quality=0.6, tool_efficiency=0.3)
    assert found.to_json() == {
        "test": {"id": "t1", "input": "Q?", "complexity": "simple"},
        "output": "A.",
        "evaluation": {
            "overall_score": pytest.approx(0.7),
            "dimension_scores": {
                "factual_accuracy": 1.0,
                "completeness": None,
                "citation_accuracy": None,
                "source_quality": 0.6,
                "tool_efficiency": 0.3,
            },
            "passed": True,
        },
    }


def test_the_summary_holds_failures_whole_and_counts_apart_what_was_not_scored() -> None:
    failed = result(factual_accuracy=0.3)
    summary = agent_summary([result(factual_accuracy=1.0, completeness=0.8), failed, result()])
    assert summary.to_json() == {
        "total_tests": 3,
        "passed": 1,
        "failed": 1,
        "pass_rate": 0.5,
        "dimension_averages": {
            "factual_accuracy": pytest.approx(0.65),
            "completeness": 0.8,
            "citation_accuracy": None,
            "source_quality": None,
            "tool_efficiency": None,
        },
        "failures": [failed.to_json()],
        "not_scored": 1,
    }


def test_without_results_the_summary_says_so() -> None:
    assert agent_summary([]).to_json() == {"error": "No results"}
