"""Labelling: what is stored, what is hidden, what is published."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.domain.change import Change, LabelChanged, MarkChanged
from reviewer.domain.errors import LabelError, ProjectError
from reviewer.domain.rubric import Metric
from reviewer.services.labelling import entering
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from tests.building import RUBRIC, build_project, next_undo, record

METRICS = [metric.name for metric in RUBRIC.metrics]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(Session.open(build_project(tmp_path / "small.review"), "ann")) as session:
        yield session


@pytest.fixture
def told(session: Session) -> list[Change]:
    changes: list[Change] = []
    session.subscribe(changes.append)
    return changes


def answer(session: Session, evaluation: int = 1, value: int = 3) -> None:
    for name in METRICS:
        entering.commit(session, evaluation, name, value)


def test_a_label_is_stored_with_what_is_known_about_it(session: Session) -> None:
    session.selection_reason = "random"
    change = entering.commit(session, 1, "accuracy", 4, comment="almost", seconds=1.5)
    with closing(Session.open(session.project.path, "ann")) as other:
        found = reading.view(other, 1).own["accuracy"]
    assert found == change.after
    assert (found.value, found.comment, found.seconds, found.kind) == (4, "almost", 1.5, "label")
    assert (found.blind, found.rubric_version, found.judge_version) == (True, "1", "judge")
    assert (found.labeler, found.selection_reason) == ("ann", "random")
    assert found.at is not None
    assert found.at.endswith("Z")


def test_every_call_publishes_one_change_after_the_commit(
    session: Session, told: list[Change]
) -> None:
    seen: list[object] = []
    with closing(Session.open(session.project.path, "ann")) as other:
        session.subscribe(lambda _: seen.append(reading.view(other, 1).own["accuracy"].value))
        first = entering.commit(session, 1, "accuracy", 4)
        second = entering.commit(session, 1, "accuracy", 5)
    assert told == [first, second]
    assert seen == [4, 5]
    assert (first.before, second.before) == (None, first.after)


def test_pressing_the_same_value_again_adds_nothing(session: Session, told: list[Change]) -> None:
    first = entering.commit(session, 1, "accuracy", 4)
    again = entering.commit(session, 1, "accuracy", 4)
    assert again == LabelChanged(first.after, first.after)
    assert told == [first]
    assert len(reading.view(session, 1).history) == 1


@pytest.mark.parametrize("value", [0, 6, 2.5, "good", float("nan"), float("inf")])
def test_a_value_off_the_scale_is_refused_and_nothing_stored(
    session: Session, told: list[Change], value: float | str
) -> None:
    with pytest.raises(LabelError, match="Accuracy"):
        entering.commit(session, 1, "accuracy", value)
    assert told == []
    assert session.labelers() == ()


def test_what_cannot_be_labelled_is_named(session: Session) -> None:
    with pytest.raises(LabelError, match="relevance, accuracy, safety"):
        entering.commit(session, 1, "acuracy", 3)
    with pytest.raises(LabelError, match="no evaluation 99"):
        entering.commit(session, 99, "accuracy", 3)
    with pytest.raises(LabelError, match="surrogate"):
        entering.comment(session, 1, "accuracy", "\ud800")
    with pytest.raises(LabelError, match="Select some text"):
        entering.highlight(session, 1, entering.Stretch(None, 4, 4))


def test_evaluations_of_an_unfinished_import_cannot_be_labelled(session: Session) -> None:
    with session.project.write() as conn:
        conn.execute("UPDATE counters SET value = 11 WHERE name = 'visible'")
    with pytest.raises(LabelError, match="no evaluation 12"):
        entering.commit(session, 12, "accuracy", 3)


def test_a_comment_keeps_the_value_and_a_value_the_comment(session: Session) -> None:
    entering.comment(session, 1, "accuracy", "first thought")
    own = reading.view(session, 1).own["accuracy"]
    assert (own.kind, own.value, own.comment) == ("comment", None, "first thought")
    entering.commit(session, 1, "accuracy", 4)
    entering.comment(session, 1, "accuracy", "second")
    own = reading.view(session, 1).own["accuracy"]
    assert (own.kind, own.value, own.comment) == ("label", 4, "second")
    entering.commit(session, 1, "accuracy", 5, comment="")
    assert reading.view(session, 1).own["accuracy"].comment is None


def test_an_empty_comment_on_nothing_stores_nothing(session: Session, told: list[Change]) -> None:
    entering.comment(session, 1, "accuracy", "")
    assert told == []
    assert reading.view(session, 1).history == ()


def test_not_applicable_answers_without_a_value(session: Session) -> None:
    entering.commit(session, 1, "relevance", 3)
    entering.commit(session, 1, "safety", 3)
    change = entering.not_applicable(session, 1, "accuracy")
    assert (change.after.kind, change.after.value) == ("not_applicable", None)
    assert not reading.view(session, 1).hidden


def test_a_label_can_be_withdrawn_but_only_once(session: Session, told: list[Change]) -> None:
    with pytest.raises(LabelError, match="no label to take back"):
        entering.withdraw(session, 1, "accuracy")
    entering.commit(session, 1, "accuracy", 3)
    entering.withdraw(session, 1, "accuracy")
    entering.withdraw(session, 1, "accuracy")
    assert "accuracy" not in reading.view(session, 1).own
    assert len(told) == 2


def test_the_label_that_completes_reveals_in_the_same_transaction(
    session: Session, told: list[Change]
) -> None:
    answer(session)
    assert [type(change) for change in told] == [LabelChanged] * 3 + [MarkChanged]
    mark = told[-1].mark  # type: ignore[union-attr]
    assert (mark.kind, mark.value, mark.labeler) == ("reveal", "complete", "ann")
    view = reading.view(session, 1)
    assert (view.hidden, view.revealed) == (False, True)
    assert all(label.blind for label in view.history)


def test_labels_after_the_reveal_are_not_blind(session: Session) -> None:
    answer(session)
    assert entering.commit(session, 1, "accuracy", 5).after.blind is False
    assert entering.commit(session, 2, "accuracy", 5).after.blind is True
    entering.reveal(session, 2)
    assert entering.commit(session, 2, "safety", 5).after.blind is False
    assert reading.view(session, 2).hidden is False


def test_what_was_seen_stays_seen_after_a_label_is_withdrawn(session: Session) -> None:
    answer(session)
    entering.withdraw(session, 1, "accuracy")
    assert not reading.view(session, 1).hidden
    assert entering.commit(session, 1, "accuracy", 1).after.blind is False


def test_a_label_in_sight_is_never_blind_again(session: Session) -> None:
    session.blind = False
    assert entering.commit(session, 1, "accuracy", 3).after.blind is False
    session.blind = True
    assert not reading.view(session, 1).hidden
    assert entering.commit(session, 1, "safety", 3).after.blind is False


def test_a_comment_after_the_reveal_leaves_the_label_blind(session: Session) -> None:
    answer(session)
    entering.comment(session, 1, "accuracy", "hm")
    own = reading.view(session, 1).own["accuracy"]
    assert (own.value, own.blind, own.comment) == (3, True, "hm")


def test_each_labeler_is_blind_for_themselves(session: Session) -> None:
    answer(session)
    session.set_labeler("bo")
    view = reading.view(session, 1)
    assert view.hidden
    assert (view.others, view.history, view.auto, view.all_scores) == ((), (), {}, ())
    assert view.evaluation.scores == ()
    answer(session, value=5)
    view = reading.view(session, 1)
    assert {label.labeler for label in view.others} == {"ann"}
    assert {name: score.value for name, score in view.auto.items()} == {
        "relevance": 2, "accuracy": 3, "safety": 4,
    }  # fmt: skip


def test_the_newest_press_counts_although_the_clock_went_back(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    entering.commit(session, 1, "accuracy", 3)
    monkeypatch.setattr("reviewer.store.labels.now_text", lambda: "1999-01-01T00:00:00.000Z")
    late = entering.commit(session, 1, "accuracy", 4)
    assert late.before is not None
    assert (late.after.at, late.before.at) == (late.before.at, late.after.at)
    assert late.after.seq > late.before.seq
    assert reading.view(session, 1).own["accuracy"].value == 4
    assert [label.value for label in reading.view(session, 1).history] == [3, 4]


def test_a_label_counts_although_an_imported_one_lies_in_the_future(tmp_path: Path) -> None:
    future = {"metric": "accuracy", "labeler": "ann", "value": 1, "at": "2199-01-01T00:00:00Z"}
    path = build_project(tmp_path / "a.review", evaluations=[record(1, labels=[future])])
    with closing(Session.open(path, "ann")) as session:
        entering.commit(session, 1, "accuracy", 5)
        assert reading.view(session, 1).own["accuracy"].value == 5


def test_skip_and_flag_are_switches(session: Session) -> None:
    assert entering.toggle_skip(session, 1).mark.value is True
    entering.toggle_flag(session, 1)
    view = reading.view(session, 1)
    assert (view.skipped, view.flagged) == (True, True)
    assert entering.toggle_skip(session, 1).mark.value is False
    view = reading.view(session, 1)
    assert (view.skipped, view.flagged) == (False, True)


def test_highlights_come_and_go(session: Session) -> None:
    entering.highlight(session, 1, entering.Stretch(2, 3, 9), note="made up")
    first = entering.highlight(session, 1, entering.Stretch(None, 0, 4)).mark
    entering.remove_highlight(session, first)
    marks = reading.view(session, 1).marks
    assert [(x.turn, x.start, x.end, x.note) for x in marks] == [(2, 3, 9, "made up")]
    session.set_labeler("bo")
    with pytest.raises(LabelError, match="ann"):
        entering.remove_highlight(session, marks[0])


def test_switching_the_labeler_switches_what_is_own(session: Session) -> None:
    answer(session)
    session.set_labeler("  bo   b ")
    assert session.labeler.name == "bo b"
    assert reading.view(session, 1).own == {}
    assert [x.name for x in session.labelers()] == ["ann"]
    entering.commit(session, 1, "accuracy", 1)
    assert [x.name for x in session.labelers()] == ["ann", "bo b"]
    with pytest.raises(LabelError, match="name"):
        session.set_labeler(" ")


def test_a_refused_write_leaves_the_session_usable(
    session: Session, told: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session.project, "read_only", True)
    with pytest.raises(ProjectError, match="nothing can be saved"):
        entering.commit(session, 1, "accuracy", 3)
    assert told == []
    assert session.labeler.key == 0
    monkeypatch.undo()
    entering.commit(session, 1, "accuracy", 3)
    assert next_undo(session) == "Accuracy 3 on c-0001"


def test_a_rubric_with_nothing_to_label_hides_nothing(tmp_path: Path) -> None:
    length = Metric(name="length", scale="measure", unit="words")
    rubric = replace(RUBRIC, metrics=(length,))
    path = build_project(tmp_path / "a.review", evaluations=[record(1, scores=[])], rubric=rubric)
    with closing(Session.open(path, "ann")) as session:
        assert not reading.view(session, 1).hidden
