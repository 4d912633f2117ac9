"""Labels are offered to identical texts, copied on request, and taken back as one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ProjectError, Silent
from reviewer.services.project import record as versions_of_record
from reviewer.services.project.reading import key_of, view
from reviewer.services.project.session import Session
from reviewer.services.transfer import carrying, importing, undoing
from reviewer.services.transfer.carry_offers import Offer, offers
from tests.building import build_project, record

LABELS = [
    {
        "metric": "accuracy",
        "labeler": "ann",
        "value": 2,
        "at": "2026-11-01T10:00:00Z",
        "blind": True,
    },
    {"metric": "safety", "labeler": "bo", "value": None, "kind": "not_applicable"},
]


def pair(number: int, **changed: Any) -> list[dict[str, Any]]:
    old = record(number, run="v1", labels=LABELS)
    return [old, record(number, run="v2") | changed]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    records = [
        *pair(1),
        *pair(2, response="Another answer"),
        *pair(3, context="a context of its own"),
        *pair(4, id="c-0004b", case="c-0004"),
    ]
    path = build_project(tmp_path / "two.review", evaluations=records, runs=("v1", "v2"))
    opened = Session.open(path, "ann")
    yield opened
    opened.close()


def test_only_identical_texts_are_offered(session: Session) -> None:
    assert offers(session.project, "v2") == (Offer("v1", 4),)
    assert offers(session.project, "v1") == ()


def test_carrying_changes_no_version_of_record(session: Session) -> None:
    before = versions_of_record.history(session), versions_of_record.standing(session, ["all"])
    carrying.carry(session.project, run="v2", source="v1", labeler="ann", progress=Silent())
    after = versions_of_record.history(session), versions_of_record.standing(session, ["all"])
    assert after == before


def test_copies_name_their_source_and_stand_as_labels(session: Session) -> None:
    report = carrying.carry(
        session.project, run="v2", source="v1", labeler="ann", progress=Silent()
    )
    assert report.labels == 4
    assert offers(session.project, "v2") == ()
    key = key_of(session, "v2/c-0001")
    assert key is not None
    label = view(session, key).own["accuracy"]
    assert (label.value, label.blind, label.selection_reason) == (2, True, "imported")
    extra = session.project.conn.execute(
        "SELECT extra FROM labels WHERE evaluation = ? ORDER BY id LIMIT 1", (key,)
    ).fetchone()[0]
    assert "v1/c-0001" in extra


def test_what_was_carried_is_taken_back_as_one(session: Session) -> None:
    report = carrying.carry(
        session.project, run="v2", source="v1", labeler="ann", progress=Silent()
    )
    undoing.undo_import(session.project, report.imports[0])
    key = key_of(session, "v2/c-0001")
    assert key is not None
    assert view(session, key).own == {}
    assert offers(session.project, "v2") == (Offer("v1", 4),)


def test_who_labelled_already_gets_no_copy(session: Session) -> None:
    carrying.carry(session.project, run="v2", source="v1", labeler="ann", progress=Silent())
    with pytest.raises(ProjectError, match="No label"):
        carrying.carry(session.project, run="v2", source="v1", labeler="ann", progress=Silent())


def test_an_unknown_run_is_named(session: Session) -> None:
    with pytest.raises(ProjectError, match="v9"):
        offers(session.project, "v9")


def test_an_import_says_what_could_be_carried(tmp_path: Path) -> None:
    path = build_project(
        tmp_path / "one.review", evaluations=[record(1, run="v1", labels=LABELS)], runs=("v1",)
    )
    file = tmp_path / "v2.jsonl"
    file.write_text(json.dumps(record(1, run="v2")) + "\n", encoding="utf-8")
    report = importing.run(path, importing.ImportRequest(files=(file,)), Silent())
    assert any("2 labels fit from v1" in sentence for sentence in report.sentences)
