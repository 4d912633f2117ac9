import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.passfail import (
    NO_FAIL_IN_SET,
    NO_PASS_IN_SET,
    OUTSIDE,
    USELESS,
    GoldenSet,
    rogan_gladen,
)

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"
EXAMPLE = GoldenSet(fails=15, caught=9, passes=85, kept=82)


def test_the_worked_example() -> None:
    found = rogan_gladen(EXAMPLE, judged_pass=768, judged=900)
    assert found.method == "rogan_gladen"
    assert (found.value, found.low, found.high) == pytest.approx((0.803, 0.681, 0.907), abs=5e-4)
    assert (found.n, found.note) == (100, None)
    assert EXAMPLE.catch_rate == 0.6
    assert EXAMPLE.keep_rate == pytest.approx(82 / 85)


def test_the_case_file() -> None:
    path = VECTORS / "estimators.json"
    if not path.is_file():
        pytest.skip("needs ../shared/spec/vectors/estimators.json beside this checkout")
    cases = [x for x in json.loads(path.read_text(encoding="utf-8")) if x["f"] == "rogan_gladen"]
    assert cases
    for case in cases:
        share, judged, catch, fails, keep, passes = case["args"]
        golden = GoldenSet(
            fails=fails, caught=round(catch * fails), passes=passes, kept=round(keep * passes)
        )
        found = rogan_gladen(golden, judged_pass=round(share * judged), judged=judged)
        assert (found.value, found.low, found.high) == pytest.approx(case["expect"], abs=1e-9)


def test_where_it_is_refused() -> None:
    no_fail = rogan_gladen(GoldenSet(fails=0, caught=0, passes=9, kept=9), judged_pass=5, judged=9)
    assert (no_fail.value, no_fail.method, no_fail.reason) == (None, "none", NO_FAIL_IN_SET)
    no_pass = rogan_gladen(GoldenSet(fails=3, caught=3, passes=0, kept=0), judged_pass=5, judged=9)
    assert no_pass.reason == NO_PASS_IN_SET
    chance = GoldenSet(fails=10, caught=2, passes=10, kept=8)
    assert rogan_gladen(chance, judged_pass=5, judged=9).reason == USELESS
    assert (
        rogan_gladen(EXAMPLE, judged_pass=0, judged=0).reason == "no verdict of the judge in scope"
    )
    barely = GoldenSet(fails=100, caught=1, passes=1, kept=1)
    found = rogan_gladen(barely, judged_pass=50, judged=90)
    assert (found.low, found.reason) == (None, USELESS)
    # a judge who kept 99 of 100 passes on the golden set fails nearly everything here
    sharp = GoldenSet(fails=4, caught=2, passes=1000, kept=500)
    assert rogan_gladen(sharp, judged_pass=1, judged=2).reason in {None, USELESS}
    with pytest.raises(ValueError, match="cannot have 5 of 4 fails"):
        GoldenSet(fails=4, caught=5, passes=1, kept=1)
    with pytest.raises(ValueError, match="cannot have passed 5 of 4"):
        rogan_gladen(EXAMPLE, judged_pass=5, judged=4)


def test_verdicts_that_do_not_fit_the_golden_set_get_no_interval() -> None:
    golden = GoldenSet(fails=900, caught=450, passes=900, kept=900)
    found = rogan_gladen(golden, judged_pass=100, judged=1000)
    assert (found.value, found.low, found.reason) == (0.0, None, OUTSIDE)


def test_a_weak_judge_is_marked() -> None:
    weak = GoldenSet(fails=40, caught=16, passes=60, kept=48)
    note = rogan_gladen(weak, judged_pass=70, judged=100).note
    assert note is not None
    assert "hint" in note


@given(
    st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    st.integers(1, 500).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
)
def test_the_interval_is_never_empty(
    fails: tuple[int, int], passes: tuple[int, int], judged: tuple[int, int]
) -> None:
    golden = GoldenSet(fails=fails[0], caught=fails[1], passes=passes[0], kept=passes[1])
    found = rogan_gladen(golden, judged_pass=judged[1], judged=judged[0])
    if found.value is None:
        assert found.reason
        return
    assert 0 <= found.value <= 1
    if found.low is None or found.high is None:
        assert found.reason
        return
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 1e-6
