import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

from reviewer.stats import coefficients as co
from reviewer.stats.clustering import (
    ALIKE,
    FEW_CONVERSATIONS,
    NOTHING,
    ONE,
    cluster_bootstrap,
    cluster_codes,
    cluster_codes_of,
    cluster_se,
    clustered_mean,
    clustered_ppi,
    design_effect,
    joined_clusters,
    mean_interval,
    share_interval,
    widened,
)
from reviewer.stats.coefficients import moments
from reviewer.stats.estimate import Corrected, ppi
from reviewer.stats.intervals import IntervalPolicy, wilson


@given(
    st.lists(st.tuples(st.integers(0, 6), st.floats(-5, 5)), min_size=3, max_size=40).filter(
        lambda rows: len({x for x, _ in rows}) > 1
    )
)
def test_equal_to_the_robust_regression(rows: list[tuple[int, float]]) -> None:
    values = np.array([x for _, x in rows])
    clusters = [x for x, _ in rows]
    found = clustered_mean(values, clusters)
    robust = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster",
        cov_kwds={"groups": np.array(clusters), "use_correction": False},
    )
    groups = len(set(clusters))
    assert found.se is not None
    expected = float(robust.bse[0]) * math.sqrt(groups / (groups - 1))
    assert found.se == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert (found.n, found.clusters) == (len(rows), groups)
    # the order of evaluations does not matter
    turned = clustered_mean(values[::-1], clusters[::-1])
    assert turned.se == pytest.approx(found.se, abs=1e-9)


def test_single_evaluations_give_the_plain_interval() -> None:
    values = np.array([1.0, 4.0, 2.0, 5.0, 3.0])
    found = clustered_mean(values, "abcde")
    assert found.se == pytest.approx(values.std(ddof=1) / math.sqrt(5))
    one = clustered_mean(values, "aaaaa")
    assert (one.mean, one.low, one.reason) == (3.0, None, ONE)
    assert clustered_mean([], []).reason == NOTHING
    assert cluster_codes(["b", "a", "b"]).tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="as many conversations"):
        cluster_se(values, np.array([0, 1]))


def test_resembling_evaluations_say_less() -> None:
    rng = np.random.default_rng(2)
    covered = [0, 0]
    for _ in range(300):
        values = (rng.normal(0, 0.3**0.5, 20)[:, None] + rng.normal(0, 0.7**0.5, (20, 5))).ravel()
        robust = clustered_mean(values, np.repeat(np.arange(20), 5).tolist())
        plain = clustered_mean(values, list(range(100)))
        for at, found in enumerate((plain, robust)):
            assert found.low is not None
            assert found.high is not None
            covered[at] += found.low <= 0 <= found.high
    assert covered[0] < 265
    assert covered[1] > 270


def test_whole_conversations_are_drawn() -> None:
    rng = np.random.default_rng(3)
    values = (rng.normal(3, 0.6, 60)[:, None] + rng.normal(0, 0.8, (60, 5))).ravel()
    codes = np.repeat(np.arange(60), 5)
    sums: co.Floats = np.column_stack([np.bincount(codes, weights=values), np.full(60, 5.0)])
    found = cluster_bootstrap(sums, lambda s: s[:, 0] / s[:, 1], IntervalPolicy())
    robust = clustered_mean(values, codes.tolist())
    assert found is not None
    assert (found.low, found.high) == pytest.approx((robust.low, robust.high), abs=0.03)
    assert found.approximate
    assert cluster_bootstrap(sums[:1], lambda s: s[:, 0], IntervalPolicy()) is None


def test_coefficients_of_drawn_conversations() -> None:
    rng = np.random.default_rng(4)
    human = rng.integers(0, 2, 400)
    auto = np.where(rng.random(400) < 0.8, human, 1 - human)
    codes = np.repeat(np.arange(100), 4)
    tables = np.zeros((100, 4))
    np.add.at(tables, (codes, 2 * human + auto), 1)

    def kappa(stack: co.Floats) -> co.Floats:
        return co.kappa(stack.reshape(-1, 2, 2), 1 - np.eye(2)).value

    found = cluster_bootstrap(tables, kappa, IntervalPolicy())
    assert found is not None
    assert found.low < float(kappa(tables.sum(axis=0)[None])[0]) < found.high


def test_a_corrected_mean_of_conversations() -> None:
    rng = np.random.default_rng(5)
    size, per = 400, 5
    codes = np.repeat(np.arange(size), per)
    quality = rng.normal(3, 1, size)[codes] + rng.normal(0, 0.3, size * per)
    auto, human = quality + rng.normal(0, 0.4, size * per), quality.copy()
    some = slice(0, 200)
    plain = ppi(moments(auto[some], human[some]), size * per, float(auto.mean()), weight=1.0)
    found = clustered_ppi(plain, (auto[some], human[some]), codes[some], autos=(auto, codes))
    assert found.value == plain.value
    assert found.low is not None
    assert found.high is not None
    assert plain.low is not None
    assert plain.high is not None
    assert found.high - found.low > 1.2 * (plain.high - plain.low)
    alone = clustered_ppi(plain, (auto[:5], human[:5]), codes[:5], autos=(auto, codes))
    assert (alone.low, alone.reason) == (None, ONE)
    nothing = Corrected(None, None, None, "none", 0, reason="no label")
    assert clustered_ppi(nothing, (auto[:0], human[:0]), codes[:0], autos=(auto, codes)) == nothing
    # single evaluations: nearly the plain interval
    single = np.arange(size * per)
    same = clustered_ppi(plain, (auto[some], human[some]), single[some], autos=(auto, single))
    assert same.low == pytest.approx(plain.low, abs=0.02)


def test_design_effects() -> None:
    rng = np.random.default_rng(6)
    codes = np.repeat(np.arange(200), 5)
    values = rng.normal(0, 0.3**0.5, 200)[codes] + rng.normal(0, 0.7**0.5, 1000)
    # 1 + (5 - 1) × .30
    assert design_effect(values, codes) == pytest.approx(2.2, abs=0.4)
    assert design_effect(values, np.arange(1000)) == pytest.approx(1.0)
    assert design_effect(np.ones(10), np.arange(10) // 2) == 1
    balanced = np.tile([1.0, -1.0], 50)
    assert design_effect(balanced, np.arange(100) // 2) == 1
    assert design_effect(values, np.zeros(1000, dtype=np.intp)) is None


def test_intervals_grow_by_the_design_effect() -> None:
    found = Corrected(0.5, 0.4, 0.7, "stratified", 40)
    wide = widened(found, 4.0)
    assert (wide.low, wide.value, wide.high) == pytest.approx((0.3, 0.5, 0.9))
    assert widened(found, 1.0) == found
    assert (widened(found, None).low, widened(found, None).reason) == (None, ONE)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)), max_size=25))
def test_what_shares_anything_belongs_together(rows: list[tuple[int, int, int]]) -> None:
    columns = [np.array([row[at] for row in rows], dtype=np.int64) for at in range(3)]
    found = joined_clusters(columns)
    assert found is not None
    # by walking from each item to all that share a value with it
    for start in range(len(rows)):
        reached, fresh = {start}, {start}
        while fresh:
            fresh = {
                other
                for other in range(len(rows))
                if any(any(a == b for a, b in zip(rows[one], rows[other], strict=True))
                       for one in fresh)
            } - reached  # fmt: skip
            reached |= fresh
        assert set(np.flatnonzero(found == found[start]).tolist()) == reached
    assert joined_clusters([]) is None


def test_a_long_chain_is_joined() -> None:
    size = 3000
    first, second = np.arange(size) // 2, (np.arange(size) + 1) // 2
    found = joined_clusters([first, second])
    assert found is not None
    assert set(found.tolist()) == {0}


def test_the_mean_of_conversations() -> None:
    rng = np.random.default_rng(7)
    codes = np.repeat(np.arange(25), 4)
    values = rng.normal(0, 1, 25)[codes] + rng.normal(0, 1, 100)
    found, robust = mean_interval(values, codes), clustered_mean(values, codes.tolist())
    assert found == robust
    plain = mean_interval(values, None)
    ends = sp.ttest_1samp(values, 0).confidence_interval()
    assert (plain.low, plain.high) == pytest.approx((ends.low, ends.high))
    assert mean_interval(values, np.arange(100)) == plain
    alike = mean_interval(np.full(20, 3.0), None)
    assert (alike.mean, alike.low, alike.reason) == (3.0, None, ALIKE)
    assert cluster_codes_of(None) is None
    assert cluster_codes_of(np.array([4, 9, 2])) is None


def test_a_share_of_conversations_is_that_of_fewer_values() -> None:
    rng = np.random.default_rng(8)
    codes = np.repeat(np.arange(40), 5)
    hits = rng.random(200) < np.clip(rng.normal(0.5, 0.3, 40), 0, 1)[codes]
    found = share_interval(hits, codes)
    assert found is not None
    # by hand: the design effect, then Wilson with Student's t
    sums = np.bincount(codes, hits - hits.mean())
    plain = hits.var(ddof=1) / 200
    effect = 40 / 39 * (sums**2).sum() / 200**2 / plain
    assert len(set(codes[hits].tolist())) >= FEW_CONVERSATIONS
    level = 1 - 2 * sp.norm.sf(sp.t.ppf(0.975, 39))
    expected = wilson(hits.sum() / effect, 200 / effect, level)
    assert expected is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.method == "wilson by conversation"
    assert share_interval(hits, None) == wilson(int(hits.sum()), 200)
    assert share_interval(hits, codes * 0) is None


@pytest.mark.parametrize(("share", "correlation"), [(0.5, 0.6), (0.95, 0.6), (0.02, 0.3)])
def test_shares_of_conversations_are_covered(share: float, correlation: float) -> None:
    rng = np.random.default_rng(9)
    codes = np.repeat(np.arange(30), 5)
    hits = 0
    for _ in range(500):
        own, shared = rng.random(150) < share, (rng.random(30) < share)[codes]
        found = share_interval(np.where(rng.random(150) < correlation**0.5, shared, own), codes)
        assert found is not None
        hits += found.low <= share <= found.high
    assert hits >= 0.93 * 500
