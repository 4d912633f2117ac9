from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.store.figures import read_evaluations
from reviewer.store.project import Project
from reviewer.store.scoping import condition
from tests.building import build_project, record


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    cases = [
        record(1, run="r1", tags=["x", "y"], meta={"site": "north", "deep": {"er": 3}}),
        record(2, run="r2", tags=["y"], site="north", complexity="high"),
        record(3, run="r2", error="time-out", case="c-0001", model="m"),
    ]
    path = build_project(tmp_path / "p.review", evaluations=cases, runs=("r1", "r2"))
    with Project.open(path) as opened:
        yield opened


def found(project: Project, scope: Scope, runs: tuple[int, ...] = (1, 2)) -> list[int]:
    return read_evaluations(project, condition(scope, runs)).keys.tolist()


def where(**fields: str) -> Scope:
    return Scope(where=tuple(fields.items()))


def test_runs_categories_and_tags(project: Project) -> None:
    assert found(project, Scope()) == [1, 2, 3]
    assert found(project, Scope(), (2,)) == [2, 3]
    assert found(project, Scope(), ()) == []
    assert found(project, Scope(categories=("policies", "directions"))) == [1, 2]
    assert found(project, Scope(tags=("x", "y"))) == [1, 2]


def test_fields_with_and_without_a_column(project: Project) -> None:
    assert found(project, where(complexity="high")) == [2]
    assert found(project, where(error="time-out")) == [3]
    assert found(project, where(case="c-0001")) == [1, 3]
    assert found(project, where(run="r2", id="c-0003")) == [3]
    assert found(project, where(model="m")) == [3]


def test_fields_that_have_no_column_are_found_in_the_record_and_its_meta(project: Project) -> None:
    assert found(project, where(site="north")) == [1, 2]
    assert found(project, Scope(where=(("deep.er", "3"),))) == [1]
    assert found(project, where(nothing="north")) == []
    assert found(project, Scope(where=(("it's", "o'clock; --"),))) == []


@pytest.mark.parametrize("name", ["", 'a"b'])
def test_a_malformed_field_is_said(project: Project, name: str) -> None:
    with pytest.raises(ReviewerError, match="no field name"):
        found(project, Scope(where=((name, "x"),)))
