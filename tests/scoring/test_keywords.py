"""Keywords are found where they stand, also in numbers with separators and odd letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.harness import RESPONSE_QUALITY
from reviewer.scoring.scorer import Case, Failure, ScoreOutcome

WORDS = st.lists(st.text(st.sampled_from("abcXYZ İß16,.'"), min_size=1, max_size=4), max_size=5)


def scored(response: str | None, *keywords: str, **parameters: object) -> ScoreOutcome:
    case = Case(response=response, keywords=keywords)
    outcome = RESPONSE_QUALITY.score(case, parameters)  # type: ignore[arg-type]
    assert isinstance(outcome, ScoreOutcome)
    return outcome


def test_the_reasoning_names_what_is_missing() -> None:
    outcome = scored("The basis is $442,300.", "basis", "depreciation", "442300")
    assert outcome.reasoning == "2 of 3 found, missing: depreciation."
    assert [(hit.start, hit.end, hit.text, hit.sought) for hit in outcome.hits] == [
        (4, 9, "basis", "basis"),
        (14, 21, "442,300", "442300"),
    ]


@pytest.mark.parametrize("separator", [",", "'", "\u2019", "\u2009", "\u202f", "\u00a0"])
def test_each_thousands_separator_is_read_as_absent(separator: str) -> None:
    text = f"about 1{separator}234{separator}567 in all, 12 rooms"
    outcome = scored(text, "1234567")
    assert outcome.value == 1
    assert text[outcome.hits[0].start : outcome.hits[0].end] == f"1{separator}234{separator}567"


@pytest.mark.parametrize("text", ["442,30", "442,3000", "442 300", "442.300", "a,300"])
def test_other_signs_and_groups_stay(text: str) -> None:
    bare = "".join(letter for letter in text if letter.isdigit())
    assert scored(text, bare if bare != text else "x").value == (1 if text == "a,300" else 0)


def test_a_number_with_its_separator_is_found_as_it_stands() -> None:
    assert scored("It is 442,300.", "442,300").value == 1


def test_words_are_bounded_after_separators_are_left_out() -> None:
    assert scored("It is $1,480 a month.", "148", match="word").value == 0
    assert scored("It is $1,480 a month.", "1480", match="word").value == 1


def test_a_later_place_counts_where_the_first_is_inside_a_word() -> None:
    outcome = scored("company in Montrose, CO.", "CO", match="word")
    assert outcome.hits[0].start == 21


def test_places_hold_in_text_that_grows_in_lower_case() -> None:
    outcome = scored("İİİ near İzmir, 1,200 m", "near", "1200", "izmir")
    assert [hit.text for hit in outcome.hits] == ["near", "1,200"]


@pytest.mark.parametrize("keyword", ["", "  "])
def test_an_empty_keyword_is_an_input_error(keyword: str) -> None:
    outcome = RESPONSE_QUALITY.score(Case(response="x", keywords=("x", keyword)))
    assert isinstance(outcome, Failure)
    assert outcome.kind == "input"


@given(st.text(st.sampled_from("abcXYZ İß16,.'"), max_size=30), WORDS)
def test_bounds_places_and_order(response: str, words: list[str]) -> None:
    keywords = [word for word in words if word.strip()]
    outcome = scored(response, *keywords)
    assert isinstance(outcome.value, float)
    assert 0 <= outcome.value <= 1
    assert outcome.value == scored(response, *reversed(keywords)).value
    assert all(response[hit.start : hit.end] == hit.text for hit in outcome.hits)
    assert {hit.sought for hit in outcome.hits} <= set(keywords)


@given(st.text("abc XY1,", max_size=30), st.text("abc XY1,", max_size=10), WORDS)
def test_more_text_never_lowers_the_score(response: str, more: str, words: list[str]) -> None:
    keywords = [word for word in words if word.strip()]
    short = scored(response, *keywords, normalize_numbers=False)
    longer = scored(response + more, *keywords, normalize_numbers=False)
    assert float(longer.value) >= float(short.value)
