import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.calibration import (
    ALIKE,
    NO_REPEAT,
    ONE_ITEM,
    ceiling,
    flip_rate,
    repeatability,
)


def test_the_flip_rate_example() -> None:
    five = ["ppp", "fff", "ppp", "ppf", "pff"]
    found = flip_rate(five)
    assert found.rate == pytest.approx(0.2667, abs=5e-5)
    assert (found.items, found.repeats) == (5, 15)
    assert flip_rate([[1], [], [2]]).reason == NO_REPEAT
    assert flip_rate([[1], [1, 2]]).rate == 1
    assert flip_rate([[3, 3, 3]]).rate == 0


def test_the_ceiling_example() -> None:
    assert ceiling(0.85, 0.80) == pytest.approx(0.825, abs=5e-4)
    assert ceiling(None, 0.8) is None
    assert ceiling(0.8, -0.1) is None
    with pytest.raises(ValueError, match="at most 1"):
        ceiling(1.2, 0.5)


def test_shrout_and_fleiss() -> None:
    # the published table of six targets and four raters: ICC(1,1) = .17
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = repeatability(table)
    assert found.icc == pytest.approx(0.166, abs=5e-4)
    assert found.within_sd == pytest.approx(math.sqrt(6.26), abs=1e-3)
    assert (found.items, found.repeats) == (6, 24)


def test_reasons() -> None:
    assert repeatability([[1], [2]]).reason == NO_REPEAT
    one = repeatability([[1, 3], [5]])
    assert (one.icc, one.reason) == (None, ONE_ITEM)
    assert one.within_sd == pytest.approx(math.sqrt(2))
    alike = repeatability([[2, 2], [2, 2, 2]])
    assert (alike.icc, alike.within_sd, alike.reason) == (None, 0, ALIKE)
    assert repeatability([[1, 1], [2, 2]]).icc == 1


repeats = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=5), min_size=2, max_size=8)


@given(repeats)
def test_equal_to_the_analysis_of_variance(groups: list[list[int]]) -> None:
    used = [group for group in groups if len(group) > 1]
    found = repeatability([[float(x) for x in group] for group in groups])
    if found.icc is None or len(used) < 2:
        assert found.reason
        return
    values = np.array([x for group in used for x in group], dtype=np.float64)
    item = np.repeat(np.arange(len(used)), [len(group) for group in used])
    dummies = (item[:, None] == np.arange(len(used))).astype(np.float64)
    fit = sm.OLS(values, dummies).fit()
    within = fit.ssr / (len(values) - len(used))
    between = (((values - values.mean()) ** 2).sum() - fit.ssr) / (len(used) - 1)
    sizes = np.bincount(item)
    size = (len(values) - (sizes**2).sum() / len(values)) / (len(used) - 1)
    assert found.icc == pytest.approx((between - within) / (between + (size - 1) * within))
    assert found.within_sd == pytest.approx(math.sqrt(within), abs=1e-7)
    assert found.icc <= 1 + 1e-12


@given(repeats)
def test_the_flip_rate_is_the_share_of_unequal_pairs(groups: list[list[int]]) -> None:
    found = flip_rate(groups)
    shares = [
        np.mean([a != b for i, a in enumerate(group) for j, b in enumerate(group) if i != j])
        for group in groups
        if len(group) > 1
    ]
    if not shares:
        assert found.rate is None
        return
    assert found.rate is not None
    assert found.rate == pytest.approx(float(np.mean(shares)))
    assert 0 <= found.rate <= 1
