import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

from reviewer.stats.slices import FEW, NO_TEST, benjamini_hochberg, judge_slices

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(p_values)
def test_equal_to_the_usual_library(found: list[float]) -> None:
    adjusted = benjamini_hochberg(found)
    assert adjusted == pytest.approx(sp.false_discovery_control(found).tolist())
    assert all(a is not None and a >= p - 1e-12 for a, p in zip(adjusted, found, strict=True))


def test_missing_tests_do_not_count() -> None:
    assert benjamini_hochberg([0.01, None, 0.02]) == (0.02, None, 0.02)
    assert benjamini_hochberg([]) == ()
    with pytest.raises(ValueError, match="between 0 and 1"):
        benjamini_hochberg([1.5])


def test_small_slices_show_a_dash_and_weigh_on_nobody() -> None:
    found = judge_slices([9, 10, 500, 60], [0.0001, 0.03, 0.04, None])
    assert [x.shown for x in found] == [False, True, True, True]
    assert [x.differs for x in found] == [False, True, True, False]
    assert [x.reason for x in found] == [FEW, None, None, NO_TEST]
    assert found[1].adjusted == pytest.approx(0.04)
    assert not any(x.differs for x in judge_slices([50] * 3, [0.03, 0.9, 0.9]))
    with pytest.raises(ValueError, match="need as many"):
        judge_slices([1], [])
