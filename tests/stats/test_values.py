import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.values import Scale, combine_labels, majority, rescale


def test_several_labelers() -> None:
    assert combine_labels([3, 5], "mean") == 4.0
    assert combine_labels([4, 5, 5], "mean") == pytest.approx(4.666667, abs=1e-6)
    assert combine_labels([4, 5, 5], "median") == 5
    assert combine_labels([4, 5], "median") == 4.5
    assert combine_labels([5, 4], "latest") == 4
    assert combine_labels([], "mean") is None


def test_majority_needs_one_mode() -> None:
    assert majority([4, 5, 5]) == 5
    assert majority([4]) == 4
    assert majority([4, 5]) is None
    assert majority([]) is None


def test_three_point_scale_onto_five() -> None:
    assert [rescale(v, (1, 3), (1, 5)) for v in (1, 2, 3)] == [1, 3, 5]
    assert rescale(2, (1, 3), (1, 5), "ratio") == pytest.approx(10 / 3)
    assert rescale(2, (1, 3), (1, 3), "ratio") == 2


def test_ranges_that_cannot_be_rescaled() -> None:
    with pytest.raises(ValueError, match="no extent"):
        rescale(1, (1, 1), (0, 1))
    with pytest.raises(ValueError, match="ends at 0"):
        rescale(1, (-1, 0), (0, 1), "ratio")


def test_places_on_a_scale() -> None:
    scale = Scale((1, 2, 3, 5))
    assert scale.nearest(2) == (1, False)
    assert scale.nearest(2.5) == (1, True)
    assert scale.nearest(4.0) == (2, True)
    assert scale.nearest(4.1) == (3, True)
    assert scale.nearest(0) == (0, True)
    assert scale.nearest(9) == (3, True)
    assert scale.nearest(3 + 1e-12) == (2, False)
    assert scale.index(2.5) is None
    assert scale.index(5) == 3


def test_a_scale_must_increase() -> None:
    with pytest.raises(ValueError, match="increasing"):
        Scale((1, 1))
    with pytest.raises(ValueError, match="increasing"):
        Scale(())


@given(st.floats(-10, 20), st.sets(st.integers(0, 10), min_size=1))
def test_nearest_is_nearest(value: float, values: set[int]) -> None:
    scale = Scale(tuple(sorted(values)))
    at, _ = scale.nearest(value)
    assert abs(scale.values[at] - value) <= min(abs(v - value) for v in values) + 1e-9
