"""Groups against the rest: equal to scipy and statsmodels, with conversations and without."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from reviewer.stats.clustering import clustered_mean
from reviewer.stats.segments import Members, benjamini_hochberg, compare_groups, simultaneous_level


def members(groups: list[list[int]]) -> Members:
    """Which values belong to which group, from lists of places."""
    return Members(
        rows=np.array([row for rows in groups for row in rows], dtype=np.int64),
        groups=np.array([at for at, rows in enumerate(groups) for _ in rows], dtype=np.int64),
        count=len(groups),
    )


@pytest.mark.parametrize("seed", range(5))
def test_without_conversations_it_is_welchs_test_and_the_t_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=60) + 1000.0
    groups = [rng.choice(60, size, replace=False).tolist() for size in (5, 20, 58, 2)]
    found = compare_groups(values, members(groups))
    for at, rows in enumerate(groups):
        rest = np.delete(values, rows)
        if rest.size > 1:
            expected = stats.ttest_ind(values[rows], rest, equal_var=False)
            assert found.p_value(at) == pytest.approx(expected.pvalue, rel=1e-6)
            assert found.rest[at] == pytest.approx(rest.mean())
        low, high = stats.t.interval(
            0.95, len(rows) - 1, values[rows].mean(), stats.sem(values[rows])
        )
        interval = found.interval(at, 0.95)
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx((low, high))


def test_with_conversations_the_error_is_that_of_the_regression() -> None:
    rng = np.random.default_rng(3)
    clusters = rng.integers(0, 12, 80)
    values = rng.normal(size=80) + rng.normal(size=12)[clusters]
    rows = np.flatnonzero(rng.random(80) < 0.4).tolist()
    found = compare_groups(values, members([rows]), clusters)
    for part, se, mean in (
        (np.array(rows), found.se[0], found.mean[0]),
        (np.delete(np.arange(80), rows), found.rest_se[0], found.rest[0]),
    ):
        fit = OLS(values[part], np.ones(part.size)).fit(
            cov_type="cluster",
            cov_kwds={"groups": clusters[part], "use_correction": False},
        )
        many = np.unique(clusters[part]).size
        assert mean == pytest.approx(fit.params[0])
        assert se == pytest.approx(fit.bse[0] * math.sqrt(many / (many - 1)))
    expected = clustered_mean(values[rows], clusters[rows].tolist())
    interval = found.interval(0, 0.95)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_overlapping_groups_are_each_what_they_are_alone(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 25))
    values = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), float)
    clusters = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    groups = data.draw(
        st.lists(st.lists(st.integers(0, n - 1), unique=True), min_size=1, max_size=4)
    )
    together = compare_groups(values, members(groups), clusters)
    for at, rows in enumerate(groups):
        alone = compare_groups(values, members([rows]), clusters)
        for name in ("n", "clusters", "mean", "se", "rest", "rest_se", "rest_clusters"):
            one, other = getattr(together, name)[at], getattr(alone, name)[0]
            assert one == pytest.approx(other, nan_ok=True, abs=1e-9)
        assert together.n[at] == len(rows)
        if rows:
            assert together.mean[at] == pytest.approx(values[rows].mean(), abs=1e-9)


def test_shares_have_wilsons_interval() -> None:
    values = np.array([1.0] * 9 + [0.0] * 6 + [1.0] * 85)
    found = compare_groups(values, members([list(range(15))]))
    low, high = proportion_confint(9, 15, method="wilson")
    interval = found.share_interval(0, 0.95)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high))


def test_shares_of_conversations_count_fewer() -> None:
    clusters = np.repeat(np.arange(10), 4)
    values = np.repeat([1.0, 0.0] * 5, 4)
    everything = members([list(range(40)), list(range(4)), list(range(0, 40, 8))])
    found = compare_groups(values, everything, clusters)
    wide, narrow = found.share_interval(0, 0.95), compare_groups(values, everything)
    plain = narrow.share_interval(0, 0.95)
    assert wide is not None
    assert plain is not None
    assert wide.high - wide.low > 1.5 * (plain.high - plain.low)
    assert found.share_interval(1, 0.95) is None
    assert found.interval(1, 0.95) is None
    same = compare_groups(np.ones(8), members([list(range(8))]), np.repeat([0, 1], 4))
    alike = same.share_interval(0, 0.95)
    assert alike is not None
    # each conversation once, and Student's t of one degree of freedom for the normal distribution
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, 1))
    assert alike.low == pytest.approx(proportion_confint(2, 2, alpha, method="wilson")[0])


def test_groups_that_cannot_be_tested_have_no_p_value() -> None:
    values = np.array([1.0, 1.0, 1.0, 2.0])
    found = compare_groups(values, members([[0], [], [0, 1, 2, 3], [0, 1]]))
    assert [found.p_value(at) for at in range(3)] == [None, None, None]
    assert found.p_value(3) is not None
    assert compare_groups(np.ones(4), members([[0, 1]])).p_value(0) is None
    empty = compare_groups(np.zeros(0), members([[]]))
    assert empty.n.tolist() == [0]
    assert empty.p_value(0) is None


def test_intervals_together_hold_at_the_level_of_the_screen() -> None:
    assert simultaneous_level(0.95, 1) == pytest.approx(0.95)
    assert simultaneous_level(0.95, 10) == pytest.approx(0.995)
    assert simultaneous_level(0.95, 0) == pytest.approx(0.95)


def test_adjusted_p_values_are_those_of_statsmodels() -> None:
    p_values = np.random.default_rng(1).random(30) ** 3
    expected = multipletests(p_values, method="fdr_bh")[1]
    assert benjamini_hochberg(p_values.tolist()) == pytest.approx(expected.tolist())


def test_simultaneous_intervals_cover_every_group_at_once() -> None:
    rng = np.random.default_rng(0)
    groups = [list(range(at * 15, at * 15 + 15)) for at in range(20)]
    made = members(groups)
    level = simultaneous_level(0.95, 20)
    hits = 0
    for _ in range(200):
        found = compare_groups(rng.normal(size=300), made)
        held = [found.interval(at, level) for at in range(20)]
        hits += all(one is not None and one.low <= 0 <= one.high for one in held)
    assert 180 <= hits <= 199
