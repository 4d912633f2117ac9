"""Queues are made, renamed and deleted as actions that undo takes back."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.change import Change, PeopleChanged
from reviewer.domain.errors import LabelError, QueueError
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, bulk_queue, making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import RUBRIC, build_project, redone, undone

METRICS = [metric.name for metric in RUBRIC.metrics]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = build_project(tmp_path / "a.review", evaluations=40)
    with closing(Session.open(path, "lea")) as opened:
        profiles.add(opened, "ann")
        profiles.add(opened, "bo")
        yield opened


def names(session: Session) -> list[str]:
    return [one.queue.name for one in working.every(session)]


def everything(session: Session) -> list[list[tuple[object, ...]]]:
    read = session.project.conn.execute
    return [
        read("SELECT * FROM queues").fetchall(),
        read("SELECT * FROM queue_items ORDER BY 1, 2, 3").fetchall(),
    ]


def test_a_queue_of_selected_responses_is_one_action(session: Session) -> None:
    heard: list[Change] = []
    entering.commit(session, 1, "safety", 3)
    bulk_queue.assign(session, range(1, 6), "Mine")
    before = everything(session)
    session.subscribe(heard.append)
    assert undone(session) == "New queue Mine"
    assert (names(session), everything(session)) == ([], [[], []])
    assert isinstance(heard[-1], PeopleChanged)
    assert redone(session) == "New queue Mine"
    assert everything(session) == before
    assert [undone(session), undone(session)] == ["New queue Mine", "Safety 3 on c-0001"]


def test_a_queue_in_which_somebody_answered_stays(session: Session) -> None:
    entering.commit(session, 9, "safety", 2)
    bulk_queue.assign(session, range(1, 6), "Mine", "ann")
    with closing(Session.open(session.project.path, "ann")) as other:
        listing.enter(other, listing.build(other, queue="Mine"))
        entering.commit(other, 1, "safety", 3)
        with pytest.raises(LabelError, match=r"^New queue Mine cannot be taken back: ann ans"):
            undo.undo(session)
        assert names(session) == ["Mine"]
        assert undone(session) == "Safety 2 on c-0009"
        undo.undo(other)
    assert undone(session) == "New queue Mine"


def test_labels_from_before_are_no_answers_in_the_queue(session: Session) -> None:
    with closing(Session.open(session.project.path, "ann")) as other:
        entering.commit(other, 1, "safety", 3)
    bulk_queue.assign(session, range(1, 6), "Mine", "ann")
    assert undone(session) == "New queue Mine"


def test_a_deleted_queue_comes_back_as_far_as_it_was(session: Session) -> None:
    plan = QueuePlan(name="Week 1", sampling=Sampling.RANDOM, n=8, labelers=("lea", "ann"))
    queue = making.create(session, plan)
    listing.enter(session, listing.build(session, queue="Week 1"))
    for name in METRICS:
        entering.commit(session, listing.build(session, queue="Week 1").ids[0], name, 4)
    before, progress = everything(session), working.progress(session, queue)
    working.rename(session, queue, "Week one")
    working.delete(session, queue)
    assert names(session) == []
    assert undone(session) == "Queue Week 1 deleted"
    assert names(session) == ["Week one"]
    assert undone(session) == "Queue Week 1 renamed to Week one"
    assert everything(session) == before
    assert working.progress(session, working.find(session, "Week 1")) == progress
    assert [redone(session), redone(session)] == [
        "Queue Week 1 renamed to Week one", "Queue Week 1 deleted",
    ]  # fmt: skip
    assert names(session) == []


def test_a_name_that_was_given_away_keeps_a_queue_from_coming_back(session: Session) -> None:
    bulk_queue.assign(session, range(1, 6), "Mine")
    working.delete(session, working.find(session, "Mine"))
    profiles.change(session, "ann", role="lead")
    with closing(Session.open(session.project.path, "ann")) as other:
        bulk_queue.assign(other, [7], "mine")
    with pytest.raises(LabelError, match="another queue has its name now"):
        undo.undo(session)
    with pytest.raises(LabelError, match="the queue was deleted"):
        undo.undo(session)
    assert undo.undo(session) is None


def test_a_queue_is_for_whom_it_was_asked_for(session: Session) -> None:
    said = bulk_queue.assign(session, range(1, 6), "Hers", "bo", "lea")
    assert said == "The queue Hers holds 5 responses for bo, lea. Ctrl+Z takes it back."
    assert working.people(session, working.find(session, "Hers")) == ("bo", "lea")


def test_what_a_queue_leaves_out_is_said(session: Session) -> None:
    bulk_acts.exclude(session, [1, 2], "load test")
    said = bulk_queue.assign(session, [1, 2, 3, 4, 99], "Rest")
    assert said == (
        "The queue Rest holds 2 responses for ann, bo; 2 left out as excluded and 1 left out as "
        "gone. Ctrl+Z takes it back."
    )
    with pytest.raises(QueueError, match="no queue to make: 2 left out as excluded"):
        bulk_queue.assign(session, [1, 2], "None")
    with pytest.raises(QueueError, match="nothing is selected"):
        bulk_queue.assign(session, [], "None")
