"""The doctor: what it finds, mends, and replaces without ever deleting."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.domain.monitoring import Monitor
from reviewer.services.monitoring import looking
from reviewer.services.project import backups
from reviewer.services.project.session import Session
from reviewer.services.upkeep import doctor
from reviewer.store.project import Project
from tests.building import build_project, record

LABEL = {"metric": "accuracy", "labeler": "ann", "value": 3}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(
        tmp_path / "p.review", evaluations=[record(1, labels=[LABEL]), record(2), record(3)]
    )


def spoil(project: Path, *statements: str) -> None:
    with Project.open(project) as opened:
        opened.conn.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            opened.conn.execute(statement)


def test_a_sound_project_is_left_alone(project: Path) -> None:
    before = project.read_bytes()
    assert doctor.check(project) == doctor.DoctorReport(ok=True)
    assert doctor.repair(project).ok
    assert project.read_bytes() == before
    assert doctor.check(project).to_json() == {
        "schema": 1, "ok": True, "problems": [], "repaired_from": None, "offer": None,
        "set_aside": None, "lost": [], "lost_file": None, "doubtful": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE counters SET value = 0 WHERE name = 'seq'", "counter of changes"),
        ("UPDATE counters SET value = 2 WHERE name = 'visible'", "left rows behind"),
        ("DELETE FROM current_labels", "current labels"),
        ("UPDATE current_labels SET value = 5", "current labels"),
        ("UPDATE current_labels SET place = 7", "current labels"),
        ("INSERT INTO search(search) VALUES ('delete-all')", "text search knows 0 of 3"),
    ],
)
def test_what_follows_from_the_rest_is_mended(project: Path, statement: str, problem: str) -> None:
    spoil(project, statement)
    found = doctor.check(project)
    assert not found.ok
    assert problem in found.problems[0]
    mended = doctor.repair(project)
    assert (mended.ok, mended.repaired_from) == (True, None)
    assert doctor.check(project).ok
    with Project.open(project) as opened:
        query = "SELECT rowid FROM search WHERE search MATCH '\"answer 2\"'"
        assert opened.conn.execute(query).fetchall() == [(2,)]
        assert opened.conn.execute("SELECT value FROM current_labels").fetchall() == [(3,)]


def test_a_decision_that_was_taken_back_is_no_problem_and_one_that_is_missing_is(
    tmp_path: Path,
) -> None:
    def decision(value: int | None, day: int) -> dict[str, Any]:
        at = f"2026-11-{day:02}"
        return LABEL | {"value": value, "kind": "adjudication", "at": at}

    taken_back = record(1, labels=[decision(4, 1), decision(None, 2)])
    standing = record(2, labels=[LABEL, decision(4, 1)])
    project = build_project(tmp_path / "p.review", evaluations=[taken_back, standing])
    assert doctor.check(project).ok
    spoil(project, "DELETE FROM current_labels WHERE decided = 1")
    assert "current labels" in doctor.check(project).problems[0]
    assert doctor.repair(project).ok
    assert doctor.check(project).ok


def _damage(project: Path) -> None:
    content = bytearray(project.read_bytes())
    content[8192:40960] = bytes(range(256)) * 128
    project.write_bytes(content)


def test_a_damaged_file_is_set_aside_for_its_backup(project: Path) -> None:
    with Project.open(project) as opened:
        backup = backups.make(opened).file
    _damage(project)
    damaged = project.read_bytes()
    assert not doctor.check(project).ok
    report = doctor.repair(project)
    assert (report.ok, report.repaired_from) == (True, backup)
    assert report.set_aside is not None
    assert report.set_aside.read_bytes() == damaged
    assert doctor.check(project).ok


def test_a_damaged_index_costs_no_row(project: Path) -> None:
    with Project.open(project) as opened:
        size = opened.conn.execute("PRAGMA page_size").fetchone()[0]
        (page,) = opened.conn.execute(
            "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 'labels' "
            "AND sql IS NOT NULL"
        ).fetchone()
        before = list(opened.conn.iterdump())
    content = bytearray(project.read_bytes())
    content[(page - 1) * size : page * size] = bytes(size)
    project.write_bytes(content)
    assert not doctor.check(project).ok
    report = doctor.repair(project)
    assert (report.ok, report.repaired_from) == (True, None)
    assert report.set_aside is not None
    assert report.set_aside.read_bytes() == bytes(content)
    assert doctor.check(project).ok
    with Project.open(project) as opened:
        after = list(opened.conn.iterdump())
        assert opened.conn.execute("SELECT value FROM labels").fetchall() == [(3,)]
    # indexes that others need no sooner are made last
    data = [sorted(x for x in dump if '"search_' not in x) for dump in (before, after)]
    assert data[0] == data[1]
    assert not list(project.parent.glob("*.part*"))


def test_without_a_readable_row_and_a_backup_nothing_is_touched(project: Path) -> None:
    content = project.read_bytes()
    project.write_bytes(content[:100] + bytes(range(256)) * (len(content) // 256 - 1))
    damaged = project.read_bytes()
    with pytest.raises(ProjectError, match="holds no whole backup"):
        doctor.repair(project)
    assert project.read_bytes() == damaged


def test_rows_that_belong_to_nothing_are_named_and_kept(project: Path) -> None:
    spoil(project, "DELETE FROM metrics WHERE name = 'accuracy'")
    found = doctor.check(project)
    assert "labels belong to nothing in metrics" in " ".join(found.problems)
    report = doctor.repair(project)
    assert [x.line for x in report.lost] == ["metric, metric 2"]
    with Project.open(project) as opened:
        query = "SELECT l.value, m.name FROM labels l JOIN metrics m ON m.id = l.metric"
        assert opened.conn.execute(query).fetchall() == [(3, "metric 2 (name lost)")]


def test_what_rows_refer_to_comes_from_the_backup(project: Path) -> None:
    with Project.open(project) as opened:
        backup = backups.make(opened).file
    spoil(project, "DELETE FROM metrics WHERE name = 'accuracy'")
    report = doctor.repair(project)
    assert (report.repaired_from, report.lost) == (backup, ())
    with Project.open(project) as opened:
        assert ("accuracy",) in opened.conn.execute("SELECT name FROM metrics").fetchall()


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="There is no project file"):
        doctor.check(tmp_path / "gone.review")


LACKING = {
    "DROP TABLE splits": "the table splits is missing, which every project has that was given out",
    "ALTER TABLE monitors DROP COLUMN watched": "the column watched of the table monitors is "
    "missing, which every project has that was given out",
}


@pytest.mark.parametrize("statement", LACKING)
def test_missing_tables_and_columns_are_told(project: Path, statement: str) -> None:
    spoil(project, "INSERT INTO splits VALUES (1, 'dev')")
    with Project.open(project) as opened:
        whole = backups.make(opened).file
    spoil(project, statement)
    with Project.open(project) as opened:
        backups.make(opened)
    found = doctor.check(project)
    assert (found.ok, found.problems) == (False, (LACKING[statement],))
    # the newer backup lacks it, too
    assert doctor.repair(project).repaired_from == whole
    assert doctor.check(project).ok
    with Project.open(project) as opened:
        assert opened.conn.execute("SELECT * FROM splits").fetchall() == [(1, "dev")]


def test_what_lacks_a_column_is_not_made_up(project: Path) -> None:
    with closing(Session.open(project)) as session:
        looking.keep(session, Monitor(rubric="guest"))
    spoil(project, "ALTER TABLE monitors DROP COLUMN watched")
    before = project.read_bytes()
    with pytest.raises(ProjectError, match="holds no whole backup"):
        doctor.repair(project)
    assert project.read_bytes() == before
    assert not list(project.parent.glob("*.part*"))


def test_a_missing_view_costs_no_row(project: Path) -> None:
    spoil(project, "DROP VIEW visible_evaluations")
    assert "the table visible_evaluations is missing" in doctor.check(project).problems[0]
    assert doctor.repair(project).set_aside is not None
    assert doctor.check(project).ok
    with Project.open(project) as opened:
        assert opened.conn.execute("SELECT value FROM labels").fetchall() == [(3,)]


def test_names_of_tables_that_are_no_text_are_damage(project: Path) -> None:
    data = project.read_bytes()
    project.write_bytes(data.replace(b"CREATE TABLE", b"CREATE TABL\xba"))
    assert doctor.check(project).problems
    with pytest.raises(ProjectError, match=r"p\.review"):
        Project.open(project)
    assert doctor.repair(project).set_aside is not None
    with Project.open(project) as opened:
        assert opened.conn.execute("SELECT value FROM labels").fetchall() == [(3,)]
