"""Being unsure of an answer: asked for by the rubric, kept beside it, found and exported."""

import csv
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.domain.errors import LabelError, Silent
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.exporting import export
from tests.building import RUBRIC, build_project
from tests.services.transfer.imports import load


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = build_project(tmp_path / "p.review", rubric=replace(RUBRIC, ask_unsure=True))
    with closing(Session.open(path, "ann")) as session:
        yield session


def unsure(session: Session, evaluation: int = 1) -> list[tuple[str, str | None]]:
    view = reading.view(session, evaluation)
    return [(x.labeler, x.metric) for x in view.marks if x.kind == "unsure"]


def test_an_answer_can_be_unsure_and_sure_again(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 4)
    before = reading.view(session, 1).own["accuracy"]
    entering.turn_unsure(session, 1, "accuracy")
    assert unsure(session) == [("ann", "accuracy")]
    assert reading.view(session, 1).own["accuracy"] == before
    assert listing.build(session, filter_text="has:unsure").total == 1
    entering.turn_unsure(session, 1, "accuracy")
    assert unsure(session) == []
    assert listing.build(session, filter_text="has:unsure").total == 0
    taken = undo.take(session, "undo")
    assert taken is not None
    assert taken.title == "Accuracy sure again on c-0001"
    assert unsure(session) == [("ann", "accuracy")]


def test_it_does_not_touch_what_was_answered_blind(session: Session) -> None:
    for metric in RUBRIC.metrics:
        entering.commit(session, 1, metric.name, 3)
    assert not reading.view(session, 1).hidden
    entering.turn_unsure(session, 1, "safety")
    assert reading.view(session, 1).own["safety"].blind is True


def test_nothing_to_be_unsure_of_is_said(session: Session, tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="Answer Accuracy first"):
        entering.turn_unsure(session, 1, "accuracy")
    with (
        closing(Session.open(build_project(tmp_path / "other.review"), "ann")) as other,
        pytest.raises(LabelError, match="does not ask"),
    ):
        entering.turn_unsure(other, 1, "accuracy")


def test_others_are_not_told_while_they_are_blind(session: Session) -> None:
    entering.commit(session, 1, "accuracy", 4)
    entering.turn_unsure(session, 1, "accuracy")
    with closing(Session.open(session.project.path, "bo")) as other:
        assert unsure(other) == []
        assert listing.build(other, filter_text="has:unsure").total == 0
        for metric in RUBRIC.metrics:
            entering.commit(other, 1, metric.name, 3)
        assert unsure(other) == [("ann", "accuracy")]


def test_it_is_exported_beside_the_label_and_comes_back(session: Session, tmp_path: Path) -> None:
    entering.commit(session, 1, "accuracy", 2)
    entering.commit(session, 1, "accuracy", 4)
    entering.commit(session, 1, "safety", 5)
    entering.turn_unsure(session, 1, "accuracy")
    whole, rows, table = (tmp_path / name for name in ("all.jsonl", "labels.jsonl", "labels.csv"))
    export(session.project, whole, ExportRequest(), Silent())
    export(session.project, rows, ExportRequest(what="labels"), Silent())
    export(session.project, table, ExportRequest(what="labels"), Silent())
    told = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    found = [(x["metric"], x["value"], x.get("unsure")) for x in told if "metric" in x]
    assert found == [("accuracy", 2, False), ("accuracy", 4, True), ("safety", 5, False)]
    with table.open(encoding="utf-8-sig", newline="") as file:
        cells = [row for row in csv.DictReader(file) if row["unsure"] == "true"]
    assert [row["value"] for row in cells] == ["4"]
    again = build_project(
        tmp_path / "again.review", evaluations=[], rubric=replace(RUBRIC, ask_unsure=True)
    )
    load(again, whole)
    with closing(Session.open(again, "ann")) as other:
        assert unsure(other) == [("ann", "accuracy")]
