"""Keywords that say nothing, and those that an expected answer offers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.testing import checking

COMMON = "it stands in nearly every sentence"
GENERIC = "it stands in answers to nearly every question"


@pytest.mark.parametrize(
    ("keyword", "fault"),
    [
        ("the", COMMON), ("And", COMMON), ("is", COMMON), ("is the", COMMON),
        ("property", GENERIC), ("LLC", GENERIC), ("the property", GENERIC),
        ("depreciation", None), ("$442,300", None), ("3 p.m.", None), ("no dogs", None),
        ("", None),
    ],
)  # fmt: skip
def test_common_and_generic_words(keyword: str, fault: str | None) -> None:
    assert checking.lint(keyword) == fault


def test_words_in_most_other_responses() -> None:
    texts = ["The income was $1.", "Income: $2", "income 3", "Your INCOME is 4", "rent", "tax"]
    responses = {f"case {number}": text for number, text in enumerate(texts)}
    corpus = checking.Corpus(responses)
    assert checking.lint("income", corpus) == "4 of 6 other responses hold it too"
    assert checking.lint("income", corpus, "case 0") == "3 of 5 other responses hold it too"
    four = checking.Corpus(dict(list(responses.items())[:4]))
    assert checking.lint("income", four) is None, "four responses prove nothing"
    assert checking.lint("rent", corpus) is None
    assert checking.lint("inco", corpus) is None, "only whole words"


@pytest.mark.parametrize(
    ("expected", "values"),
    [
        ("From 3 p.m. until 9 pm.", ("3 p.m.", "9 pm")),
        ("By 9:30 am.", ("9:30 am",)),
        ("It costs $442,300 or €14.50 a day, 15% off.", ("$442,300", "€14.50", "15%")),
        ("Call 555-0117 or write to hut@example.com.", ("555-0117", "hut@example.com")),
        ("See https://example.com/a, by 2026-11-21.", ("https://example.com/a", "2026-11-21")),
        ("At most 5 may be films, 2 h 15 min.", ("5", "2 h 15 min")),
        ("Room 3, $38 each", ("3", "$38")),
        ("Booking R-20911", ("R-20911",)),
        ("No numbers here.", ()),
    ],
)
def test_specific_values(expected: str, values: tuple[str, ...]) -> None:
    assert checking.suggest(expected).values == values


def test_concepts_and_critical_terms() -> None:
    found = checking.suggest(
        "Dogs are not allowed, except assistance dogs; park in Quay Street.", "May dogs come?"
    )
    assert found.critical == ("not allowed", "except assistance")
    assert found.concepts[0] == "Quay Street"
    assert "dogs" not in found.all
    assert checking.suggest("Check-in is at 3 p.m.", "Is check-in at 3 p.m.?").values == ()


@given(st.text(max_size=300), st.text(max_size=100))
def test_whatever_is_offered_stands_in_the_answer(expected: str, question: str) -> None:
    found = checking.suggest(expected, question)
    assert all(word in expected for word in found.all)
    assert all(checking.lint(word) is None for word in (*found.concepts, *found.critical))
