"""Every worked example of the scorers, and the whole file of examples where it is at hand."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.rubric_check import checked
from reviewer.scoring.bots.question_list import QuestionList
from reviewer.scoring.overall import (
    harness_final,
    harness_grade,
    overall_rule,
    rubric_overall,
    rubric_passed,
)
from reviewer.scoring.registry import SCORERS
from reviewer.scoring.retrieval import retrieval
from reviewer.scoring.scorer import Case, ScoreOutcome
from reviewer.services.monitoring.view import status_of
from reviewer.stats.satisfaction import verdict, weighted_mean
from tests.resources.demo_records import RESOURCES, rubric_of

GUEST = checked(rubric_of(RESOURCES / "rubrics" / "guest-response.toml"))
VECTORS = Path(__file__).parents[3] / "shared" / "spec" / "vectors" / "scorers.json"
FIELDS = {
    "expected_tools": "tools_expected",
    "tools_used": "tools_used",
    "expected_keywords": "keywords",
    "response": "response",
    "answer": "response",
    "error": "error",
    "expected": "expected",
}


def by_scorer(name: str) -> Callable[[dict[str, Any]], Any]:
    def score(inputs: dict[str, Any]) -> Any:
        case: dict[str, Any] = {}
        parameters: dict[str, Any] = {}
        for key, value in inputs.items():
            if key not in FIELDS:
                parameters[key] = value
            elif isinstance(value, list) or (value is None and FIELDS[key] == "tools_used"):
                case[FIELDS[key]] = tuple(value or ())
            else:
                case[FIELDS[key]] = value
        outcome = SCORERS[name].score(Case(**case), parameters)
        assert isinstance(outcome, ScoreOutcome), outcome
        assert outcome.reasoning.endswith(".")
        return outcome.value

    return score


def guest(inputs: dict[str, Any]) -> dict[str, Any]:
    marks = inputs["passing"]
    metrics = tuple(
        replace(x, pass_at=marks.get(x.name, 4) if isinstance(marks, dict) else marks)
        for x in GUEST.metrics
    )
    rule = overall_rule(replace(GUEST, metrics=metrics))
    overall = weighted_mean(inputs["scores"], rule)
    return {"overall": overall, "verdict": verdict(inputs["scores"], rule) or "incomplete"}


def ranked(inputs: dict[str, Any]) -> dict[str, float] | None:
    found = retrieval(**inputs)
    if found is None:
        return None
    return {"precision": found.precision, "recall": found.recall, "ndcg": found.ndcg}


def letter(score: float) -> str | None:
    found = harness_grade(score)
    return found.grade if found else None


def colour(passed: int, total: int) -> dict[str, Any]:
    found = status_of(passed, total)
    return {"status": found.status, "uncertain": found.uncertain}


SCORE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "harness_final": lambda x: harness_final(x).value,
    "grade": lambda x: letter(x["score"]),
    "rubric_overall": lambda x: rubric_overall(x["scores"]),
    "rubric_passed": lambda x: rubric_passed(x["scores"]),
    "monitor_status": lambda x: colour(x["passed"], x["total"]),
    "cosine": lambda x: by_scorer("cosine")({"answer": x["a"], "expected": x["b"]}),
    "best_row": lambda x: QuestionList(x["rows"]).best(x["question"]).row,
    "guest_response": guest,
    "retrieval": ranked,
}


def holds(name: str, inputs: dict[str, Any], expected: Any) -> None:
    found = SCORE.get(name, by_scorer(name))(inputs)
    if isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-9)
    elif isinstance(expected, dict):
        assert found == {
            key: pytest.approx(value, abs=1e-9) if isinstance(value, float) else value
            for key, value in expected.items()
        }
    else:
        assert found == expected


BASIS = {
    "expected_keywords": ["basis", "depreciation", "442300", "land", "building"],
    "response": "The total basis for your property is $442,300, which includes the land and "
    "building components.",
}
ADDRESS = "Your property is located at 900 S 9th St, Montrose, CO 81401"
RETRIEVED = {"relevances": [3, 2, 0, 1], "known": [3, 2, 0, 1], "k": 4}
FULL_SET = {
    "factual_accuracy": 1,
    "completeness": 0.8,
    "citation_accuracy": 0.6,
    "source_quality": 0.3,
    "tool_efficiency": 0,
}
EXAMPLES: list[tuple[str, str, dict[str, Any], Any]] = [
    ("the expected tool", "tool_usage", {"expected_tools": ["a"], "tools_used": ["a"]}, 1.0),
    ("no tool used", "tool_usage", {"expected_tools": ["a"], "tools_used": []}, 0.0),
    ("another tool", "tool_usage", {"expected_tools": ["a"], "tools_used": ["b"]}, 0.0),
    ("both tools", "tool_usage", {"expected_tools": ["a", "b"], "tools_used": ["a", "b"]}, 1.0),
    ("an extra tool", "tool_usage", {"expected_tools": ["a"], "tools_used": ["a", "b"]}, 1.0),
    ("none expected, null used", "tool_usage", {"expected_tools": [], "tools_used": None}, 1.0),
    ("one of two", "tool_usage", {"expected_tools": ["a", "b"], "tools_used": ["a"]}, 0.0),
    (
        "one of two, part credit",
        "tool_usage",
        {"expected_tools": ["a", "b"], "tools_used": ["a"], "partial_credit": True},
        0.5,
    ),
    (
        "four of four",
        "response_quality",
        {"expected_keywords": ["900", "9th", "Montrose", "CO"], "response": ADDRESS},
        1.0,
    ),
    ("442300 as the text says", "response_quality", BASIS, 0.8),
    ("442300 as the code says", "response_quality", BASIS | {"normalize_numbers": False}, 0.6),
    (
        "none of five",
        "response_quality",
        {
            "expected_keywords": ["August", "2024", "rental", "income", "16144"],
            "response": "I found some transaction data for you.",
        },
        0.0,
    ),
    (
        "CO in company",
        "response_quality",
        {"expected_keywords": ["CO"], "response": "Our company policy"},
        1.0,
    ),
    (
        "CO as a word",
        "response_quality",
        {"expected_keywords": ["CO"], "response": "Our company policy", "match": "word"},
        0.0,
    ),
    ("no response", "response_quality", {"expected_keywords": ["x"], "response": None}, 0.0),
    ("no keywords", "response_quality", {"expected_keywords": [], "response": None}, 1.0),
    ("no error", "error_handling", {"error": None, "response": ADDRESS}, 1.0),
    (
        "database",
        "error_handling",
        {"error": "DatabaseError: Connection refused", "response": None},
        0.0,
    ),
    (
        "tool",
        "error_handling",
        {"error": "ToolExecutionError: Document not found", "response": "I encountered an error"},
        0.0,
    ),
    ("blank response", "error_handling", {"error": None, "response": "  "}, 0.0),
    (
        "blank response, published code",
        "error_handling",
        {"error": None, "response": "  ", "error_kinds": []},
        1.0,
    ),
    (
        "final .92",
        "harness_final",
        {"tool_usage": 1, "response_quality": 0.8, "error_handling": 1},
        0.92,
    ),
    (
        "a crash scores .80",
        "harness_final",
        {"tool_usage": 1, "response_quality": 1, "error_handling": 0},
        0.8,
    ),
    (
        "final .40",
        "harness_final",
        {"tool_usage": 0, "response_quality": 0.5, "error_handling": 1},
        0.4,
    ),
    *(
        (f"{score} is {grade}", "grade", {"score": score}, grade)
        for score, grade in [
            (0.92, "A"),
            (0.9, "A"),
            (0.895, "B"),
            (0.8999999999999, "A"),
            (0.8, "B"),
            (0.7, "C"),
            (0.6, "D"),
            (0.5999, "F"),
            (1, "A"),
            (0, "F"),
        ]
    ),
    ("full set .62", "rubric_overall", {"scores": FULL_SET}, 0.62),
    ("full set fails", "rubric_passed", {"scores": FULL_SET}, False),
    (
        "two dimensions",
        "rubric_overall",
        {"scores": {"factual_accuracy": 1, "completeness": 0.6}},
        0.818181818181818,
    ),
    (
        "exactly .70 passes",
        "rubric_passed",
        {"scores": {"factual_accuracy": 1.0, "source_quality": 0.6, "tool_efficiency": 0.3}},
        True,
    ),
    (
        "null is missing",
        "rubric_overall",
        {"scores": {"factual_accuracy": 0.5, "completeness": None}},
        0.5,
    ),
    ("no dimension, no score", "rubric_overall", {"scores": {}}, None),
    ("no dimension fails", "rubric_passed", {"scores": {}}, False),
    *(
        (
            f"{passed} of {total}",
            "monitor_status",
            {"passed": passed, "total": total},
            {"status": status, "uncertain": uncertain},
        )
        for passed, total, status, uncertain in [
            (0, 0, "insufficient_data", True),
            (69, 100, "critical", True),
            (70, 100, "warning", True),
            (84, 100, "warning", True),
            (85, 100, "healthy", True),
            (7, 10, "warning", True),
            (17, 20, "healthy", True),
            (980, 1000, "healthy", False),
            (100, 1000, "critical", False),
            (780, 1000, "warning", False),
        ]
    ),
    (
        "case and spaces",
        "exact_match",
        {"answer": "  Check-in  is 3 PM ", "expected": "check-in is 3 pm"},
        1.0,
    ),
    ("3 pm is not 3pm", "exact_match", {"answer": "3 pm", "expected": "3pm"}, 0.0),
    (
        "three of four words",
        "keyword_recall",
        {"answer": "Open 9 to 5, Monday.", "expected": "open monday to friday"},
        0.75,
    ),
    ("nothing expected", "keyword_recall", {"answer": "x", "expected": ""}, 0.0),
    (
        "two of three and six words",
        "cosine",
        {"a": "reset my password", "b": "How do I reset a password?"},
        0.47140452079103173,
    ),
    ("an empty text", "cosine", {"a": "", "b": "a"}, 0.0),
    ("a tie takes the first", "best_row", {"question": "a b", "rows": ["c", "a x", "b y"]}, 1),
    ("nothing in common", "best_row", {"question": "z", "rows": ["c", "a x"]}, 0),
    ("three markers", "politeness", {"answer": "Please wait, happy to help, thank you!"}, 1.0),
    ("one marker twice", "politeness", {"answer": "Please, please"}, 0.5),
    ("no answer text", "politeness", {"answer": ""}, 0.0),
    (
        "five, four, three",
        "guest_response",
        {"scores": {"relevance": 5, "accuracy": 4, "safety": 3}, "passing": 3},
        {"overall": 4.0, "verdict": "pass"},
    ),
    (
        "five, five, two fails",
        "guest_response",
        {"scores": {"relevance": 5, "accuracy": 5, "safety": 2}, "passing": 3},
        {"overall": 4.0, "verdict": "fail"},
    ),
    (
        "three, five, five is 4.333",
        "guest_response",
        {"scores": {"relevance": 3, "accuracy": 5, "safety": 5}, "passing": 3},
        {"overall": 4.333333333333333, "verdict": "pass"},
    ),
    (
        "one missing",
        "guest_response",
        {"scores": {"relevance": 5, "accuracy": 4}, "passing": 3},
        {"overall": None, "verdict": "incomplete"},
    ),
    (
        "two missing and one failed",
        "guest_response",
        {"scores": {"relevance": 2}, "passing": 3},
        {"overall": None, "verdict": "fail"},
    ),
    (
        "a mark for each",
        "guest_response",
        {
            "scores": {"relevance": 4, "accuracy": 4, "safety": 4},
            "passing": {"relevance": 3, "accuracy": 3, "safety": 5},
        },
        {"overall": 4.0, "verdict": "fail"},
    ),
    (
        "two of four relevant",
        "retrieval",
        {"relevances": [1, 0, 1, 0, 0], "known": [1, 1, 1, 1, 0], "k": 5, "gain": "linear"},
        {"precision": 0.4, "recall": 0.5, "ndcg": 0.5855700749881525},
    ),
    (
        "graded, linear",
        "retrieval",
        RETRIEVED | {"gain": "linear"},
        {"precision": 0.75, "recall": 1.0, "ndcg": 0.9854419388428785},
    ),
    (
        "graded, exponential",
        "retrieval",
        RETRIEVED | {"gain": "exponential"},
        {"precision": 0.75, "recall": 1.0, "ndcg": 0.992619504174702},
    ),
    ("none relevant", "retrieval", {"relevances": [0], "known": [0], "k": 2}, None),
]


@pytest.mark.parametrize(
    ("scorer", "inputs", "expected"),
    [example[1:] for example in EXAMPLES],
    ids=[f"{example[1]}: {example[0]}" for example in EXAMPLES],
)
def test_worked_example(scorer: str, inputs: dict[str, Any], expected: Any) -> None:
    holds(scorer, inputs, expected)


def test_every_example_of_the_specification() -> None:
    if not VECTORS.is_file():
        pytest.skip("needs spec/vectors/scorers.json in ../shared")
    for vector in json.loads(VECTORS.read_text(encoding="utf-8")):
        holds(vector["scorer"], vector["inputs"], vector["expect"])
