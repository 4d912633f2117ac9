"""The exact test of two shares, against an independent implementation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact as oracle

from reviewer.stats.paired_shares import fisher_exact

COUNT = st.integers(0, 40)


@given(COUNT, COUNT, COUNT, COUNT)
def test_the_p_value_is_that_of_the_oracle(a: int, b: int, c: int, d: int) -> None:
    found = fisher_exact(a, b, others_hits=c, others_misses=d)
    if not a + b or not c + d:
        assert found is None
    else:
        assert found == pytest.approx(oracle([[a, b], [c, d]])[1], abs=1e-9)


def test_tea_with_milk() -> None:
    assert fisher_exact(3, 1, others_hits=1, others_misses=3) == pytest.approx(34 / 70)


def test_a_negative_cell_is_an_error() -> None:
    with pytest.raises(ValueError, match="negative"):
        fisher_exact(-1, 1, others_hits=1, others_misses=1)
