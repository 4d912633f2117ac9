"""The one test of a difference, and the level that several of them share."""

import numpy as np
import pytest

from reviewer.domain.rubric import Metric
from reviewer.services.figures.paired_scores import (
    ALONE,
    at_one_level,
    each_of,
    score_shift,
    together,
    word,
)
from reviewer.stats.paired import paired_shift
from reviewer.stats.paired_shares import changed_verdicts

FIVE = Metric(name="a", scale="range", min=1, max=5)
YES = Metric(name="b", scale="binary")


def test_the_level_is_said_beside_it() -> None:
    assert ALONE.words == "95 %"
    three = [0.001, 0.002, 0.02, 0.5, 0.6, 0.9]
    assert together(three).words == "95 % over 6 figures: each at 97.5 %"
    assert together([0.2, None, 0.9]).words == "95 % over 2 figures: each at 97.5 %"
    assert together([0.5] * 3).words == "95 % over 3 figures: each at 98.3 %"
    assert together([0.5] * 60).words == "95 % over 60 figures: each at 99.92 %"
    assert together([0.001]).words == "95 %"
    assert (each_of(2).each, each_of(1).each, each_of(0).each) == (0.975, 0.95, 0.95)


def test_yes_and_no_are_compared_as_rates() -> None:
    rng = np.random.default_rng(1)
    before, after = (rng.random(60) < share for share in (0.5, 0.7))
    found = score_shift(YES, before.astype(np.float64), after.astype(np.float64))
    rates = changed_verdicts(before, after)
    assert (found.difference, found.low, found.high, found.p) == (
        rates.difference, rates.low, rates.high, rates.mid,
    )  # fmt: skip
    assert found.test == "McNemar mid-p"
    # values between yes and no are means
    one, other = before.astype(np.float64), after.astype(np.float64)
    between = score_shift(YES, one * 0.5, other * 0.5)
    assert between.test == "paired t"
    assert score_shift(FIVE, one * 4, other * 4).test == "paired t"


def test_what_rounding_leaves_is_no_difference() -> None:
    found = score_shift(None, np.full(12, 0.3), np.full(12, 0.1 + 0.2))
    assert (found.difference, found.p, found.sign) == (0, 1, 0)


@pytest.mark.parametrize("conversations", [False, True])
def test_two_equal_runs_are_called_better_or_worse_one_time_in_twenty(
    conversations: bool,
) -> None:
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(30), 4) if conversations else None
    alarms = naive = 0
    repeats = 400
    for _ in range(repeats):
        # each run treats a conversation in its own way
        shared = rng.normal(0, 0.6, (2, 6, 30)).repeat(4, axis=2) if conversations else 0
        scores = np.clip(np.rint(3.5 + shared + rng.normal(0, 1, (2, 6, 120))), 1, 5)
        shifts = {
            str(at): score_shift(FIVE, scores[0, at], scores[1, at], codes) for at in range(6)
        }
        told, _ = at_one_level(shifts)
        alarms += any(word(x.sign, x.n) for x in told.values())
        alone = [score_shift(FIVE, scores[0, at], scores[1, at]) for at in range(6)]
        naive += any(word(x.sign, x.n) for x in alone)
    assert alarms <= 0.075 * repeats
    assert naive >= 0.18 * repeats


def test_intervals_of_one_level_agree_with_their_words() -> None:
    rng = np.random.default_rng(6)
    for _ in range(100):
        shifts = {str(at): paired_shift(rng.normal(0.2 * at, 1, 40)) for at in range(5)}
        told, held = at_one_level(shifts)
        assert {x.level for x in told.values()} == {held.each}
        for one in told.values():
            assert one.low is not None
            assert one.high is not None
            assert (one.low > 0 or one.high < 0) == (one.sign != 0)
