"""Rely, do not rely, cannot be said: by the intervals of three figures and their limits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reviewer.stats.intervals import wilson
from reviewer.stats.limits import Limits
from reviewer.stats.trust import Finding, State, Trust, around_same, simultaneous

LIMITS = Limits()
INSIDE = {
    "caught": Finding("caught", 0.8, 0.95, 0.85, 0.98, n=60),
    "reach": Finding("reach", 0.8, 0.97, 0.8, 1.1, n=60),
    "gap": Finding("gap", 0.25, -0.02, -0.25, 0.2, n=90),
}
OUTSIDE = {
    "caught": Finding("caught", 0.8, 0.4, 0.26, 0.55, n=38),
    "reach": Finding("reach", 0.8, 0.5, 0.2, 0.79, n=60),
    "gap": Finding("gap", 0.25, -0.63, -0.86, -0.4, n=52),
}
OPEN = {
    "caught": Finding("caught", 0.8, 0.85, 0.7, 0.93, n=40),
    "reach": Finding("reach", 0.8, 0.9, 0.7, 1.2, n=30),
    "gap": Finding("gap", 0.25, 0.3, 0.1, 0.5, n=30),
}
ABSENT = Finding("reach", 0.8, exists=False, why="one labeler")


def state(caught: Finding, reach: Finding, gap: Finding) -> State:
    return Trust((caught, reach, gap)).state


def test_rely_needs_every_interval_inside() -> None:
    assert state(*INSIDE.values()) == "rely"
    for name, one in OPEN.items():
        assert state(**(INSIDE | {name: one})) == "cannot_be_said", name


def test_one_interval_outside_is_enough() -> None:
    for name, one in OUTSIDE.items():
        assert state(**(INSIDE | {name: one})) == "do_not_rely", name
        assert state(**(OPEN | {name: one})) == "do_not_rely", name


def test_what_cannot_exist_is_left_out_and_nothing_at_all_says_nothing() -> None:
    assert state(**(INSIDE | {"reach": ABSENT})) == "rely"
    assert state(**(OPEN | {"reach": ABSENT})) == "cannot_be_said"
    none = [Finding(name, 0.8, exists=False) for name in ("caught", "reach", "gap")]
    assert Trust(tuple(none)).state == "cannot_be_said"
    assert Trust().state == "cannot_be_said"


@pytest.mark.parametrize(
    ("found", "place"),
    [
        (Finding("caught", 0.8, 0.9, 0.8, 1.0), "inside"),
        (Finding("caught", 0.8, 0.9, 0.7999, 1.0), "open"),
        (Finding("caught", 0.8, 0.5, 0.3, 0.8), "open"),
        (Finding("caught", 0.8, 0.5, 0.3, 0.7999), "outside"),
        (Finding("gap", 0.25, 0.0, -0.25, 0.25), "inside"),
        (Finding("gap", 0.25, 0.4, 0.25, 0.55), "open"),
        (Finding("gap", 0.25, 0.4, 0.26, 0.55), "outside"),
        (Finding("gap", 0.25, -0.4, -0.55, -0.26), "outside"),
        (Finding("gap", 0.25, 0.3), "open"),
        (Finding("gap", 0.25, why="nothing labelled"), "open"),
        (Finding("caught", 0.8, 0.1 + 0.7, 0.1 + 0.7, 1.0), "inside"),
    ],
)
def test_an_interval_that_touches_its_limit(found: Finding, place: str) -> None:
    assert found.place == place


@given(
    n=st.integers(10, 400),
    share=st.floats(0, 1),
    level=st.sampled_from([0.95, simultaneous(0.95, 3), simultaneous(0.95, 8)]),
)
def test_so_many_more_fails_settle_the_share_and_one_fewer_does_not(
    n: int, share: float, level: float
) -> None:
    now = wilson(share * n, n, level)
    assert now is not None
    found = Finding("caught", 0.8, share, now.low, now.high, n=n)
    more = found.wanted(level)
    if more is None or math.isinf(more):
        return
    then = wilson(share * (n + more), n + more, level)
    assert then is not None
    assert not then.low < 0.8 - 1e-6 < 0.8 + 1e-6 < then.high
    if more > 1:
        before = wilson(share * (n + more - 1), n + more - 1, level)
        assert before is not None
        assert before.low <= 0.8 <= before.high


@given(value=st.floats(-1, 1), half=st.floats(0.01, 2), n=st.integers(10, 500))
def test_so_many_more_labels_bring_the_interval_to_one_side(
    value: float, half: float, n: int
) -> None:
    found = Finding("gap", 0.25, value, value - half, value + half, n=n)
    more = found.wanted(0.95)
    if more is None or math.isinf(more):
        return
    then = half * (n / (n + more)) ** 0.5 * (1 - 1e-9)
    # the end that is nearer to the limit; the other one may still cross the other limit
    nearest = min((abs(value - side), value - side, side) for side in (0.25, -0.25))
    assert then <= nearest[0] + 1e-9 or more == 0


def test_how_many_more_where_there_is_no_interval_yet() -> None:
    assert Finding("caught", 0.8, 0.25, n=4).wanted(0.95) == 6
    assert Finding("caught", 0.8, n=0, why="nobody failed").wanted(0.95) == 10
    assert ABSENT.wanted(0.95) == 0
    assert Finding("reach", 0.8, 2.1, n=22, why="people agree too little").wanted(0.95) is None
    assert Finding("gap", 0.25, 0.25, 0.2, 0.3, n=50).wanted(0.95) == math.inf


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"caught": 1.2}, "trust_caught is 1.2"),
        ({"reach": -1}, "trust_reach is -1"),
        ({"gap": float("inf")}, "trust_gap is inf"),
        ({"gap": float("nan")}, "trust_gap is nan"),
    ],
)
def test_limits_that_are_none(changes: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Limits(**changes)


@given(n=st.integers(10, 2000), level=st.sampled_from([0.95, 0.99]))
def test_gaps_without_a_spread_have_the_ends_of_their_share(n: int, level: float) -> None:
    low, high = around_same(-1.0, n, 4.0, level)
    differ = stats.binomtest(0, n).proportion_ci(2 * level - 1, method="exact").high
    assert high - -1.0 == pytest.approx(4 * differ, abs=1e-9)
    assert low == pytest.approx(-2.0 - high, abs=1e-9)


def test_all_metrics_together_keep_the_level() -> None:
    assert simultaneous(0.95, 1) == 0.95
    assert simultaneous(0.95, 5) == pytest.approx(0.99)
    assert simultaneous(0.95, 0) == 0.95
