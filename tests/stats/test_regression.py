"""Changes of p95 and of means against scipy and plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reviewer.stats import regression
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.regression import P95_FROM, mean_change, percentile_change, runs_of


def columns(n: int, seed: int = 3, factor: float = 1.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    before = rng.lognormal(5, 1, n)
    return before, before * factor + rng.normal(0, 5, n)


def test_the_same_cases_are_drawn_together() -> None:
    before, after = columns(60)
    found = percentile_change(runs_of(before, after, paired=True), IntervalPolicy(seed=7))
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
    found = percentile_change(
        runs_of(before, after, paired=False), IntervalPolicy(seed=2, level=0.9)
    )
    rng = np.random.default_rng(2)
    first = [np.percentile(before[x], 95) for x in rng.integers(0, 80, size=(1000, 80))]
    second = [np.percentile(after[x], 95) for x in rng.integers(0, 50, size=(1000, 50))]
    low, high = np.percentile(np.subtract(second, first), [5, 95])
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.n == 50
    assert not found.paired


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = columns(101)
    whole = percentile_change(runs_of(before, after, paired=True), IntervalPolicy())
    monkeypatch.setattr(regression, "_AT_ONCE", 999)
    assert percentile_change(runs_of(before, after, paired=True), IntervalPolicy()) == whole


@pytest.mark.parametrize("paired", [True, False])
def test_drawing_only_the_tail_gives_the_same_interval(
    monkeypatch: pytest.MonkeyPatch, paired: bool
) -> None:
    before, after = columns(4000, factor=1.1)
    policy = IntervalPolicy(resamples=4000)
    whole = percentile_change(runs_of(before, after, paired=paired), policy)
    monkeypatch.setattr(regression, "MANY", 100)
    tail = percentile_change(runs_of(before, after, paired=paired), policy)
    assert tail.difference == whole.difference
    assert whole.low is not None
    assert whole.high is not None
    width = whole.high - whole.low
    assert tail.low == pytest.approx(whole.low, abs=0.12 * width)
    assert tail.high == pytest.approx(whole.high, abs=0.12 * width)


def test_means_of_the_same_cases() -> None:
    before, after = columns(40)
    found = mean_change(runs_of(before, after, paired=True))
    oracle = stats.ttest_rel(after, before).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high))
    assert found.difference == pytest.approx(float(np.mean(after - before)))


def test_means_of_different_cases() -> None:
    before, after = columns(40)[0], columns(25, seed=9)[1]
    found = mean_change(runs_of(before, after, paired=False))
    oracle = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high))


def test_a_regression_needs_both_the_share_and_the_interval() -> None:
    steady = np.full(50, 100.0)
    assert percentile_change(
        runs_of(steady, steady * 1.3, paired=True), IntervalPolicy()
    ).is_regression()
    at_the_limit = percentile_change(runs_of(steady, steady * 1.2, paired=True), IntervalPolicy())
    assert not at_the_limit.is_regression()
    assert at_the_limit.is_regression(0.1)
    rng = np.random.default_rng(0)
    noisy = mean_change(runs_of(rng.lognormal(0, 3, 12), rng.lognormal(0.5, 3, 12), paired=False))
    assert noisy.share is not None
    assert not noisy.is_regression()
    assert mean_change(runs_of(np.zeros(20), np.full(20, 0.01), paired=True)).is_regression()
    assert mean_change(runs_of(np.zeros(20), np.full(20, 0.01), paired=True)).share is None


def test_a_change_of_p95_is_told_from_forty_cases_on() -> None:
    before, after = columns(P95_FROM - 1)
    few = percentile_change(runs_of(before, after, paired=True), IntervalPolicy())
    assert few.difference is not None
    assert (few.low, few.high, few.sign) == (None, None, 0)
    assert few.reason == "39 cases of the 40 that the interval of a change of p95 needs"
    assert not few.is_regression()
    enough = percentile_change(runs_of(*columns(P95_FROM), paired=True), IntervalPolicy())
    assert enough.low is not None
    # 100 cases of 20 conversations are not enough, 200 of 40 are
    for conversations in (20, P95_FROM):
        before, after = columns(5 * conversations)
        codes = np.repeat(np.arange(conversations), 5)
        runs = runs_of(before, after, paired=True, clusters=(codes, codes))
        found = percentile_change(runs, IntervalPolicy())
        assert (found.low is not None) == (conversations >= P95_FROM)
        assert found.conversations == conversations
    assert few.conversations is None


@pytest.mark.parametrize("paired", [True, False])
def test_whole_conversations_are_drawn(paired: bool) -> None:
    rng = np.random.default_rng(11)
    sizes = rng.integers(1, 6, 60)
    codes = np.repeat(np.arange(60), sizes)
    slow = rng.lognormal(5, 1, 60)[codes] * rng.lognormal(0, 0.2, codes.size)
    before, after = slow, slow * rng.lognormal(0.2, 0.1, codes.size)
    policy = IntervalPolicy(seed=3)
    found = percentile_change(
        runs_of(before, after, paired=paired, clusters=(codes, codes)), policy
    )
    # the same draws one after the other, each drawn conversation written out
    rng = np.random.default_rng(3)
    places = [np.flatnonzero(codes == one) for one in range(60)]

    def draw() -> np.ndarray:
        times = rng.multinomial(60, np.full(60, 1 / 60))
        return np.concatenate([np.tile(places[x], times[x]) for x in range(60)])

    first = [draw() for _ in range(1000)]
    second = first if paired else [draw() for _ in range(1000)]
    drawn = [
        np.percentile(after[b], 95) - np.percentile(before[a], 95)
        for a, b in zip(first, second, strict=True)
    ]
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])))
    alone = percentile_change(runs_of(before, after, paired=False), policy)
    assert alone.low is not None
    assert alone.high is not None
    if not paired:
        assert found.low is not None
        assert found.high is not None
        assert found.high - found.low > 1.2 * (alone.high - alone.low)


def test_values_that_are_all_alike_claim_no_width() -> None:
    steady = np.full(50, 100.0)
    for factor, sign in ((1.0, 0), (1.3, 1), (0.5, -1)):
        for paired in (True, False):
            runs = runs_of(steady, factor * steady, paired=paired)
            for found in (percentile_change(runs, IntervalPolicy()), mean_change(runs)):
                assert (found.low, found.high, found.sign) == (None, None, sign)
                assert found.reason is not None
                assert found.is_regression() == (sign > 0)
    # three cases that all rose by as much may have done so by chance
    few = mean_change(runs_of(np.full(3, 1.0), np.full(3, 2.0), paired=True))
    assert (few.difference, few.sign) == (1.0, 0)
    assert mean_change(runs_of(np.full(3, 1.0), np.full(3, 2.0), paired=False)).sign == 0


def test_means_of_conversations() -> None:
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(30), 4)
    before = rng.normal(5, 1, 120)
    after = before + rng.normal(0.3, 0.6, 30)[codes] + rng.normal(0, 0.2, 120)
    found = mean_change(runs_of(before, after, paired=True, clusters=(codes, codes)))
    sums = np.bincount(codes, after - before - (after - before).mean())
    se = np.sqrt(30 / 29 * (sums**2).sum()) / 120
    half = stats.t.ppf(0.975, 29) * se
    middle = (after - before).mean()
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half))
    assert found.conversations == 30
    alone = mean_change(runs_of(before, after, paired=False))
    whole = mean_change(runs_of(before, after, paired=False, clusters=(codes, codes + 30)))
    assert None not in (alone.low, alone.high, whole.low, whole.high)
    assert whole.conversations == 30


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_values_are_said(n: int) -> None:
    few = np.full(n, 5.0)
    for found in (
        percentile_change(runs_of(few, few, paired=True), IntervalPolicy()),
        mean_change(runs_of(few, few, paired=True)),
    ):
        assert found.reason == regression.FEW
        assert found.difference is None
        assert not found.is_regression()


def test_no_resamples_give_no_interval() -> None:
    before, after = columns(P95_FROM)
    found = percentile_change(runs_of(before, after, paired=True), IntervalPolicy(resamples=0))
    assert found.reason == regression.NO_INTERVAL
    assert found.difference is not None
    assert not found.is_regression()


@given(
    st.lists(st.floats(1, 1e5), min_size=P95_FROM, max_size=60),
    st.floats(1e-3, 1e3),
    st.integers(0, 5),
)
def test_another_unit_changes_only_the_unit(values: list[float], factor: float, seed: int) -> None:
    before = np.array(values)
    after = before[::-1] * 1.5
    policy = IntervalPolicy(seed=seed, resamples=50)
    found = percentile_change(runs_of(before, after, paired=True), policy)
    scaled = percentile_change(runs_of(before * factor, after * factor, paired=True), policy)
    assert found.difference is not None
    assert scaled.difference is not None
    assert (scaled.reason, scaled.sign) == (found.reason, found.sign)
    assert scaled.difference == pytest.approx(found.difference * factor, rel=1e-6, abs=1e-6)
    if found.low is not None:
        assert scaled.low == pytest.approx(found.low * factor, rel=1e-6, abs=1e-6)
