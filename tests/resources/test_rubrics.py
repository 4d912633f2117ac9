"""The shipped rubrics are complete and hold the ids, weights and patterns they promise."""

import pathlib
import re

import pytest

from reviewer.domain.rubric_check import checked
from tests.resources.demo_records import DEMO, RESOURCES, rubric_of

RUBRICS = RESOURCES / "rubrics"


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        (
            "harness",
            {
                "tool_usage": 0.4,
                "response_quality": 0.4,
                "error_handling": 0.2,
                "answer_quality": 0.0,
            },
        ),
        (
            "agent-rubric",
            {
                "factual_accuracy": 0.3,
                "completeness": 0.25,
                "citation_accuracy": 0.15,
                "source_quality": 0.1,
                "tool_efficiency": 0.2,
            },
        ),
        (
            "faq-bot",
            {
                "exact_match": 0.0,
                "keyword_recall": 0.0,
                "answer_length": 0.0,
                "politeness": 0.0,
                "latency": 0.0,
                "relevance": 1.0,
                "faithfulness": 1.0,
                "safety": 1.0,
                "robustness": 1.0,
            },
        ),
        ("guest-response", {"relevance": 1.0, "accuracy": 1.0, "safety": 1.0}),
        (
            "virtual-agent",
            {
                "request_completion": 1.0,
                "intent_accuracy": 1.0,
                "slot_filling": 1.0,
                "smooth_flow": 1.0,
                "context_retention": 1.0,
                "truthfulness": 1.0,
                "conciseness": 1.0,
                "coherence": 1.0,
                "user_satisfaction": 0.0,
            },
        ),
    ],
)
def test_shipped_rubric_has_its_metrics_and_weights(name: str, weights: dict[str, float]) -> None:
    rubric = rubric_of(RUBRICS / f"{name}.toml")
    assert rubric["name"] == name
    assert rubric["version"]
    assert {m["name"]: m["weight"] for m in rubric["metrics"]} == weights
    assert list(weights) == [m["name"] for m in rubric["metrics"]]


def test_exactly_five_rubrics_ship() -> None:
    names = {path.stem for path in RUBRICS.iterdir()}
    assert names == {"harness", "agent-rubric", "faq-bot", "guest-response", "virtual-agent"}


@pytest.mark.parametrize("path", [*sorted(RUBRICS.glob("*.toml")), DEMO / "opening-lines.toml"])
def test_rubric_is_complete(path: pathlib.Path) -> None:
    rubric = rubric_of(path)
    assert checked(rubric).name == path.stem
    assert rubric["pass_rule"] in {"every", "overall", "none"}
    assert rubric["missing"] in {"renormalise", "null"}
    assert (rubric["missing"] == "null") == (rubric["name"] == "guest-response")
    assert ("pass_at" in rubric) == (rubric["pass_rule"] != "none")
    for metric in rubric["metrics"]:
        assert metric["title"]
        assert metric["description"]
        assert metric["scale"] in {"ordinal", "binary", "range", "categorical", "measure"}
        levels = metric.get("levels", [])
        values = [level["value"] for level in levels]
        assert values == sorted(set(values), reverse=True)
        assert all(level["title"] and level["description"].endswith(".") for level in levels)
        if metric["scale"] == "ordinal":
            assert values == [5, 4, 3, 2, 1]
        if metric["scale"] == "range":
            assert metric["min"] < metric["max"]
        if metric["scale"] == "measure":
            assert metric["unit"]
            assert metric["weight"] == 0
            assert metric["labelled"] is False
    starts = [grade["from"] for grade in rubric.get("grades", [])]
    assert starts == sorted(starts, reverse=True)


def test_error_patterns_are_expressions_that_find_their_kind() -> None:
    rubric = rubric_of(RUBRICS / "harness.toml")
    handling = next(m for m in rubric["metrics"] if m["name"] == "error_handling")
    kinds = handling["parameters"]["error_kinds"]
    patterns = handling["parameters"]["patterns"]
    assert kinds == ["database", "tool", "timeout", "memory", "null", "empty", "trace", "message"]
    assert set(patterns) == set(kinds) - {"null", "empty"}

    def first(text: str) -> str | None:
        for kind in kinds:
            if any(re.search(pattern, text) for pattern in patterns.get(kind, [])):
                return str(kind)
        return None

    assert first("ToolExecutionError: Document not found") == "tool"
    assert first("database connection refused") == "database"
    assert first("Query timed out after 30 s") == "timeout"
    assert first("request time-out") == "timeout"
    assert first("MemoryError") == "memory"
    assert first('Traceback (most recent call last):\n  File "a.py", line 3') == "trace"
    assert first("I encountered an error, sorry") == "message"
    assert first("Well.\nValueError: no such month") == "message"
    assert first("Your rental income in August was $4,423.") is None
