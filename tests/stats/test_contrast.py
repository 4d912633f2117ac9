import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

from reviewer.stats.contrast import (
    ALIKE,
    CONVERSATIONS,
    FEW,
    NO_STRATUM,
    SINGLE,
    Contrast,
    mean_contrast,
    share_contrast,
    within_contrast,
)


def test_means_are_compared_as_scipy_does() -> None:
    rng = np.random.default_rng(1)
    values, second = rng.normal(0, 2, 60), np.arange(60) % 3 == 0
    found = mean_contrast(values, second)
    oracle = sp.ttest_ind(values[second], values[~second], equal_var=False)
    ends = oracle.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-9)
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-9)
    assert (found.n_first, found.n_second) == (40, 20)


def test_shares_of_all_and_none_still_have_an_interval() -> None:
    hits = np.array([True] * 20 + [False] * 20)
    second = np.arange(40) < 20
    found = share_contrast(hits, second)
    # Agresti and Caffo by hand: 21/22 against 1/22
    half = 1.959963984540054 * np.sqrt(2 * (21 / 22) * (1 / 22) / 22)
    assert found.difference == 1
    assert found.low == pytest.approx(20 / 22 - half)
    assert found.high == 1
    assert found.p is not None
    assert found.p < 0.001
    alike = share_contrast(np.ones(40, dtype=np.bool_), second)
    assert alike.low is not None
    assert alike.high is not None
    assert alike.low < 0 < alike.high


def test_conversations_widen_as_statsmodels_does() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(30), 4)
    second = clusters % 2 == 0
    values = rng.normal(0, 1, 30)[clusters] + rng.normal(0, 0.3, 120) + second
    found = mean_contrast(values, second, clusters)
    model = sm.OLS(values, np.column_stack([np.ones(120), second])).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    se = model.bse[1] * np.sqrt(30 / 29)
    assert found.high is not None
    assert found.difference is not None
    freedom = 29
    assert found.high - found.difference == pytest.approx(sp.t.ppf(0.975, freedom) * se, rel=1e-9)
    assert found.high - found.difference > 1.5 * width(mean_contrast(values, second)) / 2
    assert width(share_contrast(values > 0, second, clusters)) > width(
        share_contrast(values > 0, second)
    )


def test_inside_strata_it_is_the_regression_on_strata() -> None:
    rng = np.random.default_rng(3)
    strata = rng.integers(0, 4, 90)
    second = rng.random(90) < 0.2 + strata / 5
    values = 2 * strata + 0.7 * second + rng.normal(0, 1, 90)
    found = within_contrast(values, second, strata)
    dummies = (strata[:, None] == np.arange(4)).astype(float)
    # each stratum has two means of its own: the residual spread is that of the saturated model
    saturated = np.column_stack([dummies, dummies * second[:, None]])
    rest = sm.OLS(values, saturated).fit()
    plain = sm.OLS(values, np.column_stack([dummies, second])).fit()
    assert found.difference == pytest.approx(plain.params[-1], rel=1e-9)
    weights = sum(
        (second & (strata == x)).sum() * (~second & (strata == x)).sum() / (strata == x).sum()
        for x in range(4)
    )
    half = sp.t.ppf(0.975, rest.df_resid) * np.sqrt(rest.mse_resid / weights)
    assert found.high == pytest.approx(plain.params[-1] + half, rel=1e-9)
    assert abs((mean_contrast(values, second).difference or 0) - 0.7) > 0.5


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 18, 19])
def test_few_values_have_a_reason_and_no_interval(n: int) -> None:
    values, second = np.arange(n, dtype=float), np.arange(n) % 2 == 0
    for found in (mean_contrast(values, second), share_contrast(values > 1, second)):
        assert found.low is None
        assert found.reason == FEW
    inside = within_contrast(values, second, np.zeros(n, dtype=np.int64))
    assert inside.low is None
    assert inside.reason == (NO_STRATUM if n < 2 else FEW)
    ten = np.arange(20)
    assert mean_contrast(ten.astype(float), ten % 2 == 0).low is not None
    assert within_contrast(ten.astype(float), ten % 2 == 0, ten // 10).low is not None


def test_one_conversation_and_constant_values() -> None:
    second, alone = np.arange(40) < 20, np.zeros(40, dtype=np.int64)
    assert mean_contrast(np.arange(40.0), second, alone).reason == CONVERSATIONS
    assert within_contrast(np.arange(40.0), second, alone, alone).reason == CONVERSATIONS
    for values in (np.ones(40), np.where(second, 0.1, 0.3)):
        for same in (mean_contrast(values, second), within_contrast(values, second, alone)):
            assert same.difference == pytest.approx(values[0] - values[-1])
            assert (same.low, same.high, same.p, same.reason) == (None, None, None, ALIKE)


def test_an_interval_is_cut_to_what_is_possible() -> None:
    people = np.arange(20)
    hits = (people % 10 < 5).astype(np.float64)
    found = within_contrast(hits, people < 10, people % 5, least=4.0)
    assert found.low is not None
    assert found.low < -1
    held = found.held(1.0)
    assert (held.low, held.high, held.difference) == (-1, 1, found.difference)
    assert within_contrast(hits, people < 10, people % 10).reason == SINGLE
    few = mean_contrast(np.arange(4.0), np.arange(4) < 2)
    assert few.held(1.0) is few


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.booleans(), st.integers(0, 3)), max_size=40),
)
def test_swapping_the_sides_turns_the_sign(rows: list[tuple[float, bool, int]]) -> None:
    values = np.array([v for v, _, _ in rows])
    second = np.array([s for _, s, _ in rows], dtype=np.bool_)
    groups = np.array([g for _, _, g in rows], dtype=np.int64)
    for found, turned in (
        (mean_contrast(values, second), mean_contrast(values, ~second)),
        (mean_contrast(values, second, groups), mean_contrast(values, ~second, groups)),
        (share_contrast(values > 0, second), share_contrast(values > 0, ~second)),
        (
            within_contrast(values, second, groups, groups),
            within_contrast(values, ~second, groups, groups),
        ),
    ):
        if found.difference is not None:
            assert turned.difference == pytest.approx(-found.difference, abs=1e-9)
        if found.low is not None:
            assert found.low <= (found.difference or 0) <= (found.high or 0)
            assert turned.high == pytest.approx(-found.low, abs=1e-9)


def width(found: Contrast) -> float:
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low
