"""The preview keeps to the labeler's blindness; the file holds everything."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.run import Scope, What
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.transfer import exporting, previewing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.previewing import HIDDEN
from tests.building import build_project, record

METRICS = ("relevance", "accuracy", "safety")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    labels = [{"metric": name, "labeler": "bo", "value": 1, "kind": "label"} for name in METRICS]
    records = [record(n, labels=labels) for n in range(1, 5)]
    path = build_project(tmp_path / "p.review", evaluations=records)
    with closing(Session.open(path, "ann")) as opened:
        for name in METRICS:
            entering.commit(opened, 1, name, 2)
        yield opened


def test_hidden_evaluations_show_their_texts_only(session: Session) -> None:
    first, second, *_ = previewing.preview_unseen(session, ExportRequest()).rows
    assert first["scores"][0]["metric"] == "relevance"
    assert (second["scores"], second["labels"]) == (HIDDEN, HIDDEN)
    assert second["response"] == "Answer 2: the pool bar opens at nine."


def test_other_peoples_labels_show_after_the_reveal(session: Session) -> None:
    rows = previewing.preview_unseen(session, ExportRequest(what="labels")).rows
    shown = {(row["id"], row["labeler"]): row["value"] for row in rows}
    assert shown["c-0001", "bo"] == 1
    assert shown["c-0002", "bo"] == HIDDEN
    assert shown["c-0001", "ann"] == 2


def test_hidden_disagreements_are_left_out_and_counted(session: Session) -> None:
    found = previewing.preview_unseen(session, ExportRequest(what="disagreements"))
    assert {row["id"] for row in found.rows} == {"c-0001"}
    session.blind = False
    everything = previewing.preview_unseen(session, ExportRequest(what="disagreements"))
    assert everything.left_out == 0
    assert len(everything.rows) == len(found.rows) + found.left_out


@pytest.mark.parametrize("what", ["evaluations", "labels", "disagreements"])
def test_the_count_is_that_of_the_file(session: Session, tmp_path: Path, what: What) -> None:
    request = ExportRequest(what=what, filters=Scope(categories=("policies", "directions")))
    counted = exporting.count(session.project, request, Silent())
    written = exporting.export(session.project, tmp_path / "out.jsonl", request, Silent())
    assert counted == written.rows > 0
