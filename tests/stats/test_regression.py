"""Changes of p95 and of means against scipy and plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reviewer.stats import regression
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.regression import mean_change, percentile_change


def columns(n: int, seed: int = 3, factor: float = 1.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    before = rng.lognormal(5, 1, n)
    return before, before * factor + rng.normal(0, 5, n)


def test_the_same_cases_are_drawn_together() -> None:
    before, after = columns(60)
    found = percentile_change(before, after, IntervalPolicy(seed=7), paired=True)
    rng = np.random.default_rng(7)
    places = rng.integers(0, 60, size=(1000, 60))
    drawn = [np.percentile(after[row], 95) - np.percentile(before[row], 95) for row in places]
    low, high = np.percentile(drawn, [2.5, 97.5])
    assert found.difference == pytest.approx(
        np.percentile(after, 95) - np.percentile(before, 95), abs=1e-9
    )
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.approximate


def test_different_cases_are_drawn_each_by_itself() -> None:
    before, after = columns(80)[0], columns(50, seed=4)[1]
    found = percentile_change(before, after, IntervalPolicy(seed=2, level=0.9), paired=False)
    rng = np.random.default_rng(2)
    first = [np.percentile(before[x], 95) for x in rng.integers(0, 80, size=(1000, 80))]
    second = [np.percentile(after[x], 95) for x in rng.integers(0, 50, size=(1000, 50))]
    low, high = np.percentile(np.subtract(second, first), [5, 95])
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.n == 50
    assert not found.paired


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = columns(101)
    whole = percentile_change(before, after, IntervalPolicy(), paired=True)
    monkeypatch.setattr(regression, "_AT_ONCE", 999)
    assert percentile_change(before, after, IntervalPolicy(), paired=True) == whole


@pytest.mark.parametrize("paired", [True, False])
def test_drawing_only_the_tail_gives_the_same_interval(
    monkeypatch: pytest.MonkeyPatch, paired: bool
) -> None:
    before, after = columns(4000, factor=1.1)
    policy = IntervalPolicy(resamples=4000)
    whole = percentile_change(before, after, policy, paired=paired)
    monkeypatch.setattr(regression, "MANY", 100)
    tail = percentile_change(before, after, policy, paired=paired)
    assert tail.difference == whole.difference
    assert whole.low is not None
    assert whole.high is not None
    width = whole.high - whole.low
    assert tail.low == pytest.approx(whole.low, abs=0.12 * width)
    assert tail.high == pytest.approx(whole.high, abs=0.12 * width)


def test_means_of_the_same_cases() -> None:
    before, after = columns(40)
    found = mean_change(before, after, paired=True)
    oracle = stats.ttest_rel(after, before).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high))
    assert found.difference == pytest.approx(float(np.mean(after - before)))


def test_means_of_different_cases() -> None:
    before, after = columns(40)[0], columns(25, seed=9)[1]
    found = mean_change(before, after, paired=False)
    oracle = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high))


def test_a_regression_needs_both_the_share_and_the_interval() -> None:
    steady = np.full(50, 100.0)
    assert percentile_change(steady, steady * 1.3, IntervalPolicy(), paired=True).is_regression()
    at_the_limit = percentile_change(steady, steady * 1.2, IntervalPolicy(), paired=True)
    assert not at_the_limit.is_regression()
    assert at_the_limit.is_regression(0.1)
    rng = np.random.default_rng(0)
    noisy = mean_change(rng.lognormal(0, 3, 12), rng.lognormal(0.5, 3, 12), paired=False)
    assert noisy.share is not None
    assert not noisy.is_regression()
    assert mean_change(np.zeros(20), np.full(20, 0.01), paired=True).is_regression()
    assert mean_change(np.zeros(20), np.full(20, 0.01), paired=True).share is None


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_values_are_said(n: int) -> None:
    few = np.full(n, 5.0)
    for found in (
        percentile_change(few, few, IntervalPolicy(), paired=True),
        mean_change(few, few, paired=True),
    ):
        assert found.reason == regression.FEW
        assert found.difference is None
        assert not found.is_regression()


def test_no_resamples_give_no_interval() -> None:
    before, after = columns(30)
    found = percentile_change(before, after, IntervalPolicy(resamples=0), paired=True)
    assert found.reason == regression.NO_INTERVAL
    assert found.difference is not None
    assert not found.is_regression()


@given(
    st.lists(st.floats(1, 1e5), min_size=2, max_size=40),
    st.floats(1e-3, 1e3),
    st.integers(0, 5),
)
def test_another_unit_changes_only_the_unit(values: list[float], factor: float, seed: int) -> None:
    before = np.array(values)
    after = before[::-1] * 1.5
    policy = IntervalPolicy(seed=seed, resamples=50)
    found = percentile_change(before, after, policy, paired=True)
    scaled = percentile_change(before * factor, after * factor, policy, paired=True)
    assert found.difference is not None
    assert scaled.difference is not None
    assert found.low is not None
    assert scaled.low is not None
    assert scaled.difference == pytest.approx(found.difference * factor, rel=1e-6, abs=1e-6)
    assert scaled.low == pytest.approx(found.low * factor, rel=1e-6, abs=1e-6)
