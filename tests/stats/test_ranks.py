import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

from reviewer.stats import coefficients
from reviewer.stats import coefficients as co
from reviewer.stats.coefficients import Floats, average_ranks, rank_places

columns = st.integers(2, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 12), min_size=n, max_size=n),
        st.lists(st.integers(0, 12), min_size=n, max_size=n),
    )
)


def kendall_b(left: Floats, right: Floats, counts: Floats) -> float:
    return float(coefficients.kendall_b(rank_places(left), rank_places(right), counts).value[0])


def spearman(left: Floats, right: Floats, counts: Floats) -> float:
    return float(coefficients.spearman(rank_places(left), rank_places(right), counts).value[0])


@given(columns, st.integers(1, 3))
def test_ranks_and_tau_equal_scipy(found: tuple[list[int], list[int]], times: int) -> None:
    left, right = (np.repeat(np.array(x, dtype=np.float64), times) for x in found)
    assert average_ranks(left).tolist() == sp.rankdata(left).tolist()
    pairs, counts = np.unique(np.column_stack([left, right]), axis=0, return_counts=True)
    tau = kendall_b(pairs[:, 0], pairs[:, 1], counts.astype(np.float64))
    rho = spearman(pairs[:, 0], pairs[:, 1], counts.astype(np.float64))
    if len(left) > 2 and np.ptp(left) and np.ptp(right):
        oracle = sp.kendalltau(left, right, method="asymptotic").statistic
        assert tau == pytest.approx(oracle, abs=1e-12)
        assert rho == pytest.approx(sp.spearmanr(left, right).statistic, abs=1e-12)
    elif not np.ptp(left) or not np.ptp(right):
        assert math.isnan(tau)
        assert math.isnan(rho)


@given(columns)
def test_distinct_pairs_in_any_order(found: tuple[list[int], list[int]]) -> None:
    pairs = np.array(sorted(set(zip(*found, strict=True)), key=hash), dtype=np.float64)
    left, right = pairs[:, 0], pairs[:, 1]
    if len(left) > 2 and np.ptp(left) and np.ptp(right):
        oracle = sp.kendalltau(left, right, method="asymptotic").statistic
        assert kendall_b(left, right, np.ones(len(left))) == pytest.approx(oracle, abs=1e-12)


@pytest.mark.parametrize("levels", [None, 5, 200, 3000])
def test_long_columns(levels: int | None) -> None:
    rng = np.random.default_rng(5)
    left = rng.normal(0, 1, 20_000)
    right = left + rng.normal(0, 1, 20_000)
    if levels:
        # few kinds on one side, so that some groups stay long to the last bit
        right = np.rint(right * levels / 6)
    tau = kendall_b(left, right, np.ones(20_000))
    assert tau == pytest.approx(sp.kendalltau(left, right).statistic, abs=1e-12)
    turned = kendall_b(left, -right, np.ones(20_000))
    assert turned == pytest.approx(-tau, abs=1e-12)
    doubled = kendall_b(left, right, np.full(20_000, 2.0))
    many = sp.kendalltau(np.repeat(left, 2), np.repeat(right, 2)).statistic
    assert doubled == pytest.approx(many, abs=1e-12)


@given(st.lists(st.floats(1e-3, 10, allow_nan=False), min_size=2, max_size=60), st.booleans())
def test_one_class_has_no_room_however_weights_are_rounded(
    weights: list[float], turned: bool
) -> None:
    table = np.zeros((len(weights), len(weights)))
    table[len(weights) // 2] = weights
    stack = (table.T if turned else table)[None]
    assert np.isnan(co.kendall_of_tables(stack)).all()
    places = np.zeros(len(weights), dtype=np.intp), np.arange(len(weights))
    left, right = places[::-1] if turned else places
    assert math.isnan(coefficients.kendall_b(left, right, np.array(weights)).value[0])
    single = np.zeros_like(table)
    single[0, 0] = sum(weights) / 3
    assert np.isnan(co.scott(single[None]).value).all()
    assert np.isnan(co.alpha_nominal(co.coincidences(single[None])).value).all()
