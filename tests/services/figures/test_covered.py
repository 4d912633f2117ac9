from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.services.figures.covered import covered
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, record


def test_without_filters_every_run_of_the_newest_rubric_is_covered(tmp_path: Path) -> None:
    cases = [record(1, run="r1"), record(2, run="r2")]
    path = build_project(tmp_path / "p.review", evaluations=cases, runs=("r1", "r2"))
    with Project.open(path) as project:
        found = covered(project, Scope())
        assert (found.rubric, found.runs, found.left_out) == (RUBRIC, ("r1", "r2"), ())
        assert covered(project, Scope(runs=("r2",))).runs == ("r2",)


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
