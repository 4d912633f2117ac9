import itertools
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from reviewer.stats.ceiling import (
    FEW,
    NO_BOUND,
    NO_REPEATS,
    NO_UNITS,
    NOTHING_TO_REACH,
    Name,
    reach,
    units_of,
)
from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.reasons import NO_LEVELS, SAME, UNORDERED
from reviewer.stats.values import Scale

FIVE = Scale((1.0, 2.0, 3.0, 4.0, 5.0))
KINDS = Scale((0.0, 1.0, 2.0), ordered=False)
POLICY = IntervalPolicy(resamples=400)


def panel(n: int, noise: float, judge: float, seed: int = 0) -> tuple[list[Floats], Floats]:
    rng = np.random.default_rng(seed)
    truth = rng.choice([1, 2, 3, 4, 5], n, p=[0.1, 0.1, 0.2, 0.3, 0.3]).astype(float)

    def said(spread: float) -> Floats:
        return np.clip(np.round(truth + rng.normal(0, spread, n)), 1, 5)

    people = np.column_stack([said(noise) for _ in range(4)])
    sizes = rng.integers(1, 5, n)
    return [people[at, : sizes[at]] for at in range(n)], said(judge)


def oracle(groups: list[Floats], judge: Floats, **weights: Any) -> tuple[float, float]:
    """Kappa of every ordered pair of labels, and of every label and the judge, evenly weighted."""
    pairs, singles = [], []
    for group, own in zip(groups, judge.tolist(), strict=True):
        m = len(group)
        if m < 2:
            continue
        pairs += [(a, b, 1 / (m * (m - 1))) for a, b in itertools.permutations(group.tolist(), 2)]
        singles += [(a, own, 1 / m) for a in group.tolist()]
    return tuple(
        cohen_kappa_score(
            [a for a, _, _ in rows],
            [b for _, b, _ in rows],
            labels=list(FIVE.values),
            sample_weight=[w for _, _, w in rows],
            **weights,
        )
        for rows in (pairs, singles)
    )


def test_both_figures_are_weighted_kappas_of_the_same_evaluations() -> None:
    groups, judge = panel(80, 0.6, 0.9)
    units = units_of(groups, judge, FIVE)
    for name, weights in (("kappa", None), ("kappa_quadratic", "quadratic")):
        found = reach(units, name)  # type: ignore[arg-type]
        people, of_judge = oracle(groups, judge, weights=weights)
        assert found.people == pytest.approx(people, abs=1e-9)
        assert found.judge == pytest.approx(of_judge, abs=1e-9)
        assert found.share == pytest.approx(of_judge / people, abs=1e-9)
        assert found.n == sum(len(group) > 1 for group in groups)


def test_percent_is_the_mean_over_evaluations() -> None:
    groups = [np.array([4.0, 4, 5]), np.array([2.0, 2]), np.array([1.0])]
    found = reach(units_of(groups, np.array([4.2, 1.0, 1.0]), FIVE), "percent")
    assert found.people == pytest.approx((1 / 3 + 1) / 2)
    # the nearest level to 4.2 is 4
    assert found.judge == pytest.approx((2 / 3 + 0) / 2)
    assert found.labels == 5


def test_a_judge_as_good_as_people_reaches_about_all() -> None:
    groups, judge = panel(400, 0.7, 0.7)
    found = reach(units_of(groups, judge, FIVE), "kappa_quadratic", POLICY)
    assert found.share == pytest.approx(1, abs=0.08)
    interval = found.intervals["share"]
    assert interval.low < 1 < interval.high
    worse = reach(units_of(*panel(400, 0.5, 2.0), FIVE), "kappa_quadratic", POLICY)
    assert worse.intervals["share"].high < 0.9


def test_an_open_range_has_quadratic_kappa_only() -> None:
    rng = np.random.default_rng(3)
    groups = [np.array([x, x + rng.normal(0, 0.1)]) for x in rng.random(50)]
    judge = np.array([group.mean() for group in groups])
    units = units_of(groups, judge, None)
    assert reach(units, "percent").undefined["people"] == NO_LEVELS
    found = reach(units, "kappa_quadratic", POLICY)
    assert found.people is not None
    assert found.people > 0.8
    assert "share" in found.intervals


def test_categories_have_no_distances() -> None:
    groups = [np.array([0.0, 0.0]), np.array([1.0, 1.0]), np.array([2.0, 1.0])] * 4
    units = units_of(groups, np.array([0.0, 1.0, 2.0] * 4), KINDS)
    assert reach(units, "kappa_quadratic").undefined["share"] == UNORDERED
    found = reach(units, "kappa")
    assert found.share is not None
    assert found.share > 1


def test_what_is_missing_is_said() -> None:
    judge = np.array([3.0])
    assert reach(units_of([], np.zeros(0), FIVE), "kappa").undefined["share"] == NO_UNITS
    alone = units_of([np.array([3.0])], judge, FIVE)
    assert reach(alone, "percent").undefined["people"] == NO_UNITS
    assert reach(units_of([np.array([3.0])], None, FIVE), "percent").undefined["people"] == (
        NO_REPEATS
    )
    two = units_of([np.array([3.0, 4.0])] * 4, np.array([3.0] * 4), FIVE)
    assert reach(two, "kappa").undefined["share"] == FEW
    assert reach(two, "percent").share is None
    same = units_of([np.array([3.0, 3.0])] * 20, np.array([3.0] * 20), FIVE)
    assert reach(same, "kappa_quadratic", POLICY).undefined["people"] == SAME
    assert reach(same, "percent", POLICY).share == 1
    against = units_of([np.array([1.0, 5.0]), np.array([5.0, 1.0])] * 10, np.ones(20), FIVE)
    assert reach(against, "kappa", POLICY).undefined["share"] == NOTHING_TO_REACH


def test_people_who_hardly_agree_leave_the_interval_open() -> None:
    rng = np.random.default_rng(11)
    groups = [rng.integers(1, 6, 2).astype(float) for _ in range(40)]
    for group in groups[:6]:
        group[:] = group[0]
    found = reach(units_of(groups, rng.integers(1, 6, 40).astype(float), FIVE), "kappa", POLICY)
    assert found.share is not None
    assert "share" not in found.intervals
    assert found.undefined["interval"] == NO_BOUND


def test_repeats_of_one_person_have_no_judge() -> None:
    found = reach(
        units_of([np.array([3.0, 3.0]), np.array([4.0, 5.0])] * 8, None, FIVE), "percent"
    )
    assert found.people == 0.5
    assert found.judge is None
    assert found.share is None


def test_conversations_widen_the_interval() -> None:
    groups, judge = panel(40, 0.6, 1.2)
    groups, judge = [x for x in groups for _ in range(5)], np.repeat(judge, 5)
    units = units_of(groups, judge, FIVE)
    kept = [at for at, group in enumerate(groups) if len(group) > 1]
    clusters = np.repeat(np.arange(40), 5)[kept]
    alone = reach(units, "kappa_quadratic", POLICY).intervals["share"]
    whole = reach(units, "kappa_quadratic", POLICY, clusters).intervals["share"]
    assert whole.high - whole.low > 1.5 * (alone.high - alone.low)


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(FIVE.values), max_size=4), st.sampled_from(FIVE.values)
        ),
        max_size=25,
    ),
)
def test_every_figure_is_a_number_or_has_a_reason(rows: list[tuple[list[float], float]]) -> None:
    groups = [np.array(labels) for labels, _ in rows]
    units = units_of(groups, np.array([own for _, own in rows]), FIVE)
    for name in get_args(Name):
        found = reach(units, name, IntervalPolicy(resamples=50))
        for what in ("people", "judge", "share"):
            value = getattr(found, what)
            assert (value is None) == (what in found.undefined)
            if what in found.intervals:
                assert found.intervals[what].low <= value <= found.intervals[what].high
