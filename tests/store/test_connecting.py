"""Opening files: on disks that cannot be written, and without the memory that shares lack."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.store import connecting, copying
from reviewer.store.project import Project
from tests.building import build_project


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "small.review", evaluations=3)


@pytest.fixture
def sealed(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project on a disk where SQLite can make no file beside it."""
    really = sqlite3.connect

    class Sealed(sqlite3.Connection):
        def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
            if sql.startswith("PRAGMA schema_version"):
                raise sqlite3.OperationalError("unable to open database file")
            return super().execute(sql, parameters)  # type: ignore[arg-type]

    def connect(name: str, **rest: object) -> sqlite3.Connection:
        if "mode=ro" in name and "immutable" not in name:
            rest["factory"] = Sealed
        return really(name, **rest)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr("sqlite3.connect", connect)
    monkeypatch.setattr("reviewer.store.connecting.writable", lambda _: False)
    return path


def test_a_project_on_a_read_only_disk_is_shown(sealed: Path) -> None:
    with Project.open(sealed) as project:
        assert project.conn.execute("SELECT count(*) FROM visible_evaluations").fetchone()[0] == 3
    assert connecting.look(sealed).evaluations == 3
    assert copying.problems(sealed) == []
    assert [x.name for x in sealed.parent.iterdir()] == ["small.review"]


def test_what_was_not_closed_is_not_shown_half(sealed: Path) -> None:
    sealed.with_name("small.review-wal").write_bytes(b"the newest labels")
    with pytest.raises(ProjectError, match=r"Copy both files"):
        Project.open(sealed)


def test_a_write_ahead_file_that_arrives_on_a_share_is_opened_without_shared_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.store.connecting.warning", lambda _: "It lies on a share.")
    with closing(connecting.connect(path, "rw", alone=True)) as conn:
        assert conn.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert not path.with_name("small.review-shm").exists()
    with Project.open(path) as one, Project.open(path) as other:
        one.set_setting("a", "b")
        assert other.setting("a") == "b"
        other.set_setting("a", "c")
        assert one.setting("a") == "c"


def test_a_copy_that_cannot_be_written_leaves_nothing(path: Path, tmp_path: Path) -> None:
    with Project.open(path) as project:
        with pytest.raises(ProjectError):
            copying.copy(project, tmp_path / "missing" / "copy.review")
        target = tmp_path / "taken"
        target.mkdir()
        with pytest.raises(ProjectError, match="cannot be written"):
            copying.copy(project, target)
    shutil.rmtree(target)
    assert [x.name for x in tmp_path.iterdir()] == ["small.review"]
