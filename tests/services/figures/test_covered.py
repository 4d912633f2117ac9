from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.services.figures.request import covered
from reviewer.store import rubrics
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, record


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """Two runs of one rubric, and between them one of another."""
    cases = [record(1, run="r1"), record(2, run="odd"), record(3, run="r2")]
    path = build_project(tmp_path / "p.review", evaluations=cases, runs=("r1", "odd", "r2"))
    with Project.open(path) as project:
        rubrics.add(project, replace(RUBRIC, name="other"))
        with project.write() as conn:
            conn.execute(
                "UPDATE runs SET rubric = (SELECT id FROM rubrics WHERE name = 'other') "
                "WHERE name = 'odd'"
            )
    return path


@pytest.mark.parametrize(
    ("scope", "runs", "left_out"),
    [
        (Scope(), ("r2",), ("r1", "odd")),
        (Scope(every_run=True), ("r1", "r2"), ("odd",)),
        (Scope(runs=("r1",)), ("r1",), ()),
        (Scope(runs=("r1", "r2")), ("r1", "r2"), ()),
        (Scope(runs=("r1", "odd")), ("odd",), ("r1",)),
    ],
)
def test_the_newest_run_is_covered_unless_others_are_named(
    several: Path, scope: Scope, runs: tuple[str, ...], left_out: tuple[str, ...]
) -> None:
    with Project.open(several) as project:
        found = covered(project, scope)
    assert (found.runs, found.left_out) == (runs, left_out)


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (Scope(runs=("r9",)), "no run 'r9' in this project; there are: r1"),
        (Scope(metrics=("tone",)), "no metric 'tone'; it has: relevance, accuracy, safety"),
    ],
)
def test_what_is_not_there_is_said(tmp_path: Path, scope: Scope, said: str) -> None:
    path = build_project(tmp_path / "p.review", evaluations=[record(1, run="r1")], runs=("r1",))
    with Project.open(path) as project, pytest.raises(ReviewerError, match=said):
        covered(project, scope)
