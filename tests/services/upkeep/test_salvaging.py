"""What cannot be read: it comes from the backup, or stands for itself, and is told."""

import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.services.labelling import entering
from reviewer.services.project import backups, reading
from reviewer.services.project.session import Session
from reviewer.services.upkeep import doctor, projects
from reviewer.store.project import Project
from reviewer.store.standins import LOST_TAG, LOST_TEXT
from tests.building import build_project, record

PAGE = 4096
COUNT = 60
LABEL = {"metric": "accuracy", "labeler": "ann", "comment": "because of this " * 12}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(
        tmp_path / "p.review",
        evaluations=[
            record(n, labels=[LABEL | {"value": n % 5 + 1}]) for n in range(1, COUNT + 1)
        ],
    )


def ask(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as conn:
        return conn.execute(query).fetchall()


def leaves(path: Path, name: str) -> list[int]:
    query = f"SELECT pageno FROM dbstat WHERE name = '{name}' AND pagetype = 'leaf' ORDER BY path"  # noqa: S608
    return [page for (page,) in ask(path, query)]


def spoil(path: Path, *pages: int) -> None:
    content = bytearray(path.read_bytes())
    for page in pages:
        content[(page - 1) * PAGE : page * PAGE] = bytes(range(256)) * (PAGE // 256)
    path.write_bytes(content)


def back_up(path: Path) -> Path:
    with Project.open(path) as opened:
        return backups.make(opened).file


def answer(path: Path, first: int, last: int) -> None:
    with closing(Session.open(path, "ann")) as session:
        for number in range(first, last):
            entering.commit(session, number, "safety", 2)


def test_what_is_lost_comes_from_the_backup_and_what_is_newer_stays(project: Path) -> None:
    backup = back_up(project)
    answer(project, 1, 40)
    before = ask(project, "SELECT * FROM labels")
    lost = leaves(project, "evaluations")[1]
    spoil(project, lost, leaves(project, "labels")[0])
    report = doctor.repair(project)
    assert (report.ok, report.repaired_from, report.lost) == (True, backup, ())
    assert ask(project, "SELECT * FROM labels") == before
    assert ask(project, "SELECT count(*) FROM evaluations") == [(COUNT,)]
    assert doctor.check(project).ok


def test_what_was_deleted_since_the_backup_stays_away(project: Path) -> None:
    back_up(project)
    with Project.open(project) as opened:
        opened.conn.execute("PRAGMA foreign_keys = OFF")
        for table, column in (("current_labels", "label"), ("labels", "id")):
            opened.conn.execute(f"DELETE FROM {table} WHERE {column} IN (1, 2, 59)")  # noqa: S608
    spoil(project, leaves(project, "evaluations")[1])
    assert doctor.repair(project).repaired_from is not None
    assert ask(project, "SELECT count(*) FROM labels WHERE id IN (1, 2, 59)") == [(0,)]


def test_a_backup_of_another_project_is_not_merged(project: Path, tmp_path: Path) -> None:
    other = build_project(tmp_path / "other.review", evaluations=5)
    folder = backups.folder(project)
    folder.mkdir()
    back_up(other).rename(folder / "20260101T000000.review")
    spoil(project, leaves(project, "evaluations")[1])
    report = doctor.repair(project)
    assert report.repaired_from is None
    assert report.lost


def test_a_label_without_its_evaluation_is_kept_on_one_that_says_so(project: Path) -> None:
    before = ask(project, "SELECT * FROM labels")
    spoil(project, leaves(project, "evaluations")[1])
    report = doctor.repair(project)
    assert ask(project, "SELECT * FROM labels") == before
    stand_ins = ask(
        project,
        "SELECT e.id, e.ext_id FROM evaluations e JOIN tags t ON t.evaluation = e.id "  # noqa: S608
        f"WHERE t.tag = '{LOST_TAG}' AND e.title = '{LOST_TEXT}' ORDER BY e.id",
    )
    assert stand_ins
    # run and id are in an index still
    assert [name for _, name in stand_ins] == [f"c-{key:04}" for key, _ in stand_ins]
    assert [(x.what, x.run, x.id) for x in report.lost] == [
        ("evaluation", "agent v7", name) for _, name in stand_ins
    ]
    assert report.to_json()["lost"][0] == {
        "what": "evaluation", "run": "agent v7", "id": stand_ins[0][1], "more": "",
    }  # fmt: skip
    with closing(Session.open(project, "ann")) as session:
        assert reading.view(session, stand_ins[0][0]).own["accuracy"].value is not None
    assert doctor.check(project).ok


def test_a_lost_label_keeps_its_value_and_is_listed_by_run_and_id(project: Path) -> None:
    query = "SELECT id, seq, evaluation, metric, labeler, turn, value, kind, at_us FROM labels"
    before, comments = ask(project, query), dict(ask(project, "SELECT id, comment FROM labels"))
    spoil(project, *leaves(project, "labels")[:2])
    report = doctor.repair(project)
    assert ask(project, query) == before
    bare = [key for key, said in ask(project, "SELECT id, comment FROM labels") if said is None]
    assert len(bare) > doctor.MOST_LISTED
    assert all(comments.values())
    assert [x.line for x in report.lost] == [
        f"label run agent v7: c-{key:04}, metric accuracy, labeler ann, its value is known, "
        "its comment is not"
        for key in bare
    ]
    assert report.lost_file is not None
    assert report.lost_file.read_text().splitlines() == [x.line for x in report.lost]
    assert report.lost_file.name in report.sentences[-1]


def test_labels_of_which_nothing_is_known_are_listed_as_well(project: Path) -> None:
    spoil(project, leaves(project, "labels")[0], *leaves(project, "current_labels"))
    report = doctor.repair(project)
    left = {key for (key,) in ask(project, "SELECT evaluation FROM labels")}
    assert [x.line for x in report.lost] == [
        f"label run agent v7: c-{key:04}, metric accuracy, labeler ann"
        for key in range(1, COUNT + 1)
        if key not in left
    ]


def test_a_score_keeps_its_value_where_only_an_index_has_it(project: Path) -> None:
    before = ask(project, "SELECT evaluation, metric, value FROM scores ORDER BY 1, 2")
    spoil(project, leaves(project, "scores")[0])
    report = doctor.repair(project)
    assert ask(project, "SELECT evaluation, metric, value FROM scores ORDER BY 1, 2") == before
    assert {x.what for x in report.lost} == {"score"}
    assert "its value is known, its reasoning is not" in report.lost[0].more


def test_names_come_back_from_their_index(project: Path) -> None:
    before = ask(project, "SELECT * FROM metrics")
    spoil(project, *leaves(project, "metrics"))
    assert doctor.repair(project).ok
    assert ask(project, "SELECT * FROM metrics") == before


def test_a_lost_rubric_is_the_one_that_ships_under_its_name(tmp_path: Path) -> None:
    from reviewer.domain.errors import Silent

    path = projects.make_demo(tmp_path / "p.review", "agent-rubric", Silent())
    (body,) = ask(path, "SELECT body FROM rubric_versions")[0]
    spoil(path, *leaves(path, "rubric_versions"))
    report = doctor.repair(path)
    assert any("ships under this name" in x.more for x in report.lost)
    assert ask(path, "SELECT body FROM rubric_versions") == [(body,)]


def test_a_lost_rubric_without_that_is_proposed_and_says_so(project: Path) -> None:
    spoil(project, *leaves(project, "rubric_versions"))
    report = doctor.repair(project)
    assert any("import the rubric again" in x.more for x in report.lost)
    with closing(Session.open(project, "ann")) as session:
        rubric = session.rubric_of(1)
        assert set(rubric.by_name) == {"relevance", "accuracy", "safety"}
        assert "could not be read" in (rubric.description or "")


def test_zeros_at_the_end_of_a_text_are_seen(project: Path) -> None:
    with closing(Session.open(project, "ann")) as session:
        entering.comment(session, 3, "accuracy", "why " * 3_000)
    query = "SELECT max(pageno) FROM dbstat WHERE name = 'labels' AND pagetype = 'overflow'"
    [(page,)] = ask(project, query)
    content = bytearray(project.read_bytes())
    content[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
    project.write_bytes(content)
    assert doctor.check(project).problems == ("the end of a text is overwritten with zeros",)
    assert [x.id for x in doctor.repair(project).lost] == ["c-0003"]


def test_a_broken_log_is_seen_and_costs_what_is_broken_only(project: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    killed.mkdir()
    with closing(Session.open(project, "ann")) as session:
        for number in range(1, 30):
            entering.commit(session, number, "safety", 2)
        for suffix in ("", "-wal"):
            (killed / f"p.review{suffix}").write_bytes(Path(f"{project}{suffix}").read_bytes())
        before = ask(project, "SELECT * FROM labels")
    log = killed / "p.review-wal"
    content = bytearray(log.read_bytes())
    content[32 + 24 + 100] ^= 255
    log.write_bytes(content)
    path = killed / "p.review"
    assert doctor.check(path).problems == ("a part of the log beside the file is damaged",)
    assert log.read_bytes() == bytes(content)
    assert doctor.repair(path).ok
    assert ask(path, "SELECT * FROM labels") == before


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("size", [50_000, 300_000])
def test_a_full_disk_is_a_sentence_and_leaves_nothing_behind(project: Path, size: int) -> None:
    spoil(project, leaves(project, "evaluations")[1])
    before = {x.name: x.read_bytes() for x in project.parent.iterdir()}
    with largest_file(size), pytest.raises(ProjectError, match=r"^p\.review: The disk "):
        doctor.repair(project)
    assert {x.name: x.read_bytes() for x in project.parent.iterdir()} == before
    assert doctor.repair(project).ok
