"""What an import replaced comes back when the import is taken back."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.transfer import exporting, importing, undoing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest, OnConflict
from reviewer.store import labels
from reviewer.store.project import Project
from tests.building import RUBRIC


def file_of(folder: Path, name: str, *answers: str, **more: Any) -> Path:
    score = {"metric": "accuracy", "value": 2, "scorer": "judge", "at": "2026-11-01T00:00:00Z"}
    records = [
        {"id": "a", "run": "R", "tags": ["x"], "input": "q", "response": answer, "scores": [score]}
        | more
        for answer in answers
    ]
    file = folder / name
    file.write_text("".join(json.dumps(x) + "\n" for x in records))
    return file


def bring(path: Path, file: Path, policy: OnConflict = "replace") -> int:
    request = ImportRequest((file,), rubric=RUBRIC, on_conflict=policy)
    return importing.run(path, request, Silent()).imports[0]


def exported(session: Session, to: Path) -> bytes:
    exporting.export(session.project, to, ExportRequest(), Silent())
    return to.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    bring(tmp_path / "p.review", file_of(tmp_path, "first.jsonl", "the pool is heated"))
    return tmp_path / "p.review"


@pytest.mark.parametrize("policy", ["replace", "version"])
def test_text_scores_and_search_come_back(path: Path, policy: OnConflict) -> None:
    session = Session.open(path, "ann")
    entering.commit(session, 1, "accuracy", 4)
    before = exported(session, path.with_name("before.jsonl"))
    other = {"metric": "accuracy", "value": 5, "scorer": "judge", "at": "2026-11-09T00:00:00Z"}
    # one file may bring one id more than once
    file = file_of(path.parent, "second.jsonl", "no pool", "a lake", scores=[other], tags=["y"])
    number = bring(path, file, policy)
    session.poll()
    assert exported(session, path.with_name("between.jsonl")) != before
    told = undoing.undo_import(session.project, number)
    assert "Replaced texts that are back: 1." in told
    session.poll()
    assert exported(session, path.with_name("after.jsonl")) == before
    assert len(listing.build(session, filter_text="heated tag:x").ids) == 1
    assert len(listing.build(session, filter_text="lake").ids) == 0
    session.blind = False
    found = reading.view(session, 1)
    assert found.evaluation.revision == 1
    assert found.auto["accuracy"].value == 2
    session.close()


def test_a_text_that_was_replaced_again_stays(path: Path) -> None:
    second = bring(path, file_of(path.parent, "second.jsonl", "second"))
    third = bring(path, file_of(path.parent, "third.jsonl", "third"))
    session = Session.open(path, "ann")
    undoing.undo_import(session.project, second)
    assert reading.view(session, 1).evaluation.response == "third"
    undoing.undo_import(session.project, third)
    assert reading.view(session, 1).evaluation.response == "second"
    session.close()


def test_labels_given_to_the_replaced_text_stay_and_are_stale(path: Path) -> None:
    number = bring(path, file_of(path.parent, "second.jsonl", "second"))
    session = Session.open(path, "ann")
    entering.commit(session, 1, "accuracy", 5)
    undoing.undo_import(session.project, number)
    session.poll()
    assert reading.view(session, 1).own["accuracy"].value == 5
    lag = session.project.conn.execute(
        "SELECT l.revision <> e.revision FROM labels l JOIN evaluations e ON e.id = l.evaluation"
    ).fetchall()
    assert lag == [(1,)]
    session.close()


def test_labels_alone_that_are_taken_back_are_counted(path: Path) -> None:
    file = path.with_name("labels.jsonl")
    label = {"id": "a", "metric": "accuracy", "labeler": "bo", "value": 3}
    file.write_text(json.dumps(label) + "\n")
    number = bring(path, file)
    with Project.open(path) as project:
        told = undoing.undo_import(project, number)
        assert "labels.jsonl: 1 score, label or mark that it gave to earlier evaluations." in told
        assert project.conn.execute("SELECT count(*) FROM current_labels").fetchone()[0] == 0


def test_labels_from_elsewhere_on_the_text_that_is_back_are_not_stale(path: Path) -> None:
    second = bring(path, file_of(path.parent, "second.jsonl", "second"))
    given = {"metric": "accuracy", "labeler": "bo", "value": 3, "at": "2026-11-12T00:00:00Z"}
    file = file_of(path.parent, "returned.jsonl", "second", labels=[given])
    with Project.open(path) as project:
        returned = bring(path, file)
        labels.outdate(project, [returned], [1])
        assert revisions(project) == (0, 2)
        undoing.undo_import(project, second)
        assert revisions(project) == (1, 1)
        bring(path, file_of(path.parent, "third.jsonl", "third"))
        assert revisions(project) == (1, 2)


def revisions(project: Project) -> tuple[int, int]:
    """Give the revision that the one label was given on, and the present one."""
    found: tuple[int, int] = project.conn.execute(
        "SELECT l.revision, e.revision FROM labels l JOIN evaluations e ON e.id = l.evaluation"
    ).fetchone()
    return found
