"""Quantiles and tails against scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from reviewer.stats.quantiles import (
    beta_cdf,
    beta_quantile,
    normal_quantile,
    normal_two_sided,
    t_quantile,
    t_two_sided,
)

SHARES = st.floats(1e-6, 1 - 1e-6)


@given(st.floats(1e-12, 1 - 1e-12))
def test_normal(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(stats.norm.ppf(p), rel=1e-12, abs=1e-12)


@given(SHARES, st.integers(1, 100_000) | st.floats(0.5, 1e6))
def test_t(p: float, df: float) -> None:
    assert t_quantile(p, df) == pytest.approx(special.stdtrit(df, p), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("df", [1, 2, 3, 9, 10, 18, 19, 20, 28, 98, 999, 10**5, 10**7])
def test_t_at_the_usual_levels(level: float, df: int) -> None:
    p = 0.5 + level / 2
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-12)


@given(SHARES, st.floats(0.3, 3000), st.floats(0.3, 3000))
def test_beta(p: float, a: float, b: float) -> None:
    assert beta_quantile(p, a, b) == pytest.approx(
        special.betaincinv(a, b, p), rel=1e-12, abs=1e-12
    )


@given(st.floats(0, 1), st.floats(0.3, 500), st.floats(0.3, 500))
def test_beta_share(x: float, a: float, b: float) -> None:
    assert beta_cdf(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-11, abs=1e-12)


def test_ends() -> None:
    assert beta_quantile(0, 2, 3) == 0
    assert beta_quantile(1, 2, 3) == 1
    assert (beta_cdf(-1, 2, 3), beta_cdf(2, 2, 3)) == (0, 1)
    assert t_quantile(0.5, 7) == 0
    assert math.isclose(t_quantile(0.025, 7), -t_quantile(0.975, 7), rel_tol=1e-13)


def test_arguments_outside() -> None:
    with pytest.raises(ValueError, match="t quantile"):
        t_quantile(1, 5)
    with pytest.raises(ValueError, match="Beta quantile"):
        beta_quantile(0.5, 0, 1)


@given(st.floats(-60, 60), st.floats(0.5, 5000))
def test_tails_of_t_equal_scipy(t: float, df: float) -> None:
    assert t_two_sided(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-8, abs=1e-250)


def test_tails_at_the_ends() -> None:
    assert t_two_sided(0, 3) == 1
    assert t_two_sided(math.inf, 3) == 0
    assert normal_two_sided(1.959963984540054) == pytest.approx(0.05)
    assert normal_two_sided(-3) == pytest.approx(2 * stats.norm.sf(3))
    with pytest.raises(ValueError, match="df > 0"):
        t_two_sided(1, 0)
