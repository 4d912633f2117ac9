"""Factual accuracy from claims: weighed, placed, corrected."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.claims import (
    NO_CLAIMS,
    Claim,
    ClaimsOutcome,
    ClaimVerdict,
    Importance,
    claims_score,
    corrected,
    read_claims,
    score_claims,
    weigh,
)
from reviewer.scoring.scorer import Case, Failure

RESPONSE = "Water boils at 100 °C at sea level. On a mountain it boils earlier, e.g. at 90 °C."
CLAIMS = st.lists(
    st.builds(
        Claim,
        text=st.just("x"),
        importance=st.sampled_from(get_args(Importance)),
        verdict=st.sampled_from(get_args(ClaimVerdict)),
    ),
    min_size=1,
    max_size=8,
)


def claim(importance: str, verdict: str, text: str = "a", evidence: str = "") -> dict[str, Any]:
    return {"text": text, "importance": importance, "verdict": verdict, "evidence": evidence}


def scored(*claims: dict[str, Any], case: Case | None = None) -> ClaimsOutcome:
    outcome = score_claims(
        case or Case(response=RESPONSE, expected="so"), {"claims": list(claims)}
    )
    assert isinstance(outcome, ClaimsOutcome), outcome
    return outcome


def test_major_correct_major_wrong_minor_correct_is_60_percent() -> None:
    outcome = scored(claim("major", "correct"), claim("major", "wrong"), claim("minor", "correct"))
    assert outcome.value == 0.6


def test_the_score_stays_exact() -> None:
    outcome = scored(claim("minor", "correct"), claim("minor", "partly"), claim("minor", "partly"))
    assert outcome.value == pytest.approx(2 / 3)
    seven = [claim("minor", "correct")] * 7 + [claim("minor", "wrong")] * 3
    assert scored(*seven).value == pytest.approx(0.7)


def test_the_reasoning_counts_and_quotes() -> None:
    outcome = scored(
        claim("major", "correct"),
        claim("minor", "wrong", "At 50 °C", "100 °C, section 2."),
        claim("minor", "unverifiable", "On Mars too"),
    )
    assert outcome.reasoning == (
        "3 claims: 1 correct, 1 wrong, 1 unverifiable. “At 50 °C” is wrong: 100 °C, section 2. "
        "“On Mars too” cannot be verified."
    )


def test_claims_are_linked_to_their_place() -> None:
    outcome = scored(
        claim("major", "correct", "AT SEA LEVEL"),
        claim("major", "correct", "on a mountain water boils earlier"),
        claim("major", "wrong", "Something else entirely"),
    )
    exact, sentence, nowhere = (found.hit for found in outcome.claims)
    assert exact is not None
    assert exact.text == "at sea level"
    assert sentence is not None
    assert sentence.text == "On a mountain it boils earlier, e.g. at 90 °C."
    assert RESPONSE[sentence.start : sentence.end] == sentence.text
    assert nowhere is None


def test_the_context_stands_in_for_the_expected_answer_and_is_named() -> None:
    outcome = scored(claim("major", "correct"), case=Case(response="a", context="A."))
    assert outcome.ground_truth == "context"
    assert outcome.reasoning.endswith("as the record has no expected answer.")
    assert scored(claim("major", "correct"), case=Case(response="a")).ground_truth == "none"


def test_a_corrected_verdict_changes_the_score() -> None:
    outcome = scored(claim("major", "wrong"), claim("minor", "correct"))
    again = weigh(Case(), corrected(outcome.claims, 0, "partly"))
    assert isinstance(again, ClaimsOutcome)
    assert outcome.value == pytest.approx(1 / 3)
    assert again.value == pytest.approx(2 / 3)


@given(CLAIMS, st.integers(0, 7))
def test_bounds_order_and_a_better_verdict(claims: list[Claim], at: int) -> None:
    value = claims_score(claims)
    assert value is not None
    assert 0 <= value <= 1
    assert claims_score(claims[::-1]) == pytest.approx(value)
    better = claims_score(corrected(claims, at, "correct"))
    assert better is not None
    assert better >= value


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("no json", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no list of claims"),
        ({"claims": "none"}, "no list of claims"),
        ({"claims": ["water"]}, "Claim 1: 'water' was found"),
        (
            {"claims": [claim("major", "correct"), claim("big", "wrong")]},
            "Claim 2: its importance",
        ),
        ({"claims": [claim("major", "true")]}, "its verdict is 'true'"),
        ({"claims": [claim("major", "correct", " ")]}, "it has no text"),
        ({"claims": [claim("major", "wrong") | {"verdict": ["wrong"]}]}, "its verdict is"),
    ],
)
def test_replies_that_cannot_be_read(reply: Any, said: str) -> None:
    found = read_claims(reply)
    assert isinstance(found, Failure)
    assert said in found.text


def test_without_claims_there_is_no_score() -> None:
    assert score_claims(Case(response="Hello."), '{"claims": []}') is NO_CLAIMS
    assert claims_score([]) is None
