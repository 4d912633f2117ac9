"""The harness's rows and summary."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.evaluation import Score
from reviewer.domain.rubric_check import checked
from reviewer.reports.cases import ScoredCase
from reviewer.reports.systems.harness import (
    METRICS,
    NO_CATEGORY,
    band_words,
    harness_rows,
    harness_summary,
)
from reviewer.scoring.overall import overall_rule
from reviewer.scoring.scorer import Case
from reviewer.stats.satisfaction import verdict, weighted_mean
from tests.resources.demo_records import RESOURCES, rubric_of

FIELDS = rubric_of(RESOURCES / "rubrics" / "harness.toml")
RUBRIC = checked(FIELDS)


def scored(
    tool: float | None, quality: float | None, error: float | None, category: str | None = "a"
) -> ScoredCase:
    values = dict(zip(METRICS, (tool, quality, error), strict=True))
    scores = {name: Score(metric=name, value=value) for name, value in values.items()}
    return ScoredCase(Case(id="1", question="Q?", category=category, latency_ms=12), scores)


def test_a_row_has_exactly_the_fields_of_the_system() -> None:
    (row,) = harness_rows([scored(1, 0.8, 1)], RUBRIC)
    found = row.to_json()
    assert list(found) == [
        "question", "category", "expected_tools", "tools_used", "expected_keywords", "response",
        "error", "tool_score", "quality_score", "error_score", "final_score", "grade",
        "latency_ms",
    ]  # fmt: skip
    assert (found["tool_score"], found["quality_score"], found["grade"]) == (1, 0.8, "A")
    assert row.final.shown == "0.92 (92 %) A"


def test_the_summary_averages_questions_and_categories() -> None:
    rows = harness_rows([scored(1, 1, 1), scored(0, 0.5, 1), scored(1, 0.5, 1, None)], RUBRIC)
    summary = harness_summary(rows, RUBRIC)
    assert summary.to_json() == {
        "overall_score": (1 + 0.4 + 0.8) / 3,
        "grade": "C",
        "categories": {
            "a": {"score": 0.7, "grade": "C", "n": 2},
            NO_CATEGORY: {"score": 0.8, "grade": "B", "n": 1},
        },
    }
    assert summary.overall.shown == "0.73 (73 %) C"


def test_a_grade_says_what_it_means() -> None:
    words = list(map(band_words, harness_summary([], RUBRIC).overall.graded))
    assert words[0] == "A, from 0.90: excellent response"
    assert words[-1] == "F, from 0.00: poor, significant issues"


def test_no_questions_have_no_score() -> None:
    assert harness_summary([], RUBRIC).to_json() == {
        "overall_score": None,
        "grade": None,
        "categories": {},
    }
    assert (
        harness_summary(harness_rows([scored(None, None, None)], RUBRIC), RUBRIC).overall.score
        is None
    )


def test_crashes_that_pass_are_counted_in_a_warning() -> None:
    rows = harness_rows([scored(1, 1, 0), scored(1, 1, 1)], RUBRIC)
    assert harness_summary(rows, RUBRIC).warnings[0].startswith("1 of 2 questions")


def test_the_rubric_can_zero_the_total_after_an_error() -> None:
    metrics = [
        metric
        | ({"parameters": {"error_zeroes_total": True}} if metric["name"] == METRICS[2] else {})
        for metric in FIELDS["metrics"]
    ]
    strict = checked(FIELDS | {"metrics": metrics})
    (row,) = harness_rows([scored(1, 1, 0)], strict)
    assert row.final.value == 0


@pytest.mark.parametrize("quality", [None, 1, 5])
def test_answer_quality_stands_beside_the_sum(quality: float | None) -> None:
    plain = scored(1, 0.5, 1)
    judged = replace(
        plain,
        scores=dict(plain.scores)
        | {"answer_quality": Score(metric="answer_quality", value=quality)},
    )
    (before,), (after,) = harness_rows([plain], RUBRIC), harness_rows([judged], RUBRIC)
    assert after.to_json() == before.to_json()
    rule = overall_rule(RUBRIC)
    values = judged.values(RUBRIC.by_name)
    assert weighted_mean(values, rule) == pytest.approx(0.8)
    assert verdict(values, rule) == verdict(plain.values(METRICS), rule) == "pass"


def test_answer_quality_alone_makes_no_overall() -> None:
    alone = {"answer_quality": 5.0}
    assert weighted_mean(alone, overall_rule(RUBRIC)) is None
    assert verdict(alone, overall_rule(RUBRIC)) != "pass"


@given(st.permutations([scored(a, b, c) for a in (0, 1) for b in (0.1, 0.7) for c in (0, 1)]))
def test_order_does_not_matter(cases: list[ScoredCase]) -> None:
    summary = harness_summary(harness_rows(cases, RUBRIC), RUBRIC)
    mixed = harness_summary(harness_rows(cases[::-1], RUBRIC), RUBRIC)
    assert summary.to_json() == mixed.to_json()
