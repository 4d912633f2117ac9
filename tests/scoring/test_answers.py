"""The FAQ metrics: values, reasons and what happens without an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.answers import MARKERS
from reviewer.scoring.registry import SCORERS
from reviewer.scoring.scorer import Case, Failure, ScoreOutcome

TEXTS = st.lists(st.sampled_from(["a", "B", "b", "c.", "(d)", "...", "please"]), max_size=8).map(
    " ".join
)


def scored(name: str, case: Case, **parameters: object) -> ScoreOutcome:
    outcome = SCORERS[name].score(case, parameters)  # type: ignore[arg-type]
    assert isinstance(outcome, ScoreOutcome), outcome
    return outcome


def compared(name: str, answer: str, expected: str) -> float:
    found = scored(name, Case(response=answer, expected=expected)).value
    assert isinstance(found, float | int)
    return found


@given(TEXTS, TEXTS)
def test_cosine_is_bounded_and_symmetric(one: str, other: str) -> None:
    assert 0 <= compared("cosine", one, other) <= 1 + 1e-12
    assert compared("cosine", one, other) == compared("cosine", other, one)
    assert compared("cosine", one, one) in (0, pytest.approx(1))


@given(TEXTS, TEXTS, TEXTS)
def test_more_words_never_lower_recall(answer: str, more: str, expected: str) -> None:
    found = compared("keyword_recall", answer, expected)
    assert compared("keyword_recall", f"{answer} {more}", expected) >= found
    assert 0 <= found <= 1
    assert compared("keyword_recall", expected, expected) in (0, 1)


@given(TEXTS)
def test_exact_match_passes_over_case_and_spaces(text: str) -> None:
    assert compared("exact_match", f"  {text.upper()}\n", text.replace(" ", "   ")) == 1


@given(st.permutations(MARKERS), TEXTS)
def test_markers_count_once_in_any_order(markers: list[str], text: str) -> None:
    found = scored("politeness", Case(response=text), markers=markers).value
    assert found == scored("politeness", Case(response=text * 2)).value
    assert found in (0, 0.5, 1)


def test_recall_names_missed_words_and_marks_the_found() -> None:
    case = Case(response="Open 9 to 5, Monday.", expected="open monday to friday")
    outcome = scored("keyword_recall", case)
    assert outcome.reasoning == "3 of 4 found, missing: friday."
    assert [hit.text for hit in outcome.hits] == ["Open", "to", "Monday"]


def test_likeness_names_shared_and_missed_words() -> None:
    case = Case(response="reset my password", expected="How do I reset a password?")
    assert scored("cosine", case).reasoning == (
        "2 shared of 3 and 6 words: password, reset. Missed: a, do, how, i."
    )


def test_politeness_marks_the_markers() -> None:
    outcome = scored("politeness", Case(response="Sorry. Please wait, please."))
    assert outcome.reasoning == "Markers found: please, sorry."
    assert [hit.text for hit in outcome.hits] == ["Sorry", "Please", "please"]


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("Displeased with the unwelcomeness.", 0.0),
        ("You are WELCOME, please-and-thank-you.", 1.0),
        ("I am pleased, and sorry.", 0.5),
    ],
)
def test_politeness_counts_whole_words(answer: str, value: float) -> None:
    assert scored("politeness", Case(response=answer)).value == value


def test_a_marker_inside_another_is_refused() -> None:
    outcome = SCORERS["politeness"].score(Case(response=""), {"markers": ["thank you", "Thank"]})
    assert isinstance(outcome, Failure)
    assert "'Thank' stands inside another marker" in outcome.text


@pytest.mark.parametrize("name", ["exact_match", "keyword_recall", "cosine"])
def test_without_an_expected_answer_there_is_no_score(name: str) -> None:
    assert SCORERS[name].score(Case(response="x")) == Failure(
        "missing", "The record has no expected answer."
    )


@pytest.mark.parametrize("name", ["exact_match", "keyword_recall", "cosine", "politeness"])
def test_no_response_scores_nothing(name: str) -> None:
    outcome = scored(name, Case(expected="a b"))
    assert outcome.value == 0
    assert outcome.reasoning.endswith("There is no response.")


def test_length_latency_and_cost_are_what_the_record_has() -> None:
    case = Case(response="abc", latency_ms=1100.0, cost_usd=0.000315)
    assert scored("answer_length", case).reasoning == "3 characters."
    assert scored("latency", case).reasoning == "1100 ms from question to answer."
    assert scored("cost", case).reasoning == "$0.000315 for the answer."


@pytest.mark.parametrize("name", ["answer_length", "latency", "cost"])
def test_what_is_not_recorded_is_missing(name: str) -> None:
    outcome = SCORERS[name].score(Case())
    assert isinstance(outcome, Failure)
    assert outcome.kind == "missing"


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_no_amount_is_negative_or_endless(value: float) -> None:
    for name, case in (("latency", Case(latency_ms=value)), ("cost", Case(cost_usd=value))):
        outcome = SCORERS[name].score(case)
        assert isinstance(outcome, Failure)
        assert outcome.kind == "input"
