"""What a rubric from outside is held to."""

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from reviewer.domain.rubric_check import checked

METRIC: dict[str, Any] = {"name": "a", "scale": "binary"}


def test_lists_become_tuples_and_either_name_is_taken() -> None:
    rubric = checked(
        {"name": "r", "metrics": [METRIC | {"parameters": {"deep": [1, {"x": None}]}}],
         "grades": [{"from": 1, "grade": "low"}, {"lowest": 2, "grade": "high"}]}
    )  # fmt: skip
    assert [grade.lowest for grade in rubric.grades] == [1.0, 2.0]
    assert rubric.metrics[0].parameters == {"deep": [1, {"x": None}]}
    assert rubric.preset == "recommended"
    assert checked({"name": "r", "metrics": [METRIC], "preset": "published"}).preset == "published"


@pytest.mark.parametrize(
    "wrong",
    [
        {"metrics": []},
        {"name": ""},
        {"colour": "red"},
        {"metrics": [METRIC | {"weight": -1}]},
        {"metrics": [METRIC | {"weight": float("inf")}]},
        {"metrics": [METRIC | {"colour": "red"}]},
        {"metrics": [METRIC | {"scale": "ordinal"}]},
        {"metrics": [METRIC, METRIC]},
        {"metrics": [METRIC | {"parameters": {"since": date(2026, 1, 1)}}]},
        {"pass_rule": "overall"},
        {"preset": "mine"},
    ],
)
def test_what_breaks_a_rule_is_refused(wrong: dict[str, Any]) -> None:
    assert checked({"name": "r", "metrics": [METRIC]}).by_name["a"].scale == "binary"
    with pytest.raises(ValidationError):
        checked({"name": "r", "metrics": [METRIC]} | wrong)
