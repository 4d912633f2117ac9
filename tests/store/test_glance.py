"""A glance counts without touching the file."""

from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.store import connecting, copying
from reviewer.store.project import Project
from tests.building import build_project, record


def test_the_counts_are_those_of_the_project(tmp_path: Path) -> None:
    label = {"metric": "accuracy", "labeler": "ann", "value": 2, "at": "2026-11-18T10:00:00Z"}
    path = build_project(
        tmp_path / "a.review",
        evaluations=[record(1, labels=[label, {**label, "labeler": "ben"}]), record(2)],
    )
    counts = connecting.look(path)
    assert (counts.evaluations, counts.labelled, counts.labelers, counts.runs) == (2, 1, 2, 1)


def test_nothing_is_left_beside_a_closed_project(tmp_path: Path) -> None:
    path = build_project(tmp_path / "a.review", evaluations=3)
    before = path.read_bytes()
    connecting.look(path)
    assert copying.problems(path) == []
    assert copying.changes_of(path)
    assert path.read_bytes() == before
    assert [x.name for x in tmp_path.iterdir()] == ["a.review"]


def test_what_another_window_has_not_moved_into_the_file_is_counted(tmp_path: Path) -> None:
    path = build_project(tmp_path / "a.review", evaluations=3)
    with Project.open(path) as project:
        with project.write() as conn:
            conn.execute("UPDATE evaluations SET hidden = 1 WHERE id = 1")
        assert connecting.look(path).evaluations == 2


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\x00" + b"\0" * 200])
def test_what_is_no_project_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.review"
    path.write_bytes(content)
    with pytest.raises(ProjectError, match=r"odd\.review"):
        connecting.look(path)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="no project file"):
        connecting.look(tmp_path / "none.review")


def test_a_newer_versions_file_is_left_alone(tmp_path: Path) -> None:
    path = build_project(tmp_path / "a.review", evaluations=1)
    with Project.open(path) as project:
        project.conn.execute("PRAGMA user_version = 99")
    with pytest.raises(ProjectError, match="this version"):
        connecting.look(path)
