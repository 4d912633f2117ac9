"""Rubrics as the keys of their files, and back."""

import json
import tomllib

import pytest

from reviewer import paths
from reviewer.domain.rubric import Rubric
from reviewer.domain.rubric_check import checked
from reviewer.domain.rubric_keys import keys_of, rubric_of

FILES = sorted((paths.resources() / "rubrics").glob("*.toml"))


def shipped(name: str) -> Rubric:
    return checked(tomllib.loads((paths.resources() / "rubrics" / name).read_text("utf-8")))


@pytest.mark.parametrize("name", [file.name for file in FILES])
@pytest.mark.parametrize("defaults", [True, False])
def test_keys_read_back_as_the_same_rubric(name: str, *, defaults: bool) -> None:
    rubric = shipped(name)
    kept = json.loads(json.dumps(keys_of(rubric, defaults=defaults)))
    assert rubric_of(kept) == checked(kept) == rubric


def test_keys_are_spelt_and_ordered_as_in_the_file() -> None:
    rubric = checked(
        {"name": "r", "metrics": [{"name": "a", "scale": "binary"}],
         "grades": [{"grade": "low", "from": 0}], "tools": [{"name": "t", "for": "looking"}]}
    )  # fmt: skip
    keys = keys_of(rubric)
    assert list(keys)[:3] == ["name", "version", "description"]
    assert keys["grades"] == [{"from": 0.0, "grade": "low", "meaning": ""}]
    assert keys["tools"][0]["for"] == "looking"
    assert keys_of(rubric, defaults=False)["metrics"] == [{"name": "a", "scale": "binary"}]


def test_numbers_that_json_wrote_without_a_point_are_read_as_such() -> None:
    metric = rubric_of(
        {"name": "r", "metrics": [{"name": "a", "scale": "range", "min": 0, "max": 1}]}
    ).metrics[0]
    assert [repr(x) for x in (metric.min, metric.max, metric.weight)] == ["0.0", "1.0", "1.0"]
