"""A log of another file beside a project is not written over it."""

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.store import copying
from reviewer.store.project import Project
from tests.building import build_project


def left_behind(path: Path) -> bytes:
    """Write into a project whose program then ends without closing it: give its log."""
    with closing(Project.open(path)) as project:
        for number in range(50):
            project.set_setting(f"s{number}", "x" * 2000)
        # every page, so that the log alone is a whole project
        project.conn.execute("VACUUM")
        project.set_setting("before", "kept")
        return path.with_name(f"{path.name}-wal").read_bytes()


def lay(path: Path, log: bytes, at: float) -> Path:
    """Put a log beside a file that changes only afterwards."""
    beside = path.with_name(f"{path.name}-wal")
    beside.write_bytes(log)
    os.utime(beside, (at, at))
    return beside


@pytest.mark.parametrize("evaluations", [1, 40, 400])
def test_a_log_of_another_file_is_put_aside(tmp_path: Path, evaluations: int) -> None:
    path = build_project(tmp_path / "a.review", evaluations=3)
    log = left_behind(path)
    other = build_project(tmp_path / "other.review", evaluations=evaluations)
    theirs = other.read_bytes()
    lay(path, log, 1e9)
    other.replace(path)
    with closing(Project.open(path)) as project:
        told = project.followed
        count = project.conn.execute("SELECT count(*) FROM evaluations").fetchone()[0]
        assert not project.setting("before")
    assert count == evaluations
    assert path.read_bytes() == theirs
    assert copying.problems(path) == []
    assert "a.review-wal was of another file that stood in the place of a.review" in told
    assert (tmp_path / "a.review-wal (of another file 1)").read_bytes() == log


@pytest.mark.parametrize("at", [1e9, 4e9])
def test_a_log_of_its_own_is_taken_in_wherever_both_were_copied(tmp_path: Path, at: float) -> None:
    path = build_project(tmp_path / "a.review", evaluations=3)
    before = shutil.copy(path, tmp_path / "before")
    log = left_behind(path)
    Path(before).replace(path)
    lay(path, log, at)
    with closing(Project.open(path)) as project:
        assert project.setting("before") == "kept"
        assert project.followed == ""
    assert sorted(x.name for x in tmp_path.iterdir()) == ["a.review"]
