"""Answers that the file cannot take just now, and what becomes of them."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.change import Change, EvaluationsChanged, LabelChanged
from reviewer.domain.errors import LabelError, UnwritableError
from reviewer.services.labelling import entering, unsaved
from reviewer.services.labelling.unsaved import Answer
from reviewer.services.project.session import Session
from tests.building import build_project

Rows = list[tuple[object, ...]]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(Session.open(build_project(tmp_path / "p.review"), "ann")) as opened:
        yield opened


@pytest.fixture
def other(session: Session) -> Iterator[sqlite3.Connection]:
    """Another program, which holds the file."""
    with closing(sqlite3.connect(session.project.path, isolation_level=None)) as conn:
        conn.execute("BEGIN IMMEDIATE")
        yield conn


def label(session: Session, evaluation: int, value: int) -> Answer:
    return Answer(evaluation, lambda: entering.commit(session, evaluation, "accuracy", value))


def rows(session: Session) -> Rows:
    return session.project.conn.execute(
        "SELECT p.name, l.evaluation, l.value FROM labels l JOIN labelers p ON p.id = l.labeler "
        "ORDER BY l.id"
    ).fetchall()


def test_answers_wait_in_their_order_and_are_written_once(
    session: Session, other: sqlite3.Connection
) -> None:
    waiting, told = unsaved.of(session), list[Change]()
    session.subscribe(told.append)
    for value in (1, 2, 3):
        assert not waiting.do(label(session, 1, value))
    assert not waiting.write()
    assert len(waiting) == 3
    assert "3 answers are not yet saved" in waiting.words
    assert "Another program holds the file" in waiting.words
    other.execute("ROLLBACK")
    assert waiting.do(label(session, 2, 5))
    assert rows(session) == [("ann", 1, 1), ("ann", 1, 2), ("ann", 1, 3), ("ann", 2, 5)]
    assert waiting.write()
    assert len([x for x in told if isinstance(x, LabelChanged)]) == 4
    assert unsaved.of(session) is waiting


def test_an_answer_is_its_givers_whoever_sits_there_later(
    session: Session, other: sqlite3.Connection
) -> None:
    waiting, told = unsaved.of(session), list[Change]()
    waiting.do(label(session, 1, 4))
    session.set_labeler("bo")
    session.subscribe(told.append)
    waiting.do(label(session, 1, 2))
    other.execute("ROLLBACK")
    assert waiting.write()
    assert rows(session) == [("ann", 1, 4), ("bo", 1, 2)]
    assert session.labeler.name == "bo"
    assert isinstance(told[-1], EvaluationsChanged)


def test_what_is_refused_in_the_end_is_said_and_holds_nothing_up(
    session: Session, other: sqlite3.Connection
) -> None:
    waiting = unsaved.of(session)
    waiting.do(label(session, 1, 4))
    waiting.do(Answer(1, lambda: entering.withdraw(session, 1, "safety")))
    waiting.do(label(session, 2, 3))
    other.execute("ROLLBACK")
    assert waiting.write()
    assert waiting.refused == ["There is no label to take back."]
    assert rows(session) == [("ann", 1, 4), ("ann", 2, 3)]


def test_what_can_never_be_given_is_refused_at_once(session: Session) -> None:
    with pytest.raises(LabelError):
        unsaved.of(session).do(label(session, 1, 99))
    assert not unsaved.of(session)


def test_an_answer_that_is_on_disk_is_not_written_again_whatever_hears_of_it(
    session: Session, other: sqlite3.Connection
) -> None:
    def fail(_: Change) -> None:
        raise UnwritableError("the list could not be kept")

    waiting = unsaved.of(session)
    waiting.do(label(session, 1, 4))
    other.execute("ROLLBACK")
    leave: Callable[[], None] = session.subscribe(fail)
    assert waiting.write()
    leave()
    assert waiting.write()
    assert rows(session) == [("ann", 1, 4)]


def test_the_last_one_can_be_taken_back_before_it_is_saved(
    session: Session, other: sqlite3.Connection
) -> None:
    waiting = unsaved.of(session)
    assert not waiting.take_back()
    waiting.do(label(session, 1, 4))
    waiting.do(label(session, 1, 5))
    shown = waiting.shown(1, "accuracy")
    assert shown is None
    assert waiting.take_back()
    other.execute("ROLLBACK")
    assert waiting.write()
    assert rows(session) == [("ann", 1, 4)]
