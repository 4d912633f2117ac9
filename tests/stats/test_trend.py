import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

from reviewer.stats.coefficients import OUT_OF_RANGE
from reviewer.stats.contrast import DECIDED, EXACT, FEW_POINTS, FLAT, ONE_CONVERSATION, slope


def test_a_slope_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    x = rng.gamma(2, 300, 80)
    y = -0.002 * x + rng.normal(0, 1, 80) * (1 + x / 500)
    found = slope(x, y)
    oracle = sm.OLS(y, sm.add_constant(x)).fit(cov_type="HC3")
    assert found.value == pytest.approx(oracle.params[1], rel=1e-9)
    half = sp.t.ppf(0.975, 78) * oracle.bse[1]
    assert found.high == pytest.approx(oracle.params[1] + half, rel=1e-9)
    assert found.p == pytest.approx(2 * sp.t.sf(abs(oracle.tvalues[1]), 78), rel=1e-9)


def test_conversations_widen_it() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(20), 5)
    x = rng.normal(0, 1, 20)[clusters] + rng.normal(0, 0.1, 100)
    y = rng.normal(0, 1, 20)[clusters]
    alone, whole = slope(x, y), slope(x, y, clusters)
    assert alone.high is not None
    assert alone.low is not None
    assert whole.high is not None
    assert whole.low is not None
    assert whole.high - whole.low > 1.5 * (alone.high - alone.low)
    assert slope(x, y, clusters % 2).reason == ONE_CONVERSATION


def test_what_is_missing_is_said() -> None:
    assert slope(np.arange(2.0), np.arange(2.0)).reason == FEW_POINTS
    assert slope(np.full(9, 1e9), np.arange(9.0)).reason == FLAT
    exact = slope(np.arange(9.0), 2 * np.arange(9.0))
    assert exact.value == pytest.approx(2)
    for alike in (exact, slope(np.arange(40.0), np.full(40, 0.1))):
        assert (alike.low, alike.high, alike.p, alike.reason) == (None, None, None, EXACT)


def test_no_residual_where_the_line_is_decided() -> None:
    # both ends lie on the line, and the points between decide nothing: it divided by zero
    x, y = np.array([0.0, 4.0, 4.0, 8.0]), np.array([0.0, 0.0, 1.0, 1.0])
    for found in (slope(x, y), slope(x / 3, y / 7), slope(x, y, np.arange(4))):
        assert found.value is not None
        assert (found.low, found.high, found.p, found.reason) == (None, None, None, DECIDED)
    assert slope(x, y).value == pytest.approx(0.125)


sizes = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1e-320, 1e-170, 1e-99, 1e99, -1e99, 1e150]),
)


@given(st.lists(st.tuples(sizes, sizes, st.integers(0, 4)), max_size=12), st.booleans())
def test_every_slope_is_a_number_or_has_a_reason(
    rows: list[tuple[float, float, int]], together: bool
) -> None:
    x, y = (np.array([row[at] for row in rows], dtype=np.float64) for at in (0, 1))
    codes = np.array([row[2] for row in rows], dtype=np.int64) if together else None
    found = slope(x, y, codes)
    for end in (found.value, found.low, found.high, found.p):
        assert end is None or np.isfinite(end)
    assert (found.low is None) == (found.reason is not None)
    assert slope(x * 0 + 1e200, y).reason in (OUT_OF_RANGE, FEW_POINTS)


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(-4, 4)), min_size=3, max_size=30),
    st.floats(0.1, 100),
)
def test_a_slope_follows_the_unit(rows: list[tuple[int, int]], unit: float) -> None:
    x = np.array([a for a, _ in rows], dtype=float)
    y = np.array([b for _, b in rows], dtype=float)
    found, scaled = slope(x, y), slope(x / unit, y)
    if found.value is None:
        assert scaled.reason == found.reason
        return
    assert scaled.value == pytest.approx(found.value * unit, abs=1e-9)
    if found.low is None or found.high is None:
        assert found.reason == scaled.reason
        assert found.reason in (EXACT, DECIDED)
        return
    assert found.low < found.value < found.high


def test_the_interval_holds_no_slope_as_often_as_it_promises() -> None:
    rng = np.random.default_rng(6)
    hits = 0
    for _ in range(1000):
        x = rng.lognormal(6, 0.5, 40)
        y = rng.choice([-1.0, 0.0, 0.0, 1.0], 40) * np.where(x > np.median(x), 2, 1)
        found = slope(x, y)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0 <= found.high
    assert 0.92 < hits / 1000 < 0.99
