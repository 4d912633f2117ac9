"""Overall scores, grades and the warnings that belong to them."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.rubric_check import checked
from reviewer.scoring.overall import (
    HARNESS_WEIGHTS,
    RUBRIC_WEIGHTS,
    harness_final,
    harness_grade,
    rubric_overall,
)
from tests.resources.demo_records import RESOURCES, rubric_of

SCORE = st.none() | st.floats(0, 1)
CRASH = {"tool_usage": 1.0, "response_quality": 1.0, "error_handling": 0.0}
RUBRIC = checked(rubric_of(RESOURCES / "rubrics" / "harness.toml"))


def test_a_crash_with_nothing_expected_is_warned_of() -> None:
    final = harness_final(CRASH)
    assert final.shown == "0.80 (80 %) B"
    assert "0.80 (80 %) B" in final.warnings[0]
    assert harness_final(CRASH, RUBRIC) == final


def test_an_error_can_zero_the_total() -> None:
    final = harness_final(CRASH, error_zeroes_total=True)
    assert (final.value, final.warnings) == (0.0, ())
    assert final.grade is not None
    assert final.grade.grade == "F"


def test_a_failed_crash_needs_no_warning() -> None:
    assert harness_final({**CRASH, "tool_usage": 0.0}).warnings == ()


def test_the_hole_between_b_and_a_closes_on_request() -> None:
    exact, rounded = harness_grade(0.895), harness_grade(0.895, rounded=True)
    assert (exact and exact.grade, rounded and rounded.grade) == ("B", "A")
    assert harness_grade(None) is None
    assert exact is not None
    assert exact.meaning == "Good, minor issues"


def test_nothing_scored_is_no_score() -> None:
    final = harness_final({})
    assert (final.value, final.grade, final.shown) == (None, None, "–")


@given(st.fixed_dictionaries(dict.fromkeys(HARNESS_WEIGHTS, SCORE)))
def test_the_final_lies_between_its_parts(scores: dict[str, float | None]) -> None:
    there = [value for value in scores.values() if value is not None]
    final = harness_final(scores).value
    if not there:
        assert final is None
        return
    assert final is not None
    assert min(there) - 1e-12 <= final <= max(there) + 1e-12
    assert harness_final(dict(reversed(scores.items()))).value == final


@given(
    st.fixed_dictionaries(dict.fromkeys(RUBRIC_WEIGHTS, SCORE)),
    st.sampled_from(sorted(RUBRIC_WEIGHTS)),
)
def test_a_better_dimension_never_lowers_the_overall(
    scores: dict[str, float | None], name: str
) -> None:
    before = rubric_overall(scores)
    if scores[name] is None or before is None:
        return
    after = rubric_overall({**scores, name: 1.0})
    assert after is not None
    assert after >= before - 1e-12
