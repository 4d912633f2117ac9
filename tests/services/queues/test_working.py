"""A queue in work: order, progress, skips at the end, repeats in their time, draws recorded."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import LabelError, QueueError
from reviewer.domain.run import Scope
from reviewer.services.findings import insights
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.listing.listing import Queue
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.stats.deviations import PUBLISHED
from reviewer.store import labels
from tests.building import RUBRIC, build_project, record

METRICS = [metric.name for metric in RUBRIC.metrics]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = build_project(tmp_path / "a.review", evaluations=40)
    with closing(Session.open(path, "ann")) as opened:
        profiles.add(opened, "bo")
        yield opened


def make(session: Session, **fields: Any) -> Queue:
    asked: dict[str, Any] = {"name": "Q", "sampling": Sampling.RANDOM, "n": 10}
    plan = QueuePlan(**asked | fields)
    row = making.create(session, plan)
    return listing.enter(session, listing.build(session, queue=row.name))


def answer(session: Session, key: int, value: int = 3) -> None:
    for name in METRICS:
        entering.commit(session, key, name, value)


def present(session: Session, queue: Queue) -> Queue:
    return listing.arranged(session, queue) or queue


def test_everybody_has_an_own_order_that_stays(session: Session) -> None:
    mine = make(session, labelers=("ann", "bo"), overlap=2)
    assert mine.total == 10
    assert list(listing.build(session, queue="q").ids) == list(mine.ids)
    session.set_labeler("bo")
    theirs = listing.build(session, queue="Q")
    assert sorted(theirs.ids) == sorted(mine.ids)
    assert list(theirs.ids) != list(mine.ids)
    session.set_labeler("cy")
    with pytest.raises(QueueError, match="cy has no part"):
        listing.build(session, queue="Q")
    with pytest.raises(QueueError, match="it has: Q"):
        listing.build(session, queue="R")


def test_labels_record_how_their_evaluation_was_drawn(session: Session) -> None:
    queue = make(session, sampling=Sampling.STRATIFIED, n=9)
    key = queue.ids[0]
    label = entering.commit(session, key, "accuracy", 3).after
    assert label.selection_reason == "stratum"
    assert label.selection_prob == pytest.approx(9 / 40, abs=0.03)
    listing.enter(session, listing.build(session))
    met = entering.commit(session, queue.ids[1], "accuracy", 3).after
    assert met.selection_reason == "stratum"
    listing.enter(session, queue)
    outside = next(x for x in range(1, 41) if x not in queue.ids)
    assert entering.commit(session, outside, "accuracy", 3).after.selection_reason == "browse"
    listing.enter(session, listing.build(session))
    # a correction while browsing does not undo the draw
    again = entering.commit(session, key, "accuracy", 4).after
    assert (again.selection_reason, again.selection_prob) == ("stratum", label.selection_prob)
    kept = labels.history(session.project.conn, key)[-1].label
    assert kept.selection_prob == label.selection_prob


def test_the_queue_decides_about_sight(session: Session) -> None:
    session.blind = False
    queue = make(session)
    assert session.blind
    assert reading.view(session, queue.ids[0]).hidden
    listing.enter(session, listing.build(session))
    assert not session.blind
    # what a blind queue still asks is hidden wherever it is met
    assert reading.view(session, queue.ids[0]).hidden
    assert listing.rows(session, [queue.ids[0]])[0].hidden
    assert entering.commit(session, queue.ids[0], "accuracy", 3).after.blind
    other = next(key for key in range(1, 41) if key not in queue.ids)
    assert not reading.view(session, other).hidden
    working.close(session, working.find(session, "Q"))
    assert not reading.view(session, queue.ids[1]).hidden
    seen = make(session, name="Seen", blind=False)
    session.blind = True
    assert not reading.view(session, seen.ids[1]).hidden


def test_what_is_skipped_comes_back_at_the_end(session: Session) -> None:
    queue = make(session)
    first = queue.ids[0]
    assert listing.arranged(session, queue) is None
    entering.toggle_skip(session, first)
    queue = present(session, queue)
    assert queue.ids[-1] == first
    assert listing.progress(session, queue).skipped == 1
    answer(session, queue.ids[0])
    entering.toggle_flag(session, queue.ids[1])
    entering.not_applicable(session, queue.ids[2], "safety")
    found = working.progress(session, working.find(session, "q"))
    assert [(x.labeler, x.total, x.done, x.skipped, x.left) for x in found] == [
        ("ann", 10, 1, 1, 9)
    ]
    assert (found[0].flagged, found[0].not_applicable) == (1, 1)
    answer(session, first)
    assert listing.progress(session, present(session, queue)).skipped == 0


def test_repeats_come_in_their_time_hidden_and_new(session: Session) -> None:
    queue = make(session, n=30, repeats=0.2)
    assert queue.total == 30
    assert listing.progress(session, queue).total == 36
    rounds: dict[int, int] = {}
    for turn in range(60):
        queue = present(session, queue)
        rows = listing.rows(session, queue.ids)
        key = next((row.key for row in rows if row.state == "new"), None)
        if key is None:
            break
        view = reading.view(session, key)
        assert (view.hidden, view.own, view.history, view.marks) == (True, {}, (), ())
        # the first round and the repeat differ by one
        answer(session, key, 3 + rounds.get(key, 0))
        rounds[key] = rounds.get(key, 0) + 1
        assert not reading.view(session, key).hidden, turn
    assert sum(rounds.values()) == 36
    assert sorted(rounds.values()) == [1] * 24 + [2] * 6
    found = listing.progress(session, queue)
    assert (found.done, found.total) == (36, 36)
    twice = next(key for key, times in rounds.items() if times == 2)
    view = reading.view(session, twice)
    assert [x.value for x in view.history if x.metric == "accuracy"] == [3, 4]
    assert {x.blind for x in view.history} == {True}
    # the repeat stands for the draw of the first answer
    assert {x.selection_prob for x in view.history} == {30 / 40}


def test_first_answer_and_repeat_are_paired_within_the_hour(session: Session) -> None:
    queue = make(session, n=20, repeats=0.1)
    given: list[int] = []
    for _ in range(22):
        queue = present(session, queue)
        rows = listing.rows(session, queue.ids)
        key = next(row.key for row in rows if row.state == "new")
        is_first_repeat = key in given and len(set(given)) == len(given)
        answer(session, key, 5 if is_first_repeat else 3)
        entering.commit(session, key, "safety", 2)
        given.append(key)
    found = insights.of_metric(insights.read(session, Scope(), options=PUBLISHED), "accuracy")
    people = found.consistency.people
    # two were asked twice, the first of them answered otherwise
    assert [(one.who, one.flips.items, one.flips.rate) for one in people] == [("ann", 2, 0.5)]


def test_repeats_ask_what_was_answered_before_the_queue(session: Session) -> None:
    for key in range(1, 41):
        answer(session, key)
    plan = QueuePlan(name="R", sampling=Sampling.CHOSEN, keys=(1, 2, 3, 4), repeats=0.5)
    shown = making.preview(session, plan)
    assert [(x.labels, x.repeats) for x in shown.people] == [(4, 2)]
    making.create(session, plan)
    queue = listing.enter(session, listing.build(session, queue="R"))
    # all that stands before them is answered, so both begin at once
    assert queue.total == 6
    again = [key for key in queue.ids if key > 4]
    assert all(reading.view(session, key).hidden for key in again)
    assert listing.progress(session, queue).done == 4


def test_undo_in_a_repeat_does_not_bring_the_first_answer_back(session: Session) -> None:
    answer(session, 7, 5)
    make(session, name="R", sampling=Sampling.CHOSEN, n=None, keys=(1, 2), repeats=0.5)
    answer(session, 1)
    answer(session, 2)
    view = reading.view(session, 7)
    assert view.hidden
    # pressing what was given in the first round is an answer all the same
    assert entering.commit(session, 7, "accuracy", 5).before is None
    assert reading.view(session, 7).own["accuracy"].value == 5
    assert undo.undo(session) is not None
    view = reading.view(session, 7)
    assert view.own == {}
    assert view.hidden


def test_gold_is_mixed_in_and_cannot_be_told(tmp_path: Path) -> None:
    decided = [
        {"metric": name, "labeler": "lea", "value": 2, "kind": "adjudication"} for name in METRICS
    ]
    made = [record(n) for n in range(1, 21)]
    made += [record(n, tags=["gold", "x"], labels=decided) for n in range(21, 31)]
    path = build_project(tmp_path / "gold.review", evaluations=made)
    with closing(Session.open(path, "ann")) as session:
        profiles.add(session, "bo")
        plan = QueuePlan(
            name="G", sampling=Sampling.RANDOM, n=10, gold=0.3, labelers=("bo",),
            filter_text="-tag:gold",
        )  # fmt: skip
        shown = making.preview(session, plan).people[0]
        assert (shown.labels, shown.gold, shown.total) == (10, 3, 13)
        making.create(session, plan)
        session.set_labeler("bo")
        queue = listing.enter(session, listing.build(session, queue="G"))
        gold = [key for key in queue.ids if key > 20]
        assert len(gold) == 3
        view = reading.view(session, gold[0])
        assert "gold" not in view.evaluation.tags
        assert view.others == ()
        assert entering.commit(session, gold[0], "accuracy", 3).after.selection_reason == "browse"
        for words in ("tag:gold", "tag:g*", "-tag:*ld"):
            with pytest.raises(Exception, match="known answers"):
                listing.build(session, filter_text=words)


def test_queues_are_closed_renamed_and_deleted(session: Session) -> None:
    make(session)
    row = working.find(session, "Q")
    assert [x.queue.name for x in working.mine(session)] == ["Q"]
    working.rename(session, row, "Second look")
    assert session.queue is not None
    assert session.queue.name == "Second look"
    row = working.find(session, "second LOOK")
    with pytest.raises(LabelError):
        make(session, name="second look")
    working.close(session, row)
    assert working.mine(session) == ()
    assert [x.queue.is_open for x in working.every(session)] == [False]
    working.reopen(session, row)
    entering.commit(session, listing.build(session, queue="Second look").ids[0], "accuracy", 3)
    working.delete(session, row)
    assert session.queue is None
    assert working.every(session) == ()
    with pytest.raises(QueueError, match="none"):
        working.find(session, "Second look")


def test_the_filter_finds_what_a_queue_holds(session: Session) -> None:
    queue = make(session, name="My queue")
    found = listing.build(session, filter_text='queue:"My queue"')
    assert sorted(found.ids) == sorted(queue.ids)
    assert list(listing.build(session, filter_text="queue:nothing").ids) == []
