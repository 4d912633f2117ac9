"""People among themselves: patterns of labels are counted by their different rows."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.figures.statistics_agreement import same_rows
from tests.services.figure_projects import case, figures, label, score

ROWS = st.integers(1, 12).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=1)
)


@given(ROWS, st.sampled_from([1, 10**7]))
def test_different_rows_are_those_that_numpy_finds(rows: list[list[int]], times: int) -> None:
    """With large counts the rows are too long to be the digits of one number."""
    counted = np.array(rows, dtype=np.int64) * times
    expected, often = np.unique(counted, axis=0, return_counts=True)
    found, counts = same_rows(counted)
    assert found.tolist() == expected.tolist()
    assert counts.tolist() == often.tolist()


def test_no_rows_have_no_patterns() -> None:
    found, counts = same_rows(np.zeros((0, 5), dtype=np.int64))
    assert (found.shape, counts.tolist()) == ((0, 5), [])


def people_note(folder: Path, cases: Iterable[dict[str, Any]]) -> str:
    found = figures(folder / "p.review", cases)["metrics"]["a"]["agreement"]["human_human"]
    return str(found["note"]).replace("\u00a0", " ")


def test_of_two_people_the_one_who_said_one_thing_only_is_named(tmp_path: Path) -> None:
    said = [(1, 3), (2, 3), (4, 3), (5, 3)]
    cases = [
        case(n, [score("a", 3)], [label("a", first), label("a", second, "bob")])
        for n, (first, second) in enumerate(said)
    ]
    note = people_note(tmp_path, cases)
    assert note == "Bob gave one score only, 3: nothing tells agreement from it."


def test_of_two_people_each_is_named_where_one_class_dominates(tmp_path: Path) -> None:
    said = [(4, 4)] * 18 + [(2, 4)] * 2 + [(4, 2)]
    cases = [
        case(n, [score("a", 3)], [label("a", first), label("a", second, "bob")])
        for n, (first, second) in enumerate(said)
    ]
    note = people_note(tmp_path, cases)
    assert "Where bob gave 4 (n = 20) ann gave the same in 90 %" in note
