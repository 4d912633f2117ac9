import math

import numpy as np
import pytest
from scipy import stats as sp
from statsmodels.regression.linear_model import OLS

from reviewer.stats.drift import NO_ANCHOR, Measured, headline_change, measured, system_change
from reviewer.stats.paired import CONSTANT, paired_shift


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


def test_the_headline_of_conversations() -> None:
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(40), 3)
    values = rng.normal(0, 1, 40)[codes] + rng.normal(0, 0.3, 120)
    second = codes % 2 == 1
    both = codes[~second], codes[second]
    found = headline_change(values[~second], values[second], both)
    robust = OLS(values, np.column_stack([np.ones(120), second])).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    assert found is not None
    assert found.se == pytest.approx(robust.bse[1] * math.sqrt(40 / 39))
    assert found.freedom == 39
    plain = headline_change(values[~second], values[second])
    assert plain is not None
    assert found.se > 1.5 * plain.se
    one = np.zeros(60, dtype=np.int64)
    assert headline_change(values[:60], values[60:], (one, one)) is None


def test_the_system_is_told_by_one_test() -> None:
    rng = np.random.default_rng(6)
    shifts = rng.normal(0.1, 0.5, 40)
    found = system_change(Measured(0.4, 0.08, 398), shifts)
    assert found.p is not None
    assert found.low is not None
    assert found.high is not None
    for level in (0.5, 0.8, 0.95, 0.99, 0.999):
        at = found.at(level)
        assert at.low is not None
        assert at.high is not None
        assert (at.low > 0 or at.high < 0) == (found.p < 1 - level)
    # nothing varies anywhere: no width is claimed
    still = system_change(Measured(0.4, 0.0, 9), [0.1] * 10)
    assert still.system == pytest.approx(0.3)
    assert (still.low, still.high) == (None, None)
    assert still.reason == CONSTANT
    codes = np.repeat(np.arange(10), 4)
    together = rng.normal(0, 0.5, 10)[codes] + 0.01 * shifts
    whole = system_change(Measured(0.4, 0.08, 39), together, clusters=codes)
    alone = system_change(Measured(0.4, 0.08, 39), together)
    assert whole.rest is not None
    assert alone.rest is not None
    assert whole.rest.freedom < alone.rest.freedom
    assert whole.rest.se > 1.5 * alone.rest.se
    assert system_change(Measured(0.4, 0.1, 9), shifts, clusters=codes * 0).reason == NO_ANCHOR


def test_a_shift_as_a_headline() -> None:
    shift = paired_shift([0.1, 0.4, 0.2, 0.9])
    assert shift.difference is not None
    assert shift.se is not None
    assert measured(shift) == Measured(shift.difference, shift.se, 3)
    codes = np.array([0, 0, 1, 2])
    found = measured(paired_shift([0.1, 0.4, 0.2, 0.9], clusters=codes))
    assert found is not None
    assert found.freedom == 2
    assert measured(paired_shift([1.0])) is None
