import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.coefficients import Floats, moments
from reviewer.stats.estimate import VerdictCounts, corrected_pass_rate, ppi
from reviewer.stats.intervals import wilson
from reviewer.stats.strata import (
    UNFINISHED,
    Drawn,
    drawn_mean,
    drawn_pass_rate,
    pooled_probabilities,
)


def population(size: int = 2000, seed: int = 5) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    auto = rng.integers(1, 6, size).astype(np.float64)
    human = np.clip(auto - (auto >= 4) + rng.integers(-1, 2, size), 1.0, 5.0)
    return auto, human


def test_the_formula() -> None:
    auto = np.array([3.0, 4.0, 2.0, 5.0])
    drawn = Drawn(np.array([2.0, 5.0]), np.array([0.5, 0.5]), auto[[0, 3]])
    found = drawn_mean(drawn, auto, n_all=4)
    # mean of all scores plus a quarter of ((2 - 3) / 0.5 + (5 - 5) / 0.5)
    assert found.value == pytest.approx(3.5 - 2 / 4)
    assert (found.method, found.weight, found.n) == ("ppi", 1.0, 2)


def test_equal_probabilities_give_the_adjusted_mean() -> None:
    auto, human = population()
    some = slice(0, 100)
    drawn = Drawn(human[some], np.full(100, 0.05), auto[some])
    plain = ppi(moments(auto[some], human[some]), 2000, float(auto.mean()), weight=1.0)
    found = drawn_mean(drawn, auto, n_all=2000)
    assert found.value == pytest.approx(plain.value)
    assert found.low is not None
    assert found.high is not None
    assert plain.low is not None
    assert plain.high is not None
    # the number of labels counts as drawn, so it is a little wider
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.1)


def test_unequal_probabilities_are_undone() -> None:
    auto, human = population()
    probability = np.where(auto >= 4, 0.3, 0.03)
    hits, misses, raw = 0, 0.0, 0.0
    for seed in range(200):
        chosen = np.random.default_rng(seed).random(2000) < probability
        drawn = Drawn(human[chosen], probability[chosen], auto[chosen])
        found = drawn_mean(drawn, auto, n_all=2000, target="run")
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        misses += found.value - float(human.mean())
        raw += float(human[chosen].mean() - human.mean())
        hits += found.low <= human.mean() <= found.high
    assert abs(misses / 200) < 0.02
    assert abs(raw / 200) > 0.4
    assert hits >= 180


def test_a_queue_left_half_way_is_used_in_proportion() -> None:
    auto, human = population()
    half = slice(0, 50)
    drawn = Drawn(human[half], np.full(50, 0.05), auto[half])
    found = drawn_mean(drawn, auto, n_all=2000)
    assert found.note == UNFINISHED
    assert found.value == pytest.approx(auto.mean() + (human[half] - auto[half]).mean())
    # probabilities that are wrong by a factor change nothing either
    scaled = drawn_mean(Drawn(human[half], np.full(50, 0.005), auto[half]), auto, n_all=2000)
    assert (scaled.value, scaled.low) == pytest.approx((found.value, found.low))


def test_labels_alone_where_nothing_was_judged() -> None:
    drawn = Drawn(np.array([1.0, 5.0, 5.0]), np.array([0.1, 0.4, 0.4]))
    found = drawn_mean(drawn, None, n_all=15)
    assert (found.method, found.weight) == ("human_only", None)
    assert found.value == pytest.approx((10 * 1 + 2.5 * 10) / 15)
    one = drawn_mean(Drawn(np.array([4.0]), np.array([0.1])), None, n_all=10)
    assert (one.value, one.low) == (4.0, None)
    assert one.reason == "an interval needs at least two labels"
    assert drawn_mean(Drawn(np.zeros(0), np.zeros(0)), None, n_all=10).method == "none"


def test_several_ways_of_drawing_share_the_weight() -> None:
    ways = np.array([1, 1, 3, 3, 3], dtype=np.int8)
    own = np.array([np.nan, np.nan, 0.1, 0.2, 0.4])
    pooled = pooled_probabilities(ways, own, 100)
    # random: 2 of 100, worth 2 of 5 labels; drawn ones are worth 3 of 5
    assert pooled == pytest.approx([0.05, 0.05, 0.5 / 3, 1 / 3, 2 / 3])
    with pytest.raises(ValueError, match="above 0 and up to 1"):
        pooled_probabilities(ways, np.array([0.0] * 5), 100)
    with pytest.raises(ValueError, match="5 labels of 3"):
        pooled_probabilities(ways, own, 3)
    with pytest.raises(ValueError, match="above 0"):
        Drawn(np.ones(2), np.array([0.1, 0.0]))
    with pytest.raises(ValueError, match="3 labels cannot come from 2"):
        drawn_mean(Drawn(np.ones(3), np.ones(3)), None, n_all=2)


def test_pass_rates_from_drawn_labels() -> None:
    judge = np.array([1.0] * 88 + [0.0] * 12)
    human = np.array([1.0] * 82 + [0.0] * 6 + [1.0] * 3 + [0.0] * 9)
    plain = corrected_pass_rate(
        VerdictCounts(
            both_pass=82,
            judge_pass_only=6,
            human_pass_only=3,
            both_fail=9,
            judged_pass=850,
            judged=1000,
        )
    )
    found = drawn_pass_rate(Drawn(human, np.full(100, 0.1), judge), judged_pass=850, judged=1000)
    assert (found.value, found.low, found.high) == pytest.approx(
        (plain.value, plain.low, plain.high)
    )
    # within a verdict, labels that were less likely count more
    rarely = np.where((judge == 1) & (human == 0), 0.05, 0.1)
    lower = drawn_pass_rate(Drawn(human, rarely, judge), judged_pass=850, judged=1000)
    assert lower.value == pytest.approx(0.85 * 820 / (820 + 120) + 0.15 * 0.25)
    missing = drawn_pass_rate(
        Drawn(human[:50], np.full(50, 0.1), judge[:50]), judged_pass=850, judged=1000
    )
    assert missing.reason == "needs a label among judge-fails"
    alone = drawn_pass_rate(Drawn(human, np.full(100, 0.1)), judged_pass=0, judged=0)
    wilson_ends = wilson(85, 100)
    assert wilson_ends is not None
    assert (alone.method, alone.n) == ("human_only", 100)
    assert alone.value == pytest.approx(0.85)
    assert (alone.low, alone.high) == pytest.approx((wilson_ends.low, wilson_ends.high))


@given(st.data())
def test_everything_drawn_for_sure_leaves_no_width_for_the_run(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 30))
    scores = st.lists(st.integers(1, 5).map(float), min_size=n, max_size=n)
    auto, human = np.array(data.draw(scores)), np.array(data.draw(scores))
    found = drawn_mean(Drawn(human, np.ones(n), auto), auto, n_all=n, target="run")
    assert found.value == pytest.approx(human.mean())
    assert found.low == pytest.approx(found.value)
    assert found.high == pytest.approx(found.value)
