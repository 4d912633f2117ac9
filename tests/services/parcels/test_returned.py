"""What a returned work package brings, in words."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.services.parcels.returned import Conflict, Refused, Returned

PLACE = ("one", "c-0")


def returned(**parts: Any) -> Returned:
    counts: dict[str, Any] = {"labels": 0, "known": 0, "marks": 0}
    return Returned(file=Path("ann.review"), queue="First", labeler="Ann", **(counts | parts))


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({}, "ann.review: 0 new entries of Ann for First."),
        ({"labels": 1, "marks": 1}, "ann.review: 1 new entry of Ann for First, 1 new mark."),
        (
            {"labels": 1200, "known": 1500, "marks": 2},
            "ann.review: 1,200 new entries of Ann for First, 2 new marks, 1,500 known already.",
        ),
        (
            {
                "conflicts": (Conflict(*PLACE, "safety", 1, 2, "here"),),
                "changed": (PLACE,) * 2,
                "missing": (PLACE,) * 3,
                "refused": (Refused(PLACE, "No."),) * 4,
            },
            "ann.review: 0 new entries of Ann for First, 1 answered otherwise here, 2 with a "
            "changed text, 3 not here any more, 4 refused.",
        ),
    ],
)
def test_everything_that_a_package_brings_is_counted(parts: dict[str, Any], sentence: str) -> None:
    assert returned(**parts).sentence == sentence


@pytest.mark.parametrize(
    ("parts", "new"),
    [({"labels": 1}, True), ({"marks": 1}, True), ({"known": 9}, False), ({}, False)],
)
def test_what_was_taken_in_before_is_nothing_new(parts: dict[str, Any], *, new: bool) -> None:
    assert returned(**parts).is_new is new


def test_both_answers_of_a_conflict_are_told_as_they_were_given() -> None:
    assert Conflict(*PLACE, "safety", 3.0, 2.5, "there").words == ("3", "2.5")
    taken = Conflict(*PLACE, "safety", None, None, "here", "withdrawn", "not_applicable")
    assert taken.words == ("taken back", "not applicable")
