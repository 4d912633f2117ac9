import tomllib
from pathlib import Path

import pytest

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.domain.rubric_check import checked
from reviewer.scoring.overall import grade_bands
from reviewer.services.project.figure_rules import (
    Derivation,
    derivations,
    overall_rule,
    scale_of,
    scale_values,
    verdict_rule,
)
from reviewer.stats.deviations import PUBLISHED, RECOMMENDED
from reviewer.stats.values import Scale
from tests.services.figure_projects import MIXED

RUBRICS = Path(__file__).resolve().parents[3] / "resources" / "rubrics"


def shipped(name: str) -> Rubric:
    return checked(tomllib.loads((RUBRICS / f"{name}.toml").read_text()))


def test_scales_are_the_declared_ones() -> None:
    assert scale_of(MIXED.by_name["a"]) == Scale((1, 2, 3, 4, 5))
    assert scale_of(MIXED.by_name["tone"]) == Scale((0, 1, 2), ordered=False)
    assert scale_of(MIXED.by_name["share"]) is None
    assert scale_of(MIXED.by_name["length"]) is None
    binary = Metric(name="ok", scale="binary")
    assert scale_of(binary) == Scale((0, 1))
    assert scale_values(binary) == (0, 1)
    assert scale_values(MIXED.by_name["tone"]) == ("warm", "cold", "odd")
    assert scale_values(MIXED.by_name["share"]) == ()


def test_the_overall_leaves_out_what_has_no_number_or_extent() -> None:
    rubric = Rubric(
        name="r",
        metrics=(
            Metric(name="one", levels=(Level(value=1),)),
            Metric(name="tone", scale="categorical", values=("x",)),
            Metric(name="length", scale="measure"),
        ),
    )
    assert overall_rule(rubric, PUBLISHED).parts == ()
    assert [part.name for part in overall_rule(MIXED, PUBLISHED).parts] == [
        "a", "b", "least", "unweighted", "reversed", "share",
    ]  # fmt: skip
    assert overall_rule(MIXED, RECOMMENDED).require_weighted_label


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("guest-response", (1, 5)),
        ("harness", (0, 1)),
        ("agent-rubric", (0, 1)),
        ("faq-bot", (1, 5)),
        ("virtual-agent", (1, 5)),
    ],
)
def test_shipped_rubrics_have_their_own_range(name: str, expected: tuple[float, float]) -> None:
    assert overall_rule(shipped(name), PUBLISHED).range == expected


def test_the_virtual_agents_rules_are_read() -> None:
    found = derivations(shipped("virtual-agent"))
    assert found["request_completion"] == Derivation("min", ("slot_filling", "intent_accuracy"))
    assert list(found)[-1] == "user_satisfaction"
    assert len(found["user_satisfaction"].parts) == 8
    assert grade_bands(shipped("virtual-agent"))[0].grade == "Very satisfied"


def test_rules_that_name_unknown_metrics_are_passed_over() -> None:
    rubric = Rubric(
        name="r",
        metrics=(
            Metric(name="a", scale="binary"),
            Metric(name="b", scale="range", min=0, max=1, derived="min(a, nothing)"),
            Metric(name="c", scale="range", min=0, max=1, derived="sum(a)"),
        ),
    )
    assert derivations(rubric) == {}


def test_verdicts_with_every_look_at_marked_metrics_only() -> None:
    assert [part.name for part in verdict_rule(MIXED, PUBLISHED).parts] == ["a", "b"]
    assert verdict_rule(shipped("harness"), PUBLISHED).pass_at == 0.7
    assert verdict_rule(shipped("virtual-agent"), PUBLISHED).passing == "none"
