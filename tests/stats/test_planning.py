import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.coefficients import Moments, moments
from reviewer.stats.planning import (
    FEW,
    UNREACHABLE,
    PlannedLooks,
    is_narrow_enough,
    kappa_labels,
    labels_needed,
    plan_labels,
)

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"


def needed(half_width: float, correlation: float = 0.874) -> float:
    found = labels_needed(sd=1.096, correlation=correlation, half_width=half_width, n_all=2000)
    assert found is not None
    return found


def test_the_worked_examples() -> None:
    for half_width, with_judge, without in ((0.15, 53, 205), (0.10, 132, 461), (0.07, 347, 942)):
        assert needed(half_width) == pytest.approx(with_judge, abs=0.6)
        assert needed(half_width, 0) == pytest.approx(without, abs=0.6)
    binary = math.sqrt(0.85 * 0.15)
    rate = labels_needed(sd=binary, correlation=0.63, half_width=0.05, n_all=2000)
    alone = labels_needed(sd=binary, correlation=0, half_width=0.05, n_all=2000)
    assert (rate, alone) == pytest.approx((123, 196), abs=0.5)


def test_the_case_file() -> None:
    path = VECTORS / "estimators.json"
    if not path.is_file():
        pytest.skip("needs ../shared/spec/vectors/estimators.json beside this checkout")
    cases = [x for x in json.loads(path.read_text(encoding="utf-8")) if x["f"] == "labels_needed"]
    assert cases
    for case in cases:
        sd, correlation, half_width, n_all = case["args"]
        found = [
            labels_needed(sd=sd, correlation=rho, half_width=half_width, n_all=n_all)
            for rho in (correlation, 0.0)
        ]
        assert found == pytest.approx(case["expect"], abs=1e-9)


def test_the_plan_from_a_hundred_labels() -> None:
    # sums of the five by five example: n 100, Σy 371, Σf 366, Σy² 1497, Σf² 1464, Σyf 1465
    pairs = Moments(
        n=100,
        auto_mean=3.66,
        human_mean=3.71,
        s_auto=1464 - 366**2 / 100,
        s_human=1497 - 371**2 / 100,
        s_cross=1465 - 371 * 366 / 100,
        s_gap=0,
        mae=0,
    )
    plan = plan_labels(pairs, n_all=1000, half_width=0.10)
    assert (plan.needed, plan.more) == (172, 72)
    assert plan.without_judge == 468
    assert plan.correlation == pytest.approx(0.8746, abs=1e-4)
    reached = plan_labels(pairs, n_all=1000, half_width=0.2)
    assert reached.more == 0
    never = plan_labels(pairs, n_all=1000, half_width=0.01)
    assert (never.needed, never.more, never.reason) == (None, None, UNREACHABLE)
    run = plan_labels(pairs, n_all=1000, half_width=0.01, target="run")
    assert run.needed is not None
    assert 900 < run.needed <= 1000


def test_few_labels_plan_for_the_worst_case() -> None:
    few = plan_labels(moments([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]), n_all=500, half_width=0.2)
    assert few.correlation == 0
    assert few.needed == few.without_judge
    assert plan_labels(moments([1], [1]), n_all=500, half_width=0.2).reason == FEW
    same = plan_labels(moments([3] * 30, [3] * 30), n_all=500, half_width=0.2)
    assert (same.needed, same.correlation) == (0, 0)


def test_wrong_plans() -> None:
    for change in ({"sd": -1.0}, {"correlation": 1.5}, {"half_width": 0.0}, {"n_all": 0}):
        wanted = {"sd": 1.0, "correlation": 0.5, "half_width": 0.1, "n_all": 100, **change}
        with pytest.raises(ValueError, match="Planning needs"):
            labels_needed(**wanted)  # type: ignore[arg-type]
    for looks in ((), (30, 30), (0, 5), (60, 30)):
        with pytest.raises(ValueError, match="increasing"):
            PlannedLooks(looks)
    with pytest.raises(ValueError, match="level between"):
        PlannedLooks((30,), level=1.0)


@given(
    st.floats(0.01, 3),
    st.floats(-0.99, 0.99),
    st.floats(0.01, 1),
    st.integers(2, 100_000),
)
def test_what_was_planned_gives_the_wanted_width(
    sd: float, correlation: float, half_width: float, n_all: int
) -> None:
    found = labels_needed(sd=sd, correlation=correlation, half_width=half_width, n_all=n_all)
    z = 1.959963984540054
    least = z * sd / math.sqrt(n_all)
    if found is None:
        assert least > half_width * (1 - 1e-9)
        return
    assert 0 < found <= n_all * (1 + 1e-9)
    rest = (1 - correlation**2) * sd**2
    achieved = z * math.sqrt(rest / found + correlation**2 * sd**2 / n_all)
    assert achieved == pytest.approx(half_width)
    more = labels_needed(sd=sd, correlation=correlation, half_width=half_width / 2, n_all=n_all)
    assert more is None or more > found
    run = labels_needed(
        sd=sd, correlation=correlation, half_width=half_width, n_all=n_all, target="run"
    )
    assert run is not None
    assert run <= found * (1 + 1e-9)


def test_planned_looks() -> None:
    looks = PlannedLooks()
    assert looks.level_each == pytest.approx(0.9875)
    assert (looks.next_look(0), looks.next_look(30), looks.next_look(240)) == (30, 60, None)
    assert looks.verdict(0.81, 0.9, threshold=0.8) == "pass"
    assert looks.verdict(0.80, 0.9, threshold=0.8) == "pass"
    assert looks.verdict(0.70, 0.79, threshold=0.8) == "fail"
    assert looks.verdict(0.70, 0.9, threshold=0.8) == "open"
    assert looks.verdict(None, None, threshold=0.8) == "open"


def test_stopping_by_width_needs_thirty_labels() -> None:
    assert not is_narrow_enough(29, 0.01, wanted=0.1)
    assert is_narrow_enough(30, 0.1, wanted=0.1)
    assert not is_narrow_enough(30, 0.11, wanted=0.1)
    assert not is_narrow_enough(30, None, wanted=0.1)


@given(st.integers(1, 10_000), st.floats(0.01, 2), st.floats(0.01, 2))
def test_a_coefficient_takes_labels_by_the_square_of_its_width(
    n: int, now: float, wanted: float
) -> None:
    more = kappa_labels(n, now, wanted)
    assert now * math.sqrt(n / (n + more)) <= wanted * (1 + 1e-9)
    if more:
        assert now * math.sqrt(n / (n + more - 1)) > wanted * (1 - 1e-9)


def test_no_label_or_no_width_is_no_plan_for_a_coefficient() -> None:
    for n, now, wanted in ((0, 0.1, 0.1), (5, 0.0, 0.1), (5, 0.1, 0.0)):
        with pytest.raises(ValueError, match="Planning needs labels"):
            kappa_labels(n, now, wanted)
