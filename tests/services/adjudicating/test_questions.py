"""A question goes to one labeler, who finds it and answers with a label or a comment."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import FilterError, LabelError, Silent
from reviewer.services.adjudicating import decisions
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from tests.building import RUBRIC, redone, undone
from tests.services.adjudicating.deciding_projects import opened


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with opened(tmp_path) as session:
        yield session


def found(session: Session, words: str) -> list[int]:
    return list(listing.build(session, filter_text=words).ids)


def test_a_question_is_found_by_whom_it_asks(session: Session) -> None:
    decisions.ask(session, 2, "accuracy", "bo", "  Is the pool heated? ")
    (one,) = decisions.of_evaluation(session, 2)
    assert (one.asker, one.asked, one.text) == ("ann", "bo", "Is the pool heated?")
    assert not one.answered
    assert decisions.to_me(session, 2) == ()
    assert found(session, "asked:me") == []
    session.set_labeler("bo")
    assert decisions.to_me(session, 2) == (one,)
    assert decisions.count_to_me(session) == 1
    assert found(session, "asked:me") == [2]
    assert found(session, "asked:bo") == [2]
    with pytest.raises(FilterError, match="hidden while you label blind"):
        found(session, "question:open")
    session.blind = False
    assert (found(session, "question:open"), found(session, "question:answered")) == ([2], [])
    assert found(session, "-question:open") == [1, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("answer", ["label", "comment", "not applicable"])
def test_a_new_label_or_comment_answers(session: Session, answer: str) -> None:
    decisions.ask(session, 2, "accuracy", "bo", "Sure?")
    session.set_labeler("zoe")
    entering.commit(session, 2, "accuracy", 3)
    session.set_labeler("bo")
    entering.commit(session, 2, "safety", 5)
    entering.commit(session, 2, "accuracy", 4)
    assert decisions.count_to_me(session) == 1
    if answer == "label":
        entering.commit(session, 2, "accuracy", 5)
    elif answer == "comment":
        entering.comment(session, 2, "accuracy", "Yes, see turn 3.")
    else:
        entering.not_applicable(session, 2, "accuracy")
    assert (decisions.count_to_me(session), found(session, "asked:me")) == (0, [])
    session.set_labeler("ann")
    (one,) = decisions.of_evaluation(session, 2)
    assert one.answered
    session.set_labeler("bo")
    undo.undo(session)
    assert decisions.count_to_me(session) == 1


def test_questions_are_taken_back_and_undone(session: Session) -> None:
    decisions.ask(session, 2, "accuracy", "bo", "Sure?")
    decisions.ask(session, 2, "accuracy", "zoe", "And you?")
    assert [x.asked for x in decisions.of_evaluation(session, 2)] == ["zoe"]
    assert undone(session) == "Question on Accuracy of c-0002"
    assert [x.asked for x in decisions.of_evaluation(session, 2)] == ["bo"]
    decisions.withdraw_question(session, 2, "accuracy")
    assert decisions.of_evaluation(session, 2) == ()
    with pytest.raises(LabelError, match="not asked anybody"):
        decisions.withdraw_question(session, 2, "accuracy")
    undo.undo(session)
    undo.undo(session)
    assert decisions.of_evaluation(session, 2) == ()


def test_what_cannot_be_asked(session: Session) -> None:
    for asked, words, problem in (
        ("bo", " ", "it is empty"),
        ("nobody", "Sure?", "no labeler 'nobody'"),
    ):
        with pytest.raises(LabelError, match=problem):
            decisions.ask(session, 2, "accuracy", asked, words)
    session.set_labeler("bo")
    with pytest.raises(LabelError, match="Only a lead can send responses back"):
        decisions.ask(session, 2, "accuracy", "zoe", "Sure?")


def test_questions_and_answers_come_back(session: Session, tmp_path: Path) -> None:
    decisions.ask(session, 2, "accuracy", "bo", "Sure?")
    decisions.ask(session, 3, "accuracy", "bo", "Sure?")
    session.set_labeler("bo")
    entering.commit(session, 2, "accuracy", 5)
    file = tmp_path / "a.jsonl"
    exporting.export(session.project, file, ExportRequest(), Silent())
    path = tmp_path / "copy.review"
    importing.run(path, importing.ImportRequest((file,), rubric=RUBRIC), Silent())
    copy = Session.open(path, "ann")
    assert [x.answered for key in (2, 3) for x in decisions.of_evaluation(copy, key)] == [
        True, False,
    ]  # fmt: skip
    copy.close()


def test_a_question_follows_a_person_through_a_new_name(session: Session) -> None:
    decisions.ask(session, 2, "accuracy", "bo", "Sure?")
    decisions.ask(session, 3, "accuracy", "zoe", "And you?")
    profiles.change(session, "bo", new_name="bob")
    assert [x.asked for x in decisions.of_evaluation(session, 2)] == ["bob"]
    assert undone(session) == "Question on Accuracy of c-0003"
    assert undone(session) == "Question on Accuracy of c-0002"
    assert [redone(session), redone(session)] == [
        "Question on Accuracy of c-0002", "Question on Accuracy of c-0003",
    ]  # fmt: skip
    assert [x.asked for x in decisions.of_evaluation(session, 3)] == ["zoe"]
    session.set_labeler("bob")
    assert decisions.count_to_me(session) == 1
    assert found(session, "asked:me") == [2]
    assert "Sure?" in decisions.sentence(session, 2)
    entering.commit(session, 2, "accuracy", 1)
    assert decisions.of_evaluation(session, 2)[0].answered
    assert decisions.count_to_me(session) == 0
