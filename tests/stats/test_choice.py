"""Which estimate is shown follows from how labels were chosen, case by case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.estimate import (
    CONVENIENCE,
    EVERY_WAY,
    NO_LABEL,
    NO_STRATA,
    UNKNOWN,
    EstimateChoice,
    HowChosen,
    Kind,
    choose_estimate,
)


def mean(chosen: HowChosen, *, n_all: int = 1000, judged: bool = True) -> EstimateChoice:
    return choose_estimate(chosen, kind="mean", n_all=n_all, judged=judged)


def rate(chosen: HowChosen, *, n_all: int = 1000, judged: bool = True) -> EstimateChoice:
    return choose_estimate(chosen, kind="rate", n_all=n_all, judged=judged)


@pytest.mark.parametrize(
    ("chosen", "of_mean", "of_rate", "excluded"),
    [
        (HowChosen(random=1), "ppi", "post_stratified", 0),
        (HowChosen(random=29, convenience=4), "ppi", "post_stratified", 4),
        (HowChosen(random=30, unknown=2), "ppi++", "post_stratified", 2),
        (HowChosen(stratum=40), "stratified", "post_stratified", 0),
        (HowChosen(random=50, stratum=1), "stratified", "post_stratified", 0),
        (HowChosen(random=50, active=9), "ppi", "post_stratified", 0),
        (HowChosen(active=9, convenience=1, unknown=1), "ppi", "post_stratified", 2),
        (HowChosen(), "none", "none", 0),
        (HowChosen(unknown=40), "none", "none", 40),
        (HowChosen(convenience=40), "none", "none", 40),
    ],
)
def test_the_rule(chosen: HowChosen, of_mean: str, of_rate: str, excluded: int) -> None:
    assert mean(chosen).method == of_mean
    assert rate(chosen).method == of_rate
    assert mean(chosen).n_excluded == rate(chosen).n_excluded == excluded
    assert mean(chosen).n + excluded == chosen.total
    assert mean(chosen).weighted == rate(chosen).weighted == bool(chosen.active)


def test_why_there_is_none() -> None:
    assert mean(HowChosen()).reason == NO_LABEL
    assert mean(HowChosen(unknown=3)).reason == UNKNOWN
    assert UNKNOWN == "how labels were chosen is unknown (import --selection random)"
    assert mean(HowChosen(convenience=3)).reason == CONVENIENCE
    assert mean(HowChosen(convenience=3, unknown=1)).reason == UNKNOWN
    assert mean(HowChosen(stratum=3), judged=False).reason == NO_STRATA


def test_everything_labelled_is_a_census_however_it_came_about() -> None:
    found = mean(HowChosen(convenience=7, unknown=3), n_all=10)
    assert (found.method, found.n, found.n_excluded) == ("census", 10, 0)
    assert found.ways == EVERY_WAY
    assert rate(HowChosen(unknown=10), n_all=10, judged=False).method == "census"


def test_without_a_judge_people_stand_alone() -> None:
    assert mean(HowChosen(random=40), judged=False).method == "human_only"
    found = mean(HowChosen(random=40, stratum=5), judged=False)
    assert (found.method, found.n, found.n_excluded) == ("human_only", 40, 5)
    assert rate(HowChosen(active=5), judged=False).method == "human_only"


def test_a_judge_with_one_score_gets_no_fitted_weight() -> None:
    found = choose_estimate(HowChosen(random=90), kind="mean", n_all=1000, judge_varies=False)
    assert found.method == "ppi"
    assert "one score" in found.reason
    assert "fewer than 30" in mean(HowChosen(random=9)).reason


def test_wrong_counts() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        HowChosen(random=-1)
    with pytest.raises(ValueError, match="11 labelled evaluations cannot come from 10"):
        mean(HowChosen(random=11), n_all=10)


@given(
    st.builds(
        HowChosen,
        random=st.integers(0, 60),
        stratum=st.integers(0, 60),
        active=st.integers(0, 60),
        unknown=st.integers(0, 60),
        convenience=st.integers(0, 60),
    ),
    st.sampled_from(["mean", "rate"]),
    st.integers(0, 50),
    st.booleans(),
)
def test_only_labels_drawn_by_chance_are_used(
    chosen: HowChosen, kind: Kind, more: int, judged: bool
) -> None:
    found = choose_estimate(chosen, kind=kind, n_all=chosen.total + more, judged=judged)
    assert found.reason
    assert found.n + found.n_excluded == chosen.total
    assert found.n == sum(chosen.count(way) for way in found.ways)
    if found.method != "census":
        assert not {"unknown", "convenience"} & set(found.ways)
    assert (found.method == "none") == (found.n == 0)
