"""Bars hold every gap once."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.gui.plots.histogram import WIDEST, bars


@given(st.dictionaries(st.integers(-400, 400).map(lambda x: x / 100), st.integers(1, 9)))
def test_every_gap_is_counted_once(gaps: dict[float, int]) -> None:
    found = bars(sorted(gaps.items()))
    assert sum(bar.n for bar in found) == sum(gaps.values())
    assert len(found) <= max(len(gaps) if len(gaps) <= WIDEST else WIDEST + 1, 0)
    assert [bar.gap for bar in found] == sorted(bar.gap for bar in found)
    assert all(bar.low <= bar.high for bar in found)
