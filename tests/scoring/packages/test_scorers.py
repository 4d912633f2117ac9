from typing import Any

import pytest

from reviewer.scoring.packages.scorers import FunctionScorer, record_of
from reviewer.scoring.scorer import Case, Failure, ScoreOutcome

CASE = Case(id="c", question="Q?", response="A!", tags=("x",))


def scorer(function: Any, takes: tuple[str, ...] | None = None) -> FunctionScorer:
    return FunctionScorer(
        name="mine", version="2.0", function=function, metrics=("mine",), takes=takes
    )


@pytest.mark.parametrize(
    ("said", "value", "reasoning"),
    [
        (0.5, 0.5, ""),
        (True, True, ""),
        ("good", "good", ""),
        ((1, "because"), 1, "because"),
        ({"score": 3, "reasoning": "so"}, 3, "so"),
        ({"value": 3, "reason": None}, 3, ""),
    ],
)
def test_what_a_function_may_give_back(said: object, value: object, reasoning: str) -> None:
    assert scorer(lambda _case: said).score(CASE) == ScoreOutcome(value, reasoning)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        (None, "undefined", "mine gave no score"),
        ({"score": None, "reasoning": "no answer"}, "undefined", "no answer"),
        ([1], "input", "mine gave list, a score is expected"),
        (object(), "input", "a score is expected"),
    ],
)
def test_what_is_no_score_is_a_failure(said: object, kind: str, words: str) -> None:
    found = scorer(lambda _case: said).score(CASE)
    assert isinstance(found, Failure)
    assert found.kind == kind
    assert words in found.text


def test_a_function_that_raises_is_a_failure() -> None:
    def bad(_case: dict[str, Any]) -> float:
        raise KeyError("answer")

    assert scorer(bad).score(CASE) == Failure("input", "mine failed: KeyError: 'answer'")


def test_only_parameters_that_a_function_names_are_handed_in() -> None:
    given: list[dict[str, Any]] = []

    def everything(_case: dict[str, Any], **parameters: Any) -> int:
        given.append(parameters)
        return 1

    for takes in (("case", "limit"), None):
        scorer(everything, takes).score(CASE, {"limit": 3, "markers": ["x"]})
    assert given == [{"limit": 3}, {"limit": 3, "markers": ["x"]}]


def test_a_case_comes_in_the_keys_of_the_native_format() -> None:
    record = record_of(CASE)
    assert (record["id"], record["input"], record["response"]) == ("c", "Q?", "A!")
    assert record["tags"] == ["x"]
    assert record["expected"] is None
