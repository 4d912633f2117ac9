import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp
from statsmodels.stats.proportion import proportion_confint

from reviewer.stats.intervals import (
    IntervalPolicy,
    percentile_interval,
    resample,
    t_interval,
    wilson,
)


@given(st.integers(0, 200), st.integers(1, 200), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_against_statsmodels(successes: int, n: int, level: float) -> None:
    successes = min(successes, n)
    found = wilson(successes, n, level)
    assert found is not None
    expected = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)
    assert 0 <= found.low <= successes / n <= found.high <= 1


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=40))
def test_t_against_scipy(values: list[float]) -> None:
    mean, sd = float(np.mean(values)), float(np.std(values, ddof=1))
    found = t_interval(mean, sd, len(values))
    assert found is not None
    if sd > 0:
        low, high = sp.t.interval(0.95, len(values) - 1, mean, sd / math.sqrt(len(values)))
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    else:
        assert found.low == found.high == mean


def test_nothing_to_estimate_from() -> None:
    assert wilson(0, 0) is None
    assert t_interval(1.0, 0.0, 1) is None


def test_draws_are_numpy_s_own() -> None:
    counts = np.array([3.0, 0.0, 7.0])
    policy = IntervalPolicy(seed=11, resamples=5)
    drawn = resample(counts, {"first": lambda draws: draws[:, 0]}, policy)["first"]
    expected = np.random.default_rng(11).multinomial(10, counts / 10, size=5)[:, 0]
    assert drawn.tolist() == expected.tolist()
    smooth = resample(counts, {"first": lambda draws: draws[:, 0]}, policy, prior=0.5)["first"]
    shares = np.random.default_rng(11).dirichlet(counts + 0.5, size=5)[:, 0]
    assert smooth == pytest.approx(shares * 10)


def test_large_tables_are_drawn_in_parts_with_the_same_result() -> None:
    counts = np.ones(5000)
    drawn = resample(counts, {"first": lambda draws: draws[:, 0]}, IntervalPolicy())["first"]
    expected = np.random.default_rng(0).multinomial(5000, counts / 5000, size=1000)[:, 0]
    assert drawn.tolist() == expected.tolist()


def test_mostly_undefined_sets_give_no_interval() -> None:
    policy = IntervalPolicy()
    values = np.array([1.0, 2.0, np.nan, np.nan])
    assert percentile_interval(values, policy, method="bootstrap", approximate=False) is None
    values = np.array([1.0, 2.0, 1.5, np.nan])
    found = percentile_interval(values, policy, method="bootstrap", approximate=False)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((1.025, 1.975))
    flat = percentile_interval(np.ones(9), policy, method="bootstrap", approximate=False)
    assert flat is not None
    assert flat.approximate


def test_choices_that_cannot_work() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        IntervalPolicy(level=95)
    with pytest.raises(ValueError, match="2 or more"):
        IntervalPolicy(resamples=1)
