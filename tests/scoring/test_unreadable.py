"""A field that came with a value of the wrong kind is never scored as if it were absent."""

import pytest

from reviewer.domain.evaluation import Evaluation
from reviewer.scoring import registry
from reviewer.scoring.scorer import Case, Failure, case_of


@pytest.mark.parametrize(
    ("scorer", "field"),
    [
        ("tool_usage", "expected_tools"),
        ("tool_usage", "tools_used"),
        ("response_quality", "expected_keywords"),
        ("response_quality", "response"),
        ("error_handling", "error"),
        ("exact_match", "expected"),
        ("keyword_recall", "response"),
        ("latency", "latency_ms"),
        ("user_feedback", "feedback"),
        ("retrieval_recall", "sources"),
    ],
)
def test_what_could_not_be_read_is_not_scored(scorer: str, field: str) -> None:
    case = Case(response="fine", latency_ms=5, unreadable=frozenset({field}))
    outcome = registry.SCORERS[scorer].score(case)
    assert outcome == Failure(
        "input", f"The record's {field} came with a value of the wrong kind."
    )


def test_what_a_scorer_does_not_read_may_be_unreadable() -> None:
    case = Case(response="fine", unreadable=frozenset({"context"}))
    assert not isinstance(registry.SCORERS["tool_usage"].score(case), Failure)


def test_a_case_knows_what_its_record_could_not_hold() -> None:
    found = Evaluation(key=1, id="a", run="r", rest={"unreadable": {"expected_tools": "query"}})
    assert case_of(found).unreadable == {"expected_tools"}
