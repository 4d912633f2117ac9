import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

from reviewer.stats.strata import (
    Stratum,
    level_rates,
    merged,
    strata_by_level,
    stratified_mean,
    stratum,
)


def test_each_stratum_counts_by_its_share() -> None:
    strata = [stratum(800, [4, 5, 4, 5, 4]), stratum(200, [1, 2, 1, 2, 1])]
    found = stratified_mean(strata)
    assert found.method == "stratified"
    assert found.n == 10
    assert found.value == pytest.approx(0.8 * 4.4 + 0.2 * 1.4)
    run = stratified_mean(strata, target="run")
    # by hand: two strata with s² = 0.3 and 4 degrees of freedom each
    parts = [0.64 * (1 - 5 / 800) * 0.3 / 5, 0.04 * (1 - 5 / 200) * 0.3 / 5]
    freedom = sum(parts) ** 2 / sum(x * x / 4 for x in parts)
    assert run.high is not None
    assert run.value is not None
    assert run.high - run.value == pytest.approx(
        sp.t.ppf(0.975, freedom) * math.sqrt(sum(parts)), rel=1e-9
    )
    assert found.high is not None
    assert found.high > run.high


def test_labels_at_unequal_rates_do_no_harm() -> None:
    rng = np.random.default_rng(4)
    auto = rng.choice([1.0, 2.0, 3.0, 4.0, 5.0], 4000, p=[0.1, 0.1, 0.2, 0.2, 0.4])
    human = np.where(auto <= 2, 1.0, 4.0) + rng.normal(0, 0.5, 4000)
    chosen = np.concatenate([np.flatnonzero(auto == x)[:60] for x in (1.0, 2.0, 3.0, 4.0, 5.0)])
    found = stratified_mean(strata_by_level(auto, auto[chosen], human[chosen]))
    assert found.value == pytest.approx(human.mean(), abs=0.1)
    assert abs(human[chosen].mean() - human.mean()) > 0.5
    rates = level_rates(auto, auto[chosen])
    assert rates[0] == pytest.approx(60 / (auto == 1).sum())


def test_strata_under_five_labels_join_a_neighbour() -> None:
    strata = [stratum(100, [1, 1]), stratum(50, [2] * 6), stratum(30, [3] * 7), stratum(9, [])]
    kept = merged(strata)
    assert [one.judged for one in kept] == [150, 39]
    assert [one.n for one in kept] == [8, 7]
    # inside a joined stratum each level still counts by its share
    assert kept[0].mean == pytest.approx((100 * 1 + 50 * 2) / 150)
    assert kept[0].effective == pytest.approx(1 / ((2 / 3) ** 2 / 2 + (1 / 3) ** 2 / 6))
    assert kept[1].mean == 3
    # nobody needs a fifth label where there is no fifth evaluation
    whole = [stratum(3, [1, 2, 1]), stratum(90, [4] * 9)]
    assert merged(whole) == tuple(whole)
    assert len(merged([stratum(5, [1]), stratum(5, [])])) == 1


def test_proportional_merging_is_plain_pooling() -> None:
    parts = [stratum(20, [1.0, 3.0]), stratum(30, [2.0, 4.0, 5.0])]
    joined = merged(parts)[0]
    pooled = stratum(50, [1.0, 3.0, 2.0, 4.0, 5.0])
    assert joined.mean == pytest.approx(pooled.mean)
    assert joined.variance == pytest.approx(pooled.variance)
    assert joined.effective == pytest.approx(5)


def test_scores_on_no_grid_are_cut_into_ten() -> None:
    rng = np.random.default_rng(3)
    auto = rng.uniform(0, 1, 1000)
    strata = strata_by_level(auto, auto[:100], auto[:100])
    assert len(strata) == 10
    assert sum(one.judged for one in strata) == 1000
    assert sum(one.n for one in strata) == 100
    assert max(one.judged for one in strata) <= 101


def test_reasons_and_refusals() -> None:
    assert stratified_mean([]).reason == "no label in any stratum"
    assert stratified_mean([stratum(4, [])]).method == "none"
    one = stratified_mean([stratum(4, [2.0])])
    assert (one.value, one.low, one.reason) == (2.0, None, "an interval needs at least two labels")
    with pytest.raises(ValueError, match="cannot have 3 labels for 2"):
        stratum(2, [1, 1, 1])
    with pytest.raises(ValueError, match="variance of -1"):
        Stratum(5, 3, 1.0, -1.0, 5, 3.0)
    with pytest.raises(ValueError, match="need as many scores"):
        strata_by_level(np.ones(5), np.ones(2), np.ones(3))


groups = st.lists(
    st.lists(st.integers(1, 5), max_size=12).flatmap(
        lambda labels: st.tuples(st.just(labels), st.integers(len(labels), 60))
    ),
    min_size=1,
    max_size=6,
)


@given(groups)
def test_the_estimate_lies_among_the_labels_and_inside_its_interval(
    found: list[tuple[list[int], int]],
) -> None:
    strata = [stratum(judged, labels) for labels, judged in found]
    labels = [x for some, _ in found for x in some]
    estimate = stratified_mean(strata)
    if not labels:
        assert estimate.value is None
        return
    assert estimate.value is not None
    assert min(labels) - 1e-9 <= estimate.value <= max(labels) + 1e-9
    assert (estimate.low is None) == (len(labels) < 2)
    if estimate.low is not None and estimate.high is not None:
        assert estimate.low <= estimate.value <= estimate.high
        narrow = stratified_mean(strata, target="run")
        assert narrow.low is not None
        assert estimate.low <= narrow.low + 1e-12
    kept = merged([one for one in strata if one.judged])
    assert sum(one.judged for one in kept) == sum(judged for _, judged in found)
    assert sum(one.n for one in kept) == len(labels)
    assert len(kept) == 1 or all(one.is_enough for one in kept)


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=8), min_size=1, max_size=5))
def test_everything_labelled_leaves_no_width_for_the_run(levels: list[list[int]]) -> None:
    every = [x for level in levels for x in level]
    if len(every) < 2:
        return
    found = stratified_mean([stratum(len(x), x) for x in levels], target="run")
    assert found.value == pytest.approx(sum(every) / len(every))
    assert found.low == pytest.approx(found.value)
    assert found.high == pytest.approx(found.value)
