"""A rubric while it is edited: what is wrong is said, what is sound can be kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.gui.rubric.draft import Draft, new_metric
from reviewer.services.project import rubrics
from tests.building import RUBRIC


@pytest.mark.parametrize("name", ["guest-response", "agent-rubric", "harness", "virtual-agent"])
def test_a_shipped_rubric_is_unchanged_and_sound(name: str) -> None:
    draft = Draft(rubrics.shipped()[name])
    assert not draft.is_changed()
    assert draft.problem() == ""


def test_every_edit_is_a_change_until_it_is_taken_back() -> None:
    draft = Draft(RUBRIC)
    draft.metrics[0]["weight"] = 2
    assert draft.is_changed()
    draft.metrics[0]["weight"] = 1.0
    assert not draft.is_changed()


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("name", "accuracy", "declared twice"),
        ("weight", "heavy", "weight"),
        ("weight", -1, "weight"),
        ("pass_at", 9, "lies outside its scale"),
        ("levels", [], "needs [[metrics.levels]]"),
        ("scale", "categorical", "needs values"),
        ("colour", "red", "is no field"),
        ("scorer", "error_handling", "gives 0 to 1, which is not on the scale of relevance"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(key: str, value: object, said: str) -> None:
    draft = Draft(RUBRIC)
    draft.metrics[0][key] = value
    assert said in draft.problem()
    assert draft.is_changed()


def test_a_scorer_that_fits_or_that_nobody_knows_is_no_problem() -> None:
    draft = Draft(RUBRIC)
    draft.metrics[0] |= {"scale": "range", "min": 0, "max": 1, "levels": [], "pass_at": 0.5}
    draft.metrics[0]["scorer"] = "error_handling"
    assert draft.problem() == ""
    draft.metrics[0]["scorer"] = "brought_by_a_package"
    assert draft.problem() == ""


def test_weights_of_nothing_and_missing_pass_marks_are_no_rubric() -> None:
    draft = Draft(RUBRIC)
    for metric in draft.metrics:
        metric["pass_at"] = None
    assert "no metric has one" in draft.problem()
    for metric in draft.metrics:
        metric["weight"] = 0
    assert "Every weight is 0" in draft.problem()


def test_a_new_metric_is_sound_and_has_an_id_of_its_own() -> None:
    draft = Draft(RUBRIC)
    draft.metrics[0]["name"] = "metric_4"
    draft.metrics.append(new_metric(draft.metrics))
    assert draft.problem() == ""
    assert draft.metrics[-1]["name"] == "metric_5"


def test_an_imported_rubric_keeps_the_projects_name_and_version() -> None:
    draft = Draft(RUBRIC)
    draft.replace(rubrics.shipped()["harness"])
    made = draft.rubric()
    assert (made.name, str(made.version)) == (RUBRIC.name, str(RUBRIC.version))
    assert made.metrics == rubrics.shipped()["harness"].metrics


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True), st.floats(0, 5))
def test_any_rubric_survives_the_way_through_the_draft(values: list[int], weight: float) -> None:
    levels = tuple(Level(value=value, title=f"level {value}") for value in values)
    rubric = Rubric(name="any", metrics=(Metric(name="one", weight=weight, levels=levels),))
    assert Draft(rubric).rubric() == rubric
