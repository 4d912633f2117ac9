"""How figures that became worse are written: costs of any size, intervals of the figure beside."""

from typing import Literal

import pytest

from reviewer.services.monitoring import regressions
from reviewer.services.monitoring.regressions import COST, P95
from reviewer.services.monitoring.trending import RunPoint
from reviewer.stats.clustering import NO_QUANTITY
from reviewer.stats.regression import Change


def change(before: float, after: float, low: float, high: float) -> Change:
    difference = after - before
    sign: Literal[0, 1] = 1 if low > 0 else 0
    return Change(
        before, after, 60, True, "t", difference=difference, low=low, high=high, sign=sign
    )


def point(*, p95: Change | None = None, cost: Change | None = None) -> RunPoint:
    return RunPoint(
        name="v2", when=None, n=60, passing=NO_QUANTITY, averages={}, p95=NO_QUANTITY,
        cost=NO_QUANTITY,
        against="v1", shared=60, steps={}, p95_step=p95, cost_step=cost,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "low", "high", "went", "by"),
    [
        (0.00004, 0.00009, 0.000041, 0.000059, "$0.000040 → $0.000090",
         "+$0.000050 [+0.000041, +0.000059]"),
        (0.0104, 0.0126, 0.0009, 0.0035, "$0.0104 → $0.0126", "+$0.0022 [+0.0009, +0.0035]"),
        (0.00000004, 0.00012, 0.0001, 0.00014, "$0.000000040 → $0.00012",
         "+$0.00012 [+0.00010, +0.00014]"),
        (1.5, 2.0, 0.1, 0.9, "$1.50 → $2.00", "+$0.50 [+0.10, +0.90]"),
        (0.01, 0.02, 0.000012, 0.019, "$0.010 → $0.020", "+$0.01000 [+0.00001, +0.01900]"),
        (0.0, 0.0003, 0.0001, 0.0005, "$0 → $0.00030", "+$0.00030 [+0.00010, +0.00050]"),
    ],
)  # fmt: skip
def test_small_costs_are_told(
    before: float, after: float, low: float, high: float, went: str, by: str
) -> None:
    found = next(regressions.of_point(point(cost=change(before, after, low, high))))
    assert (found.figure, found.went, found.change) == (COST, went, by)


def test_an_interval_is_of_the_figure_beside_it() -> None:
    found = next(regressions.of_point(point(p95=change(1000.0, 1500.0, 300.0, 700.0))))
    assert (found.went, found.change) == ("1,000 ms → 1,500 ms", "+500 ms [+300, +700]")
    assert found.sentence == (
        "v2: p95 latency 1,000 ms → 1,500 ms (+50 %) since v1: +500 ms, 95 % +300 ms to +700 ms, "
        "n 60 shared cases."
    )


def test_what_has_no_interval_says_why() -> None:
    few = Change(
        1000.0, 1500.0, 30, True, "bootstrap", difference=500.0, reason="30 cases of the 40"
    )
    said = regressions.change_sentence(point(), P95, few)
    assert said.endswith("since v1: +500 ms (30 cases of the 40), n 30 shared cases.")
    assert not list(regressions.of_point(point(p95=few)))
    alike = Change(
        0.001, 0.002, 20, True, "t", difference=0.001, reason="alike", sign=1, conversations=7
    )
    found = next(regressions.of_point(point(cost=alike)))
    assert found.change == "+$0.0010"
    assert found.sentence.endswith("+$0.0010 (alike), n 20 shared cases of 7 conversations.")


def test_a_negative_end_keeps_its_sign() -> None:
    run = point(p95=change(500.0, 510.0, -30.0, 50.0))
    assert run.p95_step is not None
    said = regressions.change_sentence(run, P95, run.p95_step)
    assert "since v1: +10 ms, 95 % −30 ms to +50 ms, n" in said
    cheaper = change(0.0004, 0.0003, -0.00021, 0.00001)
    said = regressions.change_sentence(run, COST, cheaper)
    assert "$0.00040 → $0.00030 (−25 %) since v1: −$0.00010, 95 % −$0.00021 to +$0.00001," in said
