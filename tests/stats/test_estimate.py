"""Corrected estimates against the case file and a plain survey regression."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as sp

from reviewer.stats.estimate import (
    VerdictCounts,
    corrected_mean,
    corrected_pass_rate,
    pass_rate,
    ppi,
)
from reviewer.stats.moments import Moments, moments

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"


def from_sums(args: list[float]) -> Moments:
    n, y, f, yy, ff, yf = args[:6]
    return Moments(
        n=int(n),
        auto_mean=f / n,
        human_mean=y / n,
        s_auto=ff - f * f / n,
        s_human=yy - y * y / n,
        s_cross=yf - y * f / n,
        s_gap=0,
        mae=0,
    )


def verdicts(args: list[int]) -> VerdictCounts:
    names = (
        "both_pass",
        "judge_pass_only",
        "human_pass_only",
        "both_fail",
        "judged_pass",
        "judged",
    )
    return VerdictCounts(**dict(zip(names, args, strict=True)))


def test_every_case_of_the_case_file() -> None:
    path = VECTORS / "estimators.json"
    if not path.is_file():
        pytest.skip("needs ../shared/spec/vectors/estimators.json beside this checkout")
    checked = 0
    for case in json.loads(path.read_text(encoding="utf-8")):
        found: Any = None
        if case["f"] == "pass_rate":
            found = pass_rate(verdicts(case["args"]), target=case["target"])
        elif case["f"] == "ppi":
            args = case["args"]
            weight = None if case["lam"] == "tuned" else case["lam"]
            one = ppi(
                from_sums(args), args[6], args[7] / args[6], weight=weight, target=case["target"]
            )
            found = (one.value, one.low, one.high)
        if found:
            checked += 1
            assert found == pytest.approx(case["expect"], abs=1e-9), case
    assert checked == 14


LABELLED = from_sums([100, 371, 366, 1497, 1464, 1465])


def test_which_estimate_is_chosen() -> None:
    tuned = corrected_mean(LABELLED, n_all=1000, auto_mean_all=3.6)
    assert (tuned.method, tuned.n) == ("ppi++", 100)
    assert tuned.value == pytest.approx(3.658341369334619)
    assert tuned.weight == pytest.approx(0.861, abs=0.001)
    few = corrected_mean(moments([1, 2, 4], [2, 2, 5]), n_all=1000, auto_mean_all=3.0)
    assert (few.method, few.weight) == ("ppi", 1)
    assert few.value == pytest.approx(3.0 + 2 / 3)
    people = corrected_mean(LABELLED, n_all=1000, auto_mean_all=None)
    assert (people.method, people.value, people.weight) == ("human_only", 3.71, None)
    assert people.low == pytest.approx(3.4910085264578994)
    census = corrected_mean(LABELLED, n_all=100, auto_mean_all=3.66, target="run")
    assert (census.method, census.value) == ("census", 3.71)
    assert census.low == census.high == pytest.approx(3.71)
    none = corrected_mean(moments([], []), n_all=10, auto_mean_all=3.0)
    assert (none.value, none.method, none.reason) == (None, "none", "no label chosen at random")
    one = corrected_mean(moments([3], [4]), n_all=10, auto_mean_all=3.0)
    assert (one.value, one.low) == (4.0, None)
    assert one.reason == "an interval needs at least two labels"


def test_a_judge_who_says_the_same_everywhere_gets_no_slope() -> None:
    pairs = moments([3.0] * 40, [2.0, 4.0] * 20)
    found = corrected_mean(pairs, n_all=400, auto_mean_all=3.0)
    assert (found.method, found.value) == ("ppi", 3.0)


def test_the_fitted_weight_is_the_regression_estimate() -> None:
    rng = np.random.default_rng(2)
    auto = rng.integers(1, 6, 400).astype(np.float64)
    human = auto + rng.normal(0.3, 0.6, 400)
    labelled = slice(0, 60)
    found = corrected_mean(
        moments(auto[labelled], human[labelled]), n_all=400, auto_mean_all=float(auto.mean())
    )
    line = sp.linregress(auto[labelled], human[labelled])
    assert found.value == pytest.approx(line.intercept + line.slope * auto.mean())
    assert found.low is not None
    assert found.high is not None
    assert found.low < human.mean() < found.high


def test_pass_rate_needs_a_label_for_each_verdict_the_judge_gave() -> None:
    found = corrected_pass_rate(verdicts([82, 6, 3, 9, 850, 1000]))
    assert found.method == "post_stratified"
    assert (found.value, found.low, found.high) == pytest.approx((0.8295, 0.765, 0.883), abs=5e-4)
    missing = corrected_pass_rate(verdicts([82, 6, 0, 0, 850, 1000]))
    assert (missing.value, missing.reason) == (None, "needs a label among judge-fails")
    missing = corrected_pass_rate(verdicts([0, 0, 2, 2, 850, 1000]))
    assert missing.reason == "needs a label among judge-passes"
    perfect = corrected_pass_rate(verdicts([50, 0, 0, 0, 1000, 1000]))
    assert perfect.value == 1.0
    assert perfect.low == pytest.approx(0.951, abs=5e-4)
    assert corrected_pass_rate(verdicts([0, 0, 0, 0, 5, 9])).reason == "no label chosen at random"
    nothing = corrected_pass_rate(verdicts([0, 0, 0, 0, 0, 0]))
    assert nothing.reason == "no verdict of the judge in scope"
    census = corrected_pass_rate(verdicts([4, 1, 2, 3, 5, 10]), target="run")
    assert census.method == "census"
    assert census.value == census.low == census.high == pytest.approx(0.6)
