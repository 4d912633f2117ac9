"""Evaluations that were drawn with different chances count 1 over their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.intervals import BY_LEVEL, UNKNOWN, Chances, weights_of

PROBABILITIES = st.lists(st.sampled_from([0.0, 0.05, 0.25, 0.5, 1.0]), min_size=1, max_size=30)


def chances(probabilities: list[float], *, strata: bool = False) -> Chances:
    """Make chances; 0 stands for a probability that nobody knows."""
    given_ = np.array(probabilities)
    worth = np.divide(1, given_, out=np.full(given_.size, UNKNOWN), where=given_ > 0)
    return Chances(worth, given_ if strata else np.zeros(given_.size))


def test_what_was_drawn_in_strata_is_known() -> None:
    one = np.array([4.0, 4.0])
    assert not Chances(one, np.zeros(2)).of_strata
    assert Chances(one, np.array([0.0, 1.0])).of_strata
    assert Chances(np.array([4.0, BY_LEVEL]), np.zeros(2)).of_strata


@given(PROBABILITIES)
def test_weights_add_up_and_are_in_proportion(probabilities: list[float]) -> None:
    found = weights_of(chances(probabilities), None, None)
    known = [p for p in probabilities if p]
    if len(set(known)) < 2:
        assert found is None
        return
    assert found is not None
    each = found.each.tolist()
    assert sum(each) == pytest.approx(len(probabilities))
    for weight, p in zip(each, probabilities, strict=True):
        share = len(known) / sum(1 / x for x in known)
        assert weight == pytest.approx(share / p if p else 1.0)


@given(PROBABILITIES, st.sampled_from([0.5, 0.1]))
def test_only_the_proportion_of_probabilities_matters(
    probabilities: list[float], by: float
) -> None:
    one = weights_of(chances(probabilities), None, None)
    other = weights_of(chances([p * by for p in probabilities]), None, None)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.each == pytest.approx(other.each)


def test_kept_counts_weigh_as_single_evaluations_do() -> None:
    single = weights_of(chances([0.25] * 3 + [0.5] * 2 + [0.0]), None, None)
    kept = weights_of(chances([0.25, 0.5, 0.0]), None, None, np.array([3.0, 2.0, 1.0]))
    assert single is not None
    assert kept is not None
    assert kept.each.tolist() == [single.each[0], single.each[3], single.each[5]]


def test_levels_stand_in_for_probabilities_that_nobody_wrote_down() -> None:
    """Begg and Greenes: a level counts by its share of all judged."""
    places = np.array([0] * 4 + [1] * 6)
    judged = np.array([20.0, 180.0])
    found = weights_of(Chances(np.full(10, BY_LEVEL), np.zeros(10)), places, judged)
    assert found is not None
    assert found.each[:4].sum() == pytest.approx(10 * 20 / 200)
    assert found.each[4:].sum() == pytest.approx(10 * 180 / 200)
    assert len(set(found.groups.tolist())) == 2
    assert (found.groups > 0).all()
    # those probabilities, written down, say the same
    known = weights_of(chances([4 / 20] * 4 + [6 / 180] * 6, strata=True), places, judged)
    assert known is not None
    assert known.each == pytest.approx(found.each)


def test_a_level_that_nobody_labelled_stands_for_nothing() -> None:
    judged = np.array([10.0, 10.0, 80.0])
    found = weights_of(Chances(np.full(3, BY_LEVEL), np.zeros(3)), np.array([0, 1, 1]), judged)
    assert found is not None
    assert found.each == pytest.approx([1.5, 0.75, 0.75])


def test_without_levels_nothing_can_stand_in() -> None:
    assert weights_of(Chances(np.full(3, BY_LEVEL), np.zeros(3)), None, None) is None


def test_strata_of_their_own_proportions_are_drawn_by_themselves() -> None:
    judged = np.array([50.0, 50.0])
    found = weights_of(Chances(np.full(4, BY_LEVEL), np.zeros(4)), np.array([0, 0, 1, 1]), judged)
    assert found is not None
    assert found.each.tolist() == [1, 1, 1, 1]
    assert found.is_even
    mixed = weights_of(
        Chances(np.array([2.0, 4.0, BY_LEVEL]), np.zeros(3)), np.zeros(3, np.intp), judged
    )
    assert mixed is not None
    assert not mixed.is_even
