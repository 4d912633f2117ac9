"""Which cases two runs share, and which of them belong together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.figures.paired_scores import numbered, same_cases, shared_cases


def test_the_first_answer_to_a_case_belongs_to_the_first() -> None:
    found = shared_cases(["1", "1", "2", "3"], ["2", "1", "1", "1", "4"])
    assert found.before.tolist() == [2, 0, 1]
    assert found.after.tolist() == [0, 1, 2]
    assert (found.n, found.only_before, found.only_after) == (3, 1, 2)
    # both answers to case 1 tell of each other
    assert found.clusters is not None
    assert found.clusters[1] == found.clusters[2] != found.clusters[0]


def test_conversations_of_either_run_belong_together() -> None:
    cases = ["a", "b", "c", "d", "e"]
    alone = shared_cases(cases, cases)
    assert alone.clusters is None
    first, second = np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 2, 3])
    joined = shared_cases(cases, cases, (first, second)).clusters
    assert joined is not None
    # a and b shared one before, b and c share one after
    assert len(set(joined[:3].tolist())) == 1
    assert len(set(joined.tolist())) == 3
    one = shared_cases(cases, cases[::-1], (None, first)).clusters
    assert one is not None
    assert len(set(one.tolist())) == 4
    codes = np.array([0, 0, 1])
    assert same_cases(3, codes).clusters is codes


def test_repeated_names_stay_apart() -> None:
    assert list(numbered(["7", "8"])) == ["7", "8"]
    assert list(numbered(["7", "7", "8", "7"])) == ["7", "7 (2)", "8", "7 (3)"]
    assert list(numbered(["7", "7", "7 (2)"])) == ["7", "7 (3)", "7 (2)"]


@given(
    st.lists(st.sampled_from(["1", "2", "1 (2)", "3"]), max_size=12),
    st.lists(st.sampled_from(["1", "2", "1 (2)", "3"]), max_size=12),
)
def test_every_case_is_shared_or_alone(before: list[str], after: list[str]) -> None:
    assert len(set(numbered(before))) == len(before)
    found = shared_cases(before, after)
    assert found.n + found.only_before == len(before)
    assert found.n + found.only_after == len(after)
    assert len(set(found.before.tolist())) == len(set(found.after.tolist())) == found.n
    assert found.after.tolist() == sorted(found.after.tolist())
