"""Rubrics: the shipped ones, TOML both ways, versions, and proposals."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Rubric
from reviewer.services.project import rubrics
from reviewer.services.project.rubrics import MetricSample
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project


def test_shipped_rubrics_survive_being_written(tmp_path: Path) -> None:
    shipped = rubrics.shipped()
    assert set(shipped) == {
        "harness", "agent-rubric", "faq-bot", "guest-response", "virtual-agent",
    }  # fmt: skip
    for rubric in shipped.values():
        file = tmp_path / f"{rubric.name}.toml"
        file.write_text(rubrics.to_toml(rubric), encoding="utf-8")
        assert rubrics.load(file) == rubric


@example("one\r\ntwo")
@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_any_text_survives_being_written(text: str) -> None:
    rubric = replace(RUBRIC, description=text)
    assert rubrics.from_toml(rubrics.to_toml(rubric)) == rubric


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = x", "no TOML.*line 1"),
        ('name = "x"', "metrics is missing; add it"),
        ('name = "x"\nmetrics = []', "metrics"),
        ('name="x"\n[[metrics]]\nname="a"\nweigth=1', r"metrics\[0\].weigth is no field"),
        ('name="x"\n[[metrics]]\nname="a"', "an ordinal scale needs"),
        (
            'name="x"\n[[metrics]]\nname="a"\nscale="stars"',
            r"metrics\[0\].scale: 'stars' was found",
        ),
        ('name="x"\npass_rule="overall"\n[[metrics]]\nname="a"\nscale="binary"', "needs pass_at"),
    ],
)
def test_a_broken_rubric_says_where(text: str, words: str) -> None:
    with pytest.raises(RubricError, match=rf"own.toml.*{words}"):
        rubrics.from_toml(text, "own.toml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="no such file"):
        rubrics.load(tmp_path / "gone.toml")
    (tmp_path / "wide.toml").write_bytes("name = 'x'".encode("utf-16"))
    with pytest.raises(RubricError, match="not in UTF-8"):
        rubrics.load(tmp_path / "wide.toml")


def test_a_change_is_a_version_and_the_same_is_none(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review")
    with Project.open(path) as project:
        assert rubrics.save_version(project, RUBRIC) == RUBRIC
        changed = replace(RUBRIC, description="Other.")
        assert rubrics.save_version(project, changed).version == "2"
        assert rubrics.current(project, "guest").description == "Other."
        named = replace(changed, description="Third.", version="draft")
        assert rubrics.save_version(project, named).version == "draft"
        assert [x.version for x in rubrics.versions(project, "guest")] == ["draft", "2", "1"]
        with pytest.raises(RubricError, match="no rubric 'x'; there are: guest"):
            rubrics.current(project, "x")


def test_another_set_of_metrics_changes_what_is_complete(tmp_path: Path) -> None:
    labels = [{"metric": name, "labeler": "ann", "value": 3} for name in ("accuracy", "safety")]
    path = build_project(
        tmp_path / "p.review",
        evaluations=[{"id": "a", "input": "x", "labels": labels}],
    )
    with Project.open(path) as project:
        state = "SELECT answered, complete FROM states"
        assert project.conn.execute(state).fetchall() == [(2, 0)]
        rubrics.save_version(project, replace(RUBRIC, metrics=RUBRIC.metrics[1:]))
        assert project.conn.execute(state).fetchall() == [(2, 1)]


def _proposed(*values: bool | float | str) -> Rubric:
    sample = MetricSample()
    for value in values:
        sample.see(value)
    return rubrics.propose({"m": sample}, "r")


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ((1, 5), "one of 1, 2, 3, 4, 5"),
        ((2.0, 3.0), "one of 1, 2, 3, 4, 5"),
        ((1, 6), "one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"),
        ((0, 2), "one of 0, 1, 2"),
        ((0, 0), "one of 0, 1"),
        ((0.5, 1), "a number from 0 to 1"),
        ((1.5, 5), "a number from 1 to 5"),
        ((0.5, 7), "a number from 0 to 10"),
        ((11, 12), "a number from 0 to 100"),
        ((-1, 1), "a number from -1 to 1"),
        ((150.5, 150.5), "a number from 150.5 to 151.5"),
        ((True, False), "0 or 1"),
        (("b", "a", "tie"), "one of a, b, tie"),
        ((2, 1, "N/A (made no sense)", 0), "one of 0, 1, 2"),
        ((1, "good", "bad"), "one of bad, good"),
    ],
)
def test_scales_that_are_proposed(values: tuple[bool | float | str, ...], scale: str) -> None:
    assert _proposed(*values).metrics[0].describe_scale() == scale


def test_too_many_texts_are_no_scale() -> None:
    with pytest.raises(RubricError, match="no score and no label"):
        _proposed(*map(str, range(13)))


@pytest.mark.parametrize("value", [1e25, -1e25])
def test_a_lone_value_beyond_what_floats_count_has_a_range(value: float) -> None:
    (metric,) = _proposed(value).metrics
    assert metric.bounds == tuple(sorted((0.0, value)))
