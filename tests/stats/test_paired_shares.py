"""Two pass rates of the same items: mid-p and the interval that inverts it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special
from scipy import stats as sp
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from reviewer.stats.clustering import ONE
from reviewer.stats.paired_shares import NO_PAIR, Changes, changed_verdicts, mcnemar, mid_p


def test_the_mcnemar_example() -> None:
    found = mcnemar(200, lost=4, gained=12)
    assert (found.exact, found.mid) == pytest.approx((0.077, 0.049), abs=5e-4)
    assert found.difference == pytest.approx(0.04)
    # mid-p says that 0 is too far off, and so does the interval
    assert (found.low, found.high) == pytest.approx((0.0002, 0.0834), abs=5e-5)
    assert found.low is not None
    assert found.low > 0
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


def inverted(n: float, lost: float, gained: float, reach: float) -> tuple[float, float]:
    """Both ends by trying every share of gained among the changed on a fine grid."""
    way = np.linspace(-1, 1, 40_001)
    share = (1 + way) / 2
    # beta tails, which for whole counts are sums of binomial probabilities
    more = special.betainc(gained + 1, lost, share) if lost else 0 * share
    least = special.betainc(gained, lost + 1, share) if gained else 0 * share + 1
    off = special.ndtri(np.clip((more + least) / 2, 1e-300, 1 - 1e-16))
    there = np.abs(off) <= reach
    way, rest = way[there], np.sqrt(np.maximum(reach**2 - off[there] ** 2, 0))
    changed = (lost + gained) / n
    middle = (changed + rest**2 / (2 * n)) / (1 + rest**2 / n)
    half = rest * np.sqrt(changed * (1 - changed) / n + rest**2 / (4 * n * n)) / (1 + rest**2 / n)
    least_way = np.where(way < 0, way * (middle + half), way * np.maximum(middle - half, 0))
    most_way = np.where(way > 0, way * (middle + half), way * np.maximum(middle - half, 0))
    return float(least_way.min()), float(most_way.max())


tables = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 60)).filter(any)


@given(tables, st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999]))
@settings(max_examples=60)
def test_the_interval_is_the_test_inverted(table: tuple[int, int, int], level: float) -> None:
    lost, gained, _ = table
    n, reach = sum(table), sp.norm.ppf(0.5 + level / 2)
    found = mcnemar(n, lost=lost, gained=gained, level=level)
    if not lost + gained:
        # nothing changed: as far as Wilson's end for none of n
        end = reach**2 / (n + reach**2)
        assert (found.low, found.high) == pytest.approx((-end, end))
        return
    low, high = inverted(n, lost, gained, reach)
    middle = (gained - lost) / n
    assert found.low == pytest.approx(min(low, middle), abs=1e-4)
    assert found.high == pytest.approx(max(high, middle), abs=1e-4)


@given(tables, st.floats(0.5, 0.9999))
def test_test_interval_and_word_of_a_rate_never_disagree(
    table: tuple[int, int, int], level: float
) -> None:
    lost, gained, _ = table
    found = mcnemar(sum(table), lost=lost, gained=gained, level=level)
    assert found.low is not None
    assert found.high is not None
    assert found.mid is not None
    assert (found.low > 0 or found.high < 0) == (found.mid < 1 - level)
    assert (found.sign != 0) == (found.mid < 1 - level)
    assert (found.low > 0) == (found.sign > 0)
    turned = mcnemar(sum(table), lost=gained, gained=lost, level=level)
    assert turned.low == pytest.approx(-found.high, abs=1e-12)


def test_every_small_table_says_one_thing() -> None:
    # the interval after Agresti and Min and the exact test were at odds in 35 of 467 such tables
    for n in (10, 20, 30, 50):
        for lost in range(9):
            for gained in range(9 - lost):
                found = mcnemar(n, lost=lost, gained=gained)
                oracle = 2 * sp.binom.cdf(min(lost, gained), lost + gained, 0.5) - sp.binom.pmf(
                    min(lost, gained), lost + gained, 0.5
                )
                apart = lost != gained and oracle < 0.05
                assert found.low is not None
                assert found.high is not None
                assert (found.low > 0 or found.high < 0) == apart


def test_rates_of_independent_cases_are_covered() -> None:
    rng = np.random.default_rng(13)
    for n in (20, 60):
        for lost, gained in ((0.05, 0.05), (0.2, 0.2), (0.02, 0.12), (0.1, 0.4)):
            drawn = rng.multinomial(n, [lost, gained, 1 - lost - gained], size=500)
            ends = [mcnemar(n, lost=int(a), gained=int(b)) for a, b, _ in drawn]
            hits = sum((x.low or 0) <= gained - lost <= (x.high or 0) for x in ends)
            assert hits >= 0.93 * 500


verdicts = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 9)), max_size=60)


@given(verdicts, st.floats(0.5, 0.9999))
def test_conversations_say_one_thing_too(rows: list[tuple[bool, bool, int]], level: float) -> None:
    before, after = (np.array([row[at] for row in rows], dtype=np.bool_) for at in (0, 1))
    codes = np.array([row[2] for row in rows], dtype=np.int64)
    found = changed_verdicts(before, after, codes, level)
    groups, n = len(set(codes.tolist())), len(rows)
    if groups == n:
        assert found == changed_verdicts(before, after, level=level)
        return
    if groups == 1:
        assert (found.mid, found.low, found.reason) == (None, None, ONE)
        return
    assert found.changes is not None
    assert found.mid is not None
    assert found.low is not None
    assert found.high is not None
    assert found.exact is None
    assert (found.low > 0) == (found.sign > 0)
    assert (found.high < 0) == (found.sign < 0)
    assert (found.sign != 0) == (found.mid < 1 - level and found.difference != 0)
    assert -1 <= found.low <= found.high <= 1
    # the design effect by hand
    steps = after.astype(float) - before
    plain = steps.var(ddof=1) / n
    sums = np.bincount(np.unique(codes, return_inverse=True)[1], steps - steps.mean())
    effect = n / groups
    if np.ptp(steps):
        effect = max(groups / (groups - 1) * (sums**2).sum() / n**2 / plain, 1)
    assert found.changes.n == pytest.approx(n / effect)
    mid = mid_p(found.lost / effect, found.gained / effect)
    p = 2 * sp.t.sf(-sp.norm.ppf(mid / 2), groups - 1)
    assert found.mid == pytest.approx(p, rel=1e-6)


def test_counts_need_not_be_whole() -> None:
    for lost, gained in ((2.5, 7.25), (0.0, 3.5), (40.1, 61.7)):
        few, many = min(lost, gained), max(lost, gained)
        least = special.betainc(many, few + 1, 0.5)
        more = special.betainc(many + 1, few, 0.5) if few else 0.0
        assert mid_p(lost, gained) == pytest.approx(least + more, rel=1e-9)
        low, high = Changes(200.0, lost, gained).ends(0.95)
        assert (low, high) == pytest.approx(
            inverted(200.0, lost, gained, sp.norm.ppf(0.975)), abs=1e-4
        )


def test_far_tails_stay_numbers() -> None:
    found = mcnemar(10_000, lost=0, gained=9_000, level=0.9999)
    assert found.mid == 0
    assert found.low is not None
    assert 0 < found.low < 0.9
    two = Changes(10.0, 0.0, 9.0, 2).ends(0.9999)
    assert two[0] == -1.0
    assert two[1] == pytest.approx(1.0)
    assert math.isfinite(Changes(1e6, 0.0, 1e6, 2).p_value())


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6])
def test_verdicts_of_conversations_are_covered(correlation: float) -> None:
    rng = np.random.default_rng(14)
    codes = np.repeat(np.arange(30), 5)
    hits = naive = 0
    for _ in range(300):
        # each turn takes its conversation's verdicts or its own: pairs 10, 01, 11, 00
        own, shared = rng.choice(4, 150, p=CHANCES), rng.choice(4, 30, p=CHANCES)[codes]
        kind = np.where(rng.random(150) < math.sqrt(correlation), shared, own)
        before, after = (kind == 0) | (kind == 2), (kind == 1) | (kind == 2)
        hits += changed_verdicts(before, after, codes).sign == 0
        naive += changed_verdicts(before, after).sign == 0
    assert hits >= 0.93 * 300
    if correlation:
        assert naive < 0.92 * 300


CHANCES = (0.15, 0.15, 0.5, 0.2)
