import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from reviewer.stats.drift import (
    CONSTANT,
    NO_ANCHOR,
    NO_PAIR,
    ONE_PAIR,
    SAME,
    Measured,
    bootstrapped_shift,
    headline_change,
    mcnemar,
    paired_shift,
    signed_ranks,
    system_change,
)
from reviewer.stats.intervals import IntervalPolicy


def test_the_mcnemar_example() -> None:
    found = mcnemar(200, lost=4, gained=12)
    assert (found.exact, found.mid) == pytest.approx((0.077, 0.049), abs=5e-4)
    assert found.difference == pytest.approx(0.04)
    assert (found.low, found.high) == pytest.approx((0.0, 0.079), abs=5e-4)
    assert found.low is not None
    assert found.low < 0
    # judge twice the other way round: the same with other signs
    other = mcnemar(200, lost=12, gained=4)
    assert (other.exact, other.mid) == (found.exact, found.mid)
    assert other.high == -found.low


def test_verdicts_that_never_change() -> None:
    same = mcnemar(50, lost=0, gained=0)
    assert (same.exact, same.mid, same.difference) == (1, 1, 0)
    assert same.low is not None
    assert same.high is not None
    assert same.low < 0 < same.high
    nothing = mcnemar(0, lost=0, gained=0)
    assert (nothing.exact, nothing.difference, nothing.reason) == (None, None, NO_PAIR)
    for n, lost, gained in ((5, 3, 3), (5, -1, 0), (-1, 0, 0)):
        with pytest.raises(ValueError, match="cannot be lost"):
            mcnemar(n, lost=lost, gained=gained)


@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 1000))
def test_p_values_equal_the_usual_libraries(lost: int, gained: int, same: int) -> None:
    n = lost + gained + same
    found = mcnemar(n, lost=lost, gained=gained)
    if not n:
        return
    assert found.exact is not None
    assert found.mid is not None
    oracle = statsmodels_mcnemar([[same, lost], [gained, 0]], exact=True).pvalue
    assert found.exact == pytest.approx(min(oracle, 1.0), rel=1e-9)
    few, changed = min(lost, gained), lost + gained
    mid = 2 * sp.binom.cdf(few, changed, 0.5) - sp.binom.pmf(few, changed, 0.5)
    assert found.mid == pytest.approx(1.0 if lost == gained else mid, rel=1e-9)
    assert found.mid <= found.exact * (1 + 1e-12)
    assert found.low is not None
    assert found.high is not None
    assert found.difference is not None
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert found.high > found.low


numbers = st.lists(st.integers(-8, 8).map(lambda x: x / 2), min_size=2, max_size=60)


@given(numbers)
def test_the_paired_t_test(differences: list[float]) -> None:
    found = paired_shift(differences)
    if len(set(differences)) == 1:
        assert (found.p, found.reason) == (None, CONSTANT)
        assert found.low == found.high == found.difference
        return
    oracle = sp.ttest_1samp(differences, 0)
    ends = oracle.confidence_interval()
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))


def test_few_items() -> None:
    assert paired_shift([]).reason == NO_PAIR
    one = paired_shift([2.0])
    assert (one.difference, one.low, one.reason) == (2.0, None, ONE_PAIR)


def test_resampled_items() -> None:
    policy = IntervalPolicy()
    found = bootstrapped_shift({0.0: 60, 1.0: 30, -1.0: 10}, policy)
    plain = paired_shift([0.0] * 60 + [1.0] * 30 + [-1.0] * 10)
    assert (found.n, found.difference, found.method, found.p) == (100, 0.2, "bootstrap", None)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.02)
    assert bootstrapped_shift({0.0: 60, 1.0: 30, -1.0: 10}, policy) == found
    assert bootstrapped_shift({1.0: 1}, policy).reason == ONE_PAIR


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


def test_the_judge_is_taken_off_the_headline() -> None:
    # 40 unchanged answers moved by .30 with a spread that gives ± .19
    rng = np.random.default_rng(1)
    shifts = rng.normal(0, 1, 40)
    shifts = 0.30 + (shifts - shifts.mean()) / shifts.std(ddof=1) * 0.594
    found = system_change(Measured(0.40, 0.08, 398), shifts)
    assert found.judge == pytest.approx(0.30)
    assert found.judge_high is not None
    assert found.judge_high - 0.30 == pytest.approx(0.19, abs=5e-3)
    assert found.system == pytest.approx(0.10)
    assert found.high is not None
    assert found.low is not None
    half = (found.high - found.low) / 2
    assert half == pytest.approx(
        sp.t.ppf(0.975, 60) * math.sqrt(0.08**2 + 0.594**2 / 40), rel=0.02
    )
    missing = system_change(Measured(0.4, 0.1, 10), [0.1])
    assert (missing.headline, missing.system, missing.reason) == (0.4, None, NO_ANCHOR)


def test_the_headline_is_welchs() -> None:
    rng = np.random.default_rng(2)
    old, new = rng.normal(3, 1, 60), rng.normal(3.4, 0.6, 45)
    found = headline_change(old, new)
    assert found is not None
    oracle = sp.ttest_ind(new, old, equal_var=False)
    assert found.value / found.se == pytest.approx(oracle.statistic)
    assert found.freedom == pytest.approx(oracle.df)
    assert headline_change([1.0], [1.0, 2.0]) is None
    still = headline_change([1.0, 1.0], [2.0, 2.0])
    assert still == Measured(1.0, 0.0, 1)
