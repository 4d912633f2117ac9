"""A prompt is checked, filled in and compared before anybody is asked."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.scoring.judging.prompts import VARIABLES
from reviewer.services.judging import prompts
from reviewer.services.judging.prompts import Line
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from tests.building import build_project

TEXT = "[system]\nYou judge.\n[user]\n{{ query }}\n{{ response }}"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(Session.open(build_project(tmp_path / "p.review", evaluations=6), "ann")) as made:
        made.blind = False
        yield made


def test_every_variable_is_explained() -> None:
    assert tuple(name for name, _ in prompts.VARIABLES) == VARIABLES


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TEXT, ""),
        (TEXT + "{{ nonsense }}", "Line 5 of the prompt names 'nonsense'"),
        (TEXT + "\n{% for x in %}", "Line 6 of the prompt: "),
        ("no parts", "The prompt names nothing of what is to be judged"),
    ],
)
def test_problems_name_the_line(text: str, sentence: str) -> None:
    assert prompts.problem(text).startswith(sentence)
    assert bool(prompts.problem(text)) == bool(sentence)


def test_a_preview_shows_texts_people_and_score(session: Session) -> None:
    entering.commit(session, 2, "accuracy", 3)
    entering.comment(session, 2, "accuracy", "so so")
    found = prompts.preview(session, 2, "accuracy", TEXT)
    assert (found.id, found.system, found.hidden) == ("c-0002", "You judge.", False)
    assert "Question 2" in found.user
    assert [(x.labeler, x.value, x.comment) for x in found.people] == [("ann", 3, "so so")]
    assert found.auto is not None
    with pytest.raises(ReviewerError, match="has no metric 'nothing'"):
        prompts.preview(session, 2, "nothing", TEXT)
    with pytest.raises(ReviewerError, match="is no variable"):
        prompts.preview(session, 2, "accuracy", TEXT + "{{ x }}")


def test_nothing_is_told_of_what_is_hidden(session: Session) -> None:
    session.blind = True
    entering.commit(session, 2, "accuracy", 3)
    found = prompts.preview(session, 2, "accuracy", TEXT)
    assert (found.hidden, found.people, found.auto) == (True, (), None)


def test_labelled_evaluations_come_first_and_none_that_is_held_out(session: Session) -> None:
    assert len(prompts.at_hand(session, "guest")) == 6
    for key in (1, 2, 3, 4):
        entering.commit(session, key, "accuracy", 3)
    found = prompts.at_hand(session, "guest")
    assert found
    assert set(found) < {1, 2, 3, 4}
    assert prompts.at_hand(session, "another") == ()


def test_lines_are_compared() -> None:
    assert prompts.lines_apart("a\nb\nc", "a\nB\nc\nd") == (
        Line("same", "a"), Line("removed", "b"), Line("added", "B"), Line("same", "c"),
        Line("added", "d"),
    )  # fmt: skip
    for before, now, said in (
        ("a\nb", "a\nb", "the same"),
        ("a\nb", "a\nB", "changed 1 line"),
        ("a\nb", "A\nB", "changed 2 lines"),
        ("a", "a\nb", "added 1 line"),
        ("a\nb\nc", "a", "removed 2 lines"),
        ("a\nb", "A\nb\nc\nd", "changed 1, added 2 lines"),
    ):
        assert prompts.changes(before, now) == said
