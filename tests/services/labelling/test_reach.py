"""Actions on responses whose import was undone are passed over, and block nothing older."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import LabelError
from reviewer.services.labelling import entering, undo
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts
from reviewer.services.transfer import undoing
from tests.building import build_project, record, redone, undone
from tests.services.transfer.imports import load, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = build_project(tmp_path / "small.review")
    load(path, two(tmp_path))
    with closing(Session.open(path, "ann")) as opened:
        yield opened


def two(folder: Path) -> Path:
    records = [record(n, run="two") for n in (7, 8)]
    return write(folder / "two.jsonl", *records)


def gone(session: Session, number: int = 2) -> None:
    undoing.undo_import(session.project, number, keep="nothing")


def test_a_label_on_a_response_that_is_gone_blocks_nothing_older(session: Session) -> None:
    entering.commit(session, 1, "safety", 3)
    entering.commit(session, 13, "safety", 4)
    gone(session)
    with pytest.raises(LabelError, match=r"^Safety 4 on c-0007 cannot be taken back: its import"):
        undo.undo(session)
    assert undone(session) == "Safety 3 on c-0001"
    assert undo.undo(session) is None
    assert redone(session) == "Safety 3 on c-0001"


def test_many_of_them_are_told_in_one_sentence(session: Session) -> None:
    entering.commit(session, 1, "safety", 3)
    entering.commit(session, 13, "safety", 4)
    entering.toggle_flag(session, 14)
    bulk_acts.tag(session, [13, 14], "odd")
    gone(session)
    with pytest.raises(LabelError, match=r"^Tag odd on 2 responses and 2 older actions cannot be"):
        undo.undo(session)
    assert undone(session) == "Safety 3 on c-0001"


def test_what_comes_back_with_its_import_can_be_taken_back_again(
    session: Session, tmp_path: Path
) -> None:
    entering.commit(session, 1, "safety", 3)
    entering.commit(session, 13, "safety", 4)
    gone(session)
    with pytest.raises(LabelError):
        undo.undo(session)
    assert undone(session) == "Safety 3 on c-0001"
    load(session.project.path, two(tmp_path))
    session.poll()
    assert reading.view(session, 13).own["safety"].value == 4
    assert undone(session) == "Safety 4 on c-0007"
    assert [redone(session) for _ in range(3)] == [
        "Safety 3 on c-0001", "Safety 4 on c-0007", None,
    ]  # fmt: skip
    assert reading.view(session, 13).own["safety"].value == 4


def test_what_is_undone_cannot_be_done_again_on_a_response_that_is_gone(session: Session) -> None:
    entering.commit(session, 13, "safety", 4)
    entering.commit(session, 1, "safety", 3)
    assert [undone(session), undone(session)] == ["Safety 3 on c-0001", "Safety 4 on c-0007"]
    gone(session)
    with pytest.raises(LabelError, match="cannot be done again"):
        undo.redo(session)
    assert redone(session) == "Safety 3 on c-0001"


def test_the_part_of_an_action_that_is_there_is_taken_back(session: Session) -> None:
    bulk_acts.tag(session, [1, 13], "odd")
    gone(session)
    assert undone(session) == "Tag odd on 2 responses"
    assert bulk_acts.every_tag(session) == []


def test_a_label_over_one_that_left_with_its_import_is_taken_back(
    session: Session, tmp_path: Path
) -> None:
    given = {"metric": "safety", "labeler": "ann", "value": 5, "at": "2026-01-02T10:00:00Z"}
    file = write(tmp_path / "labels.jsonl", record(1, run="agent v7", labels=[given]))
    load(session.project.path, file)
    session.poll()
    assert reading.view(session, 1).own["safety"].value == 5
    entering.commit(session, 1, "safety", 2)
    gone(session, 3)
    assert undone(session) == "Safety 2 on c-0001"
    assert "safety" not in reading.view(session, 1).own
