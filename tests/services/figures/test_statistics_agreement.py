"""Patterns of labels are counted by their different rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.figures.statistics_agreement import same_rows

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
