"""Ticks are round values, as many as fit."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.gui.plots.ticks import round_step, ticks, without_overlap

REALS = st.floats(-1e6, 1e6).map(lambda x: round(x, 4))


def test_ticks_of_usual_axes() -> None:
    assert ticks(-4, 4, 9) == [-4, -3, -2, -1, 0, 1, 2, 3, 4]
    assert ticks(-0.3, 1.0, 6) == [0.0, 0.5, 1.0]
    assert ticks(0.0, 1.0, 6) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(3.0, 3.0, 5) == [3.0]


@given(REALS, REALS, st.integers(2, 30))
def test_ticks_lie_inside_and_are_never_too_many(a: float, b: float, most: int) -> None:
    low, high = sorted((a, b))
    found = ticks(low, high, most)
    assert len(found) <= most
    slack = 1e-6 * max(abs(low), abs(high), 1)
    assert all(low - slack <= x <= high + slack for x in found)


@given(st.floats(1e-9, 1e9))
def test_a_round_step_is_not_below_what_was_asked(least: float) -> None:
    assert least * (1 - 1e-6) <= round_step(least) <= 2.6 * least


def test_what_matters_most_is_written_first() -> None:
    assert without_overlap([(0, 2, 1), (1, 2, 5), (3, 2, 1)]) == [False, True, True]
