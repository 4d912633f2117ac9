"""Patterns, texts to hold and numbers within a tolerance."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.registry import SCORERS
from reviewer.scoring.scorer import Case, Failure, ScoreOutcome


def scored(name: str, case: Case | str, **parameters: Any) -> ScoreOutcome:
    case = Case(response=case) if isinstance(case, str) else case
    outcome = SCORERS[name].score(case, parameters)
    assert isinstance(outcome, ScoreOutcome), outcome
    return outcome


def test_a_pattern_is_found_and_quoted() -> None:
    outcome = scored("regex", "Call 555-0117.", pattern=r"\d{3}-\d{4}")
    assert outcome.value == 1
    assert outcome.reasoning == r"The response matches “\d{3}-\d{4}”: “555-0117”."
    assert outcome.hits[0][:3] == (5, 13, "555-0117")
    assert scored("regex", "Call 555-0117.", pattern=r"\d{3}-\d{4}", expect="no match").value == 0


def test_upper_and_lower_case_and_other_fields() -> None:
    assert scored("regex", "HELLO", pattern="hello").value == 1
    assert scored("regex", "HELLO", pattern="(?m)hello", case_sensitive=True).value == 0
    assert scored("regex", Case(question="Why?"), pattern="why", field="question").value == 1
    assert scored("regex", Case(context={"a": 1}), pattern='"a": 1', field="context").value == 1


@pytest.mark.parametrize(
    ("mode", "value"), [("all", 0), ("any", 1), ("none", 0), ("share", pytest.approx(2 / 3))]
)
def test_texts_to_hold(mode: str, value: float) -> None:
    outcome = scored("contains", "Red and green", texts=["red", "green", "blue"], mode=mode)
    assert outcome.value == value
    assert outcome.reasoning == "Found: red, green. Not found: blue."
    assert [hit.text for hit in outcome.hits] == ["Red", "green"]


def test_texts_as_words_and_in_their_case() -> None:
    assert scored("contains", "company", texts=["co"], match="word").value == 0
    assert scored("contains", "CO co", texts=["Co"], case_sensitive=True).value == 0
    assert scored("contains", "CO co", texts="co", case_sensitive=True).hits[0].start == 3


@pytest.mark.parametrize(
    ("text", "parameters", "value"),
    [
        ("It is $442,300.", {"value": 442300}, 1),
        ("It is 3.14 or so", {"value": 3.1416, "absolute": 0.01}, 1),
        ("It is 3.14 or so", {"value": 3.1416}, 0),
        ("105", {"value": 100, "relative": 0.05}, 1),
        ("106", {"value": 100, "relative": 0.05}, 0),
        ("from 1 to 9", {"value": 9}, 0),
        ("from 1 to 9", {"value": 9, "which": "last"}, 1),
        ("1, 7 and 20", {"value": 8, "which": "nearest", "absolute": 1}, 1),
        ("\u221212 degrees", {"value": -12}, 1),
        ("1e3 of them", {"value": 1000}, 1),
        ("none", {"value": 1}, 0),
        ("call 555-117", {"value": 117, "which": "last"}, 1),
    ],
)
def test_numbers(text: str, parameters: dict[str, Any], value: float) -> None:
    assert scored("numeric", text, **parameters).value == value


def test_the_expected_number_is_taken_from_the_expected_answer() -> None:
    outcome = scored("numeric", Case(response="about 12.5 m", expected="12 m"), absolute=0.5)
    assert outcome.value == 1
    assert outcome.reasoning == "Expected: 12. Found: “12.5”, off by 0.5 with 0.5 allowed."


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_wider_tolerance_never_refuses_more(
    found: float, wanted: float, one: float, more: float
) -> None:
    text = f"{found:.6f}"
    narrow = scored("numeric", text, value=wanted, absolute=one).value
    assert float(scored("numeric", text, value=wanted, absolute=one + more).value) >= float(narrow)


@pytest.mark.parametrize(
    ("name", "case", "parameters", "kind"),
    [
        ("regex", Case(response="x"), {}, "parameters"),
        ("regex", Case(response="x"), {"pattern": "("}, "parameters"),
        ("contains", Case(response="x"), {}, "parameters"),
        ("contains", Case(response="x"), {"texts": ["a", ""]}, "parameters"),
        ("numeric", Case(response="x"), {"value": "4"}, "parameters"),
        ("numeric", Case(response="x"), {"value": float("nan")}, "parameters"),
        ("numeric", Case(response="4"), {}, "missing"),
        ("numeric", Case(response="4", expected="four"), {}, "input"),
        ("numeric", Case(response="4", expected="1e999"), {}, "input"),
        ("regex", Case(), {"pattern": "x"}, "missing"),
        ("regex", Case(response="x"), {"pattern": "x", "field": "error"}, "missing"),
    ],
)
def test_what_cannot_be_scored(
    name: str, case: Case, parameters: dict[str, Any], kind: str
) -> None:
    outcome = SCORERS[name].score(case, parameters)
    assert isinstance(outcome, Failure)
    assert outcome.kind == kind


def test_endless_numbers_in_the_response_are_off() -> None:
    assert scored("numeric", "1e999", value=5).value == 0
