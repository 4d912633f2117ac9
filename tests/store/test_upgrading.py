"""An older file: brought up to date, with a copy of it kept, or left exactly as it was."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.store import schema, upgrading
from reviewer.store.project import Project
from tests.building import build_project

NOW = schema.FORMAT
COUNT = "SELECT count(*) FROM visible_evaluations"


def add_moods(conn: sqlite3.Connection) -> None:
    conn.execute("CREATE TABLE moods(evaluation INTEGER PRIMARY KEY, mood TEXT)")
    conn.execute("INSERT INTO moods SELECT id, 'calm' FROM evaluations")


def break_midway(conn: sqlite3.Connection) -> None:
    conn.execute("DELETE FROM scores")
    conn.execute("INSERT INTO nowhere VALUES (1)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "old.review", evaluations=5)


def plant(monkeypatch: pytest.MonkeyPatch, step: Callable[[sqlite3.Connection], None]) -> None:
    """Let the program know one more step than the files that exist."""
    monkeypatch.setattr(upgrading, "CONVERSIONS", (*upgrading.CONVERSIONS, step))
    monkeypatch.setattr(schema, "FORMAT", NOW + 1)


def test_an_older_file_is_brought_up_to_date_and_a_copy_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, add_moods)
    with Project.open(path) as project:
        assert project.conn.execute(COUNT).fetchone()[0] == 5
        assert project.conn.execute("SELECT count(*) FROM moods").fetchone()[0] == 5
        assert project.conn.execute("PRAGMA user_version").fetchone()[0] == NOW + 1
        assert project.conn.execute("PRAGMA foreign_key_check").fetchall() == []
    monkeypatch.undo()
    with Project.open(path.with_name(f"old.review.format-{NOW}.bak")) as copy:
        assert copy.conn.execute(COUNT).fetchone()[0] == 5
    with pytest.raises(ProjectError, match="newer version"):
        Project.open(path)


def test_the_copy_holds_what_another_window_wrote_last(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Project.open(path) as other:
        # still in the log beside the file
        other.set_setting("time_zone", "Europe/Berlin")
        plant(monkeypatch, add_moods)
        with Project.open(path):
            pass
    monkeypatch.undo()
    with Project.open(path.with_name(f"old.review.format-{NOW}.bak")) as copy:
        assert copy.setting("time_zone") == "Europe/Berlin"


def test_a_step_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, break_midway)
    for _ in range(2):
        with pytest.raises(ProjectError):
            Project.open(path)
    monkeypatch.undo()
    with Project.open(path) as project:
        assert project.conn.execute("SELECT count(*) FROM scores").fetchone()[0] == 15
    # each attempt keeps a copy of its own: the first may be the only good one
    assert {x.name for x in path.parent.iterdir()} == {
        "old.review",
        f"old.review.format-{NOW}.bak",
        f"old.review.format-{NOW}-2.bak",
    }


def test_an_older_file_that_cannot_be_written_is_a_sentence(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, add_moods)
    monkeypatch.setattr("reviewer.store.connecting.writable", lambda _: False)
    before = path.read_bytes()
    with pytest.raises(ProjectError, match="older version"):
        Project.open(path)
    assert path.read_bytes() == before


def test_where_no_copy_can_be_kept_nothing_is_changed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, add_moods)
    copies = iter([path.parent / "missing" / "copy.bak"])
    monkeypatch.setattr("reviewer.store.upgrading._fresh", lambda *_: next(copies))
    with pytest.raises(ProjectError):
        Project.open(path)
    monkeypatch.undo()
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("PRAGMA user_version").fetchone()[0] == NOW
