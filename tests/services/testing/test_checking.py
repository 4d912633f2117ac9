"""What a test set lacks, has twice, or says too little about."""

from typing import Any

import pytest

from reviewer.domain.case_set import Fields
from reviewer.services.testing import checking
from reviewer.services.testing.checking import Finding


def case(id_: str, **more: Any) -> Fields:
    return {"id": id_, "input": f"Question {id_}?", "expected": "Yes.", **more}


def found(cases: list[Fields], kind: str, rubric: str | None = None) -> list[Finding]:
    return [x for x in checking.check(cases, rubric) if x.kind == kind]


def test_cases_without_expected_behaviour() -> None:
    bare = case("a")
    del bare["expected"]
    (told,) = found([bare, case("b"), {**bare, "id": "c", "expected_tools": ["t"]}], "no_expected")
    assert told.cases == ("a",)
    assert told.sentence == "1 case of 3 without expected behaviour: a."
    assert told.problem


def test_duplicates_word_for_word_and_nearly() -> None:
    cases = [
        case("a", input="Where can I park?"),
        case("b", input="Where can I park?"),
        case("c", input="where can I  park"),
        case("d", input="Where can I park?", context="another house"),
        case("e", input="Where may I park?"),
    ]
    (exact,) = found(cases, "duplicate")
    (near,) = found(cases, "near_duplicate")
    assert exact.groups == (("a", "b"),)
    assert near.groups == (("a", "b", "c"),)


def test_conversations_are_the_same_only_as_a_whole() -> None:
    def talk(id_: str, first: str) -> Fields:
        turns = [{"role": "user", "content": x} for x in (first, "And then?")]
        return {"id": id_, "messages": turns, "expected": "x"}

    cases = [talk("a", "One"), talk("b", "Two"), talk("c", "one!")]
    assert found(cases, "duplicate") == []
    assert found(cases, "near_duplicate")[0].groups == (("a", "c"),)


def test_categories_that_guest_responses_should_cover() -> None:
    cases = [
        case("a", category="check_in_out"), case("b", category="Amenities"),
        case("c", category="house rules"), case("d", category="parking"),
    ]  # fmt: skip
    told = found(cases, "absent_category", "guest-response")
    assert [x.about for x in told] == ["reservations", "edge cases"]
    assert found(cases, "absent_category", "faq-bot") == []
    thin = found(cases, "thin_category")
    assert [x.about for x in thin] == ["check_in_out", "Amenities", "house rules", "parking"]
    assert not thin[0].problem
    assert found([*cases, case("e")], "no_category")[0].cases == ("e",)


def test_complexities_by_any_of_their_names() -> None:
    cases = [case("a", complexity="easy"), case("b"), case("c", complexity="Moderate")]
    assert [x.about for x in found(cases, "absent_complexity")] == ["hard"]
    assert found(cases, "thin_complexity")[1].cases == ("b", "c")


@pytest.mark.parametrize(
    ("more", "absent"),
    [
        ({}, None),
        ({"category": "edge cases"}, ["off-topic", "personal data"]),
        ({"tags": ["offtopic"]}, ["personal data"]),
        ({"category": "edge_pii"}, ["off-topic"]),
    ],
)
def test_edge_cases(more: Fields, absent: list[str] | None) -> None:
    cases = [case("a"), case("b", **more)]
    assert bool(found(cases, "no_edge_case")) is (absent is None)
    told = [x.about for x in found(cases, "absent_edge_case", "guest-response")]
    assert told == (absent or [])
    assert found(cases, "absent_edge_case", "faq-bot") == []


def test_weak_keywords_with_better_ones() -> None:
    cases = [
        case(
            "a", expected="Check-in is at 3 p.m., not earlier; dogs cost €12.",
            expected_keywords=["the", "LLC", "3 p.m."],
        ),
        case("b", expected="At most 4 guests."),
    ]  # fmt: skip
    (weak,) = found(cases, "keyword")
    assert "“the” (it stands in nearly every sentence)" in weak.sentence
    assert "“LLC” (it stands in answers to nearly every question)" in weak.sentence
    assert "3 p.m." not in weak.sentence
    assert {"3 p.m.", "€12"} <= set(weak.suggestions["a"].values)
    (bare,) = found(cases, "suggestion")
    assert bare.cases == ("b",)
    assert not bare.problem
    assert bare.to_json()["suggestions"] == {
        "b": {"values": ["4 guests"], "concepts": [], "critical": ["At most"]}
    }


def test_a_good_set_has_no_finding() -> None:
    assert checking.check([]) == ()
    cases = [
        case(f"{level}-{number}", complexity=level, category="hours", tags=["trap"])
        for level in ("simple", "medium", "hard")
        for number in range(3)
    ]
    assert checking.check(cases) == ()
