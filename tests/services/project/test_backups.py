"""Backups: consistent while in use, made when something changed, thinned by age."""

import hashlib
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.services.labelling import entering
from reviewer.services.project import backups
from reviewer.services.project.session import Session
from reviewer.store import copying
from reviewer.store.project import Project
from tests.building import build_project

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.review")


def test_a_backup_is_whole_and_knows_its_hash(project: Path, tmp_path: Path) -> None:
    with Project.open(project) as opened:
        made = backups.make(opened, tmp_path / "copy.review")
    content = made.file.read_bytes()
    assert (made.bytes, made.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert copying.problems(made.file) == []
    with Project.open(made.file) as copy:
        assert copy.conn.execute("SELECT count(*) FROM visible_evaluations").fetchone() == (12,)


def test_a_backup_is_consistent_beside_a_labeler(project: Path, tmp_path: Path) -> None:
    ready, stop = threading.Event(), threading.Event()

    def press() -> None:
        with closing(Session.open(project, "ann")) as session:
            number = 0
            while not stop.is_set():
                entering.commit(session, number % 12 + 1, "accuracy", number % 5 + 1)
                number += 1
                ready.set()

    presser = threading.Thread(target=press)
    presser.start()
    ready.wait()
    try:
        with Project.open(project) as opened:
            made = [backups.make(opened, tmp_path / f"{number}.review") for number in range(3)]
    finally:
        stop.set()
        presser.join()
    for backup in made:
        with Project.open(backup.file) as copy:
            seq = copy.conn.execute("SELECT max(seq) FROM labels").fetchone()[0]
            assert copying.changes(copy) >= seq


def test_a_backup_never_replaces_the_project(project: Path) -> None:
    with Project.open(project) as opened, pytest.raises(ProjectError, match="project itself"):
        backups.make(opened, project)
    with Project.open(project) as opened, pytest.raises(ProjectError, match="cannot be"):
        backups.make(opened, project.parent / "none" / "copy.review")


def test_automatic_backups_follow_changes(project: Path) -> None:
    with closing(Session.open(project, "ann")) as session:
        assert backups.automatic(session.project, NOW) is not None
        assert backups.automatic(session.project, NOW) is None
        entering.commit(session, 1, "accuracy", 3)
        later = backups.automatic(session.project, NOW + timedelta(hours=1))
    assert later is not None
    assert later.file == project.parent / "p.backups" / "20261120T130000.review"


def test_old_backups_are_thinned(tmp_path: Path) -> None:
    kept = ["20261120T110000", "20261120T100000", "20261120T100000-2", "20261119T230000",
            "20261101T080000", "20260930T000000", "20260601T000000"]  # fmt: skip
    gone = ["20261119T010000", "20261101T070000", "20260928T000000", "20240601T000000"]
    for stamp in (*kept, *gone):
        (tmp_path / f"{stamp}.review").touch()
    (tmp_path / "mine.review").touch()
    removed = backups.thin(tmp_path, NOW)
    assert {file.stem for file in removed} == set(gone)
    assert {file.stem for file in tmp_path.iterdir()} == {*kept, "mine"}


def test_the_newest_whole_backup_is_found(project: Path) -> None:
    with Project.open(project) as opened:
        first = backups.make(opened).file
    broken = first.with_name("29991231T000000.review")
    broken.write_bytes(first.read_bytes()[:5000])
    assert backups.newest_whole(project) == first


def test_a_damaged_project_costs_no_backup(project: Path) -> None:
    with Project.open(project) as opened:
        whole = backups.automatic(opened, NOW - timedelta(days=3))
        assert whole is not None
        opened.set_setting("time_zone", "Europe/Berlin")
        with opened.write():
            opened.next_seq()
    content = bytearray(project.read_bytes())
    content[-8192:] = b"\xff" * 8192
    project.write_bytes(content)
    with Project.open(project) as opened, pytest.raises(ProjectError, match="reviewer doctor"):
        backups.automatic(opened, NOW)
    assert list(backups.folder(project).iterdir()) == [whole.file]
