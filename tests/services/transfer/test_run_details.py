"""What a run holds: categories, scorers, imports."""

from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError, Silent
from reviewer.services.transfer import run_details, undoing
from reviewer.services.upkeep import projects
from reviewer.store.project import Project
from tests.building import build_project, record


def test_categories_count_evaluations_and_labelled_ones(tmp_path: Path) -> None:
    label = {"metric": "accuracy", "labeler": "bo", "value": 1, "kind": "label"}
    records = [
        record(1, category="a", labels=[label]),
        record(2, category="a", labels=[label | {"kind": "withdrawn", "value": None}]),
        record(3, category=None),
    ]
    path = build_project(tmp_path / "c.review", evaluations=records)
    with closing(Project.open(path)) as project:
        found = run_details.of_run(project, "agent v7")
    assert [(x.name, x.evaluations, x.labelled) for x in found.categories] == [
        ("a", 2, 1),
        (None, 1, 0),
    ]
    (only,) = found.score_sets
    assert only.metrics == {"relevance": 3, "accuracy": 3, "safety": 3}


def test_failed_attempts_are_counted_apart(tmp_path: Path) -> None:
    failed = {"metric": "accuracy", "value": None, "error": "timeout", "scorer": "judge"}
    path = build_project(tmp_path / "f.review", evaluations=[record(1, scores=[failed])])
    with closing(Project.open(path)) as project:
        (only,) = run_details.of_run(project, "agent v7").score_sets
    assert (only.metrics, only.failed) == ({"accuracy": 0}, 1)


def test_imports_stand_with_what_they_brought(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "demo.review", "harness", Silent())
    with closing(Project.open(path)) as project:
        (run, *_) = projects.list_runs(project)
        (entry,) = run_details.of_run(project, run.name).imports
        assert entry.source == "harness.jsonl"
        assert entry.counts["added"] >= run.evaluations
        undoing.undo_import(project, entry.number)
        assert projects.list_runs(project) == ()


def test_a_run_that_is_gone_is_said(tmp_path: Path) -> None:
    path = build_project(tmp_path / "g.review")
    with closing(Project.open(path)) as project, pytest.raises(ProjectError, match="no run 'x'"):
        run_details.of_run(project, "x")
