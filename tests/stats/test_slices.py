import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

from reviewer.stats.segments import FEW, NO_TEST, benjamini_hochberg, judge_slices, level_left

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


@given(p_values, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_intervals_at_the_level_left_exclude_what_is_called_different(
    found: list[float], level: float
) -> None:
    each = level_left(found, level)
    adjusted = sp.false_discovery_control(found)
    for p, one in zip(found, adjusted.tolist(), strict=True):
        # an interval of that level excludes 0 where its test's p value is below what it leaves
        if abs(p - (1 - each)) > 1e-9 and abs(one - (1 - level)) > 1e-9:
            assert (p < 1 - each) == (one < 1 - level)
    assert level <= each <= 1 - (1 - level) / len(found) + 1e-12


def test_the_level_that_is_left() -> None:
    assert level_left([]) == level_left([None]) == level_left([0.7]) == 0.95
    assert level_left([0.7, 0.8, None, 0.9, 0.6]) == pytest.approx(1 - 0.05 / 4)
    assert level_left([0.001, 0.002, 0.02, 0.5, 0.6, 0.9]) == pytest.approx(0.975)
    assert level_left([0.001, 0.002]) == 0.95
    with pytest.raises(ValueError, match="between 0 and 1"):
        level_left([1.5])
    with pytest.raises(ValueError, match="level"):
        level_left([0.5], 1.0)
