"""Mean differences of the same items: one test and its interval, by conversation too."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp
from statsmodels.regression.linear_model import OLS

from reviewer.stats.clustering import ONE
from reviewer.stats.coefficients import OUT_OF_RANGE
from reviewer.stats.paired import (
    CONSTANT,
    ONE_PAIR,
    SAME,
    paired_shift,
    shift_of_verdicts,
    signed_ranks,
)
from reviewer.stats.paired_shares import NO_PAIR, mcnemar

numbers = st.lists(st.integers(-8, 8).map(lambda x: x / 2), min_size=2, max_size=60)


@given(numbers)
def test_the_paired_t_test(differences: list[float]) -> None:
    found = paired_shift(differences)
    if len(set(differences)) == 1:
        # no width is claimed, and the test is whether all go one way by chance
        assert (found.low, found.high, found.reason) == (None, None, CONSTANT)
        chance = sp.binomtest(len(differences), len(differences)).pvalue
        assert found.p == pytest.approx(chance if differences[0] else 1.0)
        assert found.test == "signs"
        return
    oracle = sp.ttest_1samp(differences, 0)
    ends = oracle.confidence_interval()
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))


def test_few_items() -> None:
    assert paired_shift([]).reason == NO_PAIR
    one = paired_shift([2.0])
    assert (one.difference, one.low, one.reason) == (2.0, None, ONE_PAIR)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=12))
def test_signed_ranks_are_counted_out(differences: list[int]) -> None:
    found = signed_ranks([float(x) for x in differences])
    changed = np.array([x for x in differences if x], dtype=np.float64)
    if not len(changed):
        assert (found.p, found.reason) == (None, SAME)
        return
    ranks = sp.rankdata(np.abs(changed))
    rises = ranks[changed > 0].sum()
    assert found.statistic == pytest.approx(rises)
    signs = (np.arange(2 ** len(changed))[:, None] >> np.arange(len(changed))) & 1
    every = signs @ ranks
    middle = ranks.sum() / 2
    assert found.p == pytest.approx(np.mean(np.abs(every - middle) >= abs(rises - middle) - 1e-9))


def test_signed_ranks_against_scipy() -> None:
    rng = np.random.default_rng(3)
    for size in (20, 50):
        few = rng.normal(0.3, 1, size)
        assert signed_ranks(few).p == pytest.approx(sp.wilcoxon(few, method="exact").pvalue)
    many = np.rint(rng.normal(0.2, 2, 300))
    found = signed_ranks(many)
    assert not found.exact
    oracle = sp.wilcoxon(many, method="asymptotic", correction=False).pvalue
    assert found.p == pytest.approx(oracle, rel=1e-6)


clustered = st.lists(
    st.tuples(st.integers(-8, 8).map(lambda x: x / 2), st.integers(0, 9)), min_size=2, max_size=60
)


@given(clustered)
def test_conversations_are_what_is_counted(rows: list[tuple[float, int]]) -> None:
    differences = np.array([x for x, _ in rows])
    codes = np.array([x for _, x in rows], dtype=np.int64)
    groups, n = len(set(codes.tolist())), len(rows)
    found, alone = paired_shift(differences, clusters=codes), paired_shift(differences)
    if groups == n:
        assert found == alone
        return
    assert found.conversations == groups
    if groups == 1:
        assert (found.low, found.p, found.reason) == (None, None, ONE)
        return
    if np.ptp(differences) == 0:
        assert found.p == (2 ** (1 - groups) if differences[0] else 1)
        return
    robust = OLS(differences, np.ones(n)).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    se = max(float(robust.bse[0]) * math.sqrt(groups / (groups - 1)), alone.se or 0.0)
    assert found.se == pytest.approx(se, rel=1e-6)
    mean = differences.mean()
    assert found.p == pytest.approx(2 * sp.t.sf(abs(mean / se), groups - 1), rel=1e-6, abs=1e-12)
    half = sp.t.ppf(0.975, groups - 1) * se
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half), rel=1e-6, abs=1e-9)


@given(clustered, st.booleans(), st.floats(0.5, 0.9999))
def test_test_interval_and_word_of_a_mean_never_disagree(
    rows: list[tuple[float, int]], together: bool, level: float
) -> None:
    codes = np.array([x for _, x in rows], dtype=np.int64) if together else None
    found = paired_shift([x for x, _ in rows], level, codes)
    assert found == paired_shift([x for x, _ in rows], 0.8, codes).at(level)
    apart = found.p is not None and found.p < 1 - level and found.difference != 0
    assert (found.sign != 0) == apart
    if found.low is None or found.high is None:
        return
    assert (found.low > 0) == (found.sign > 0)
    assert (found.high < 0) == (found.sign < 0)
    assert found.difference is not None
    assert found.low <= found.difference <= found.high
    assert found.low < found.high


def test_thirty_differences_of_nothing_claim_no_certainty() -> None:
    still = paired_shift([0.0] * 30)
    assert (still.difference, still.low, still.high, still.p) == (0, None, None, 1)
    assert still.sign == 0
    fell = paired_shift([-1.0] * 10)
    assert (fell.low, fell.high, fell.sign) == (None, None, -1)
    assert fell.p == 2**-9
    assert paired_shift([-1.0] * 5).sign == 0
    # ten turns of three conversations say what three say
    together = paired_shift([-1.0] * 10, clusters=np.array([0] * 4 + [1] * 3 + [2] * 3))
    assert (together.p, together.sign) == (0.25, 0)
    # what rounding leaves of equal differences is no spread
    rounded = paired_shift([4.2 - 4.1, 3.2 - 3.1, 2.2 - 2.1])
    assert (rounded.reason, rounded.low) == (CONSTANT, None)


def test_rates_in_the_form_of_means() -> None:
    verdicts = mcnemar(40, lost=2, gained=11)
    found = shift_of_verdicts(verdicts)
    assert (found.difference, found.low, found.p) == (9 / 40, verdicts.low, verdicts.mid)
    assert (found.sign, found.test) == (1, "McNemar mid-p")
    wide = found.at(0.999)
    assert (wide.low, wide.high, wide.sign) == (*_ends(verdicts.at(0.999)), 0)


def _ends(found: object) -> tuple[float, float]:
    return found.low, found.high  # type: ignore[attr-defined]


def test_values_beyond_what_can_be_computed_have_a_reason() -> None:
    for size in (1e200, 1e-200):
        found = paired_shift([size, -size, 0.0])
        assert (found.difference, found.low, found.reason) == (None, None, OUT_OF_RANGE)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6])
def test_turns_of_conversations_are_covered(correlation: float) -> None:
    rng = np.random.default_rng(12)
    codes = np.repeat(np.arange(30), 5)
    hits = naive = 0
    for _ in range(400):
        shared = rng.normal(0, math.sqrt(correlation), 30)[codes]
        steps = shared + rng.normal(0, math.sqrt(1 - correlation), 150)
        found, alone = paired_shift(steps, clusters=codes), paired_shift(steps)
        hits += found.sign == 0
        naive += alone.sign == 0
    assert hits >= 0.93 * 400
    if correlation:
        assert naive < 0.9 * 400
