"""A key that is pasted into a text of the project is pointed out before it is kept, once."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import LabelError
from reviewer.services.computer import secrets
from reviewer.services.judging import prompts
from reviewer.services.labelling import entering
from reviewer.services.labelling.entering import Stretch
from reviewer.services.project import guidelines, reading
from reviewer.services.project.session import Session
from tests.building import RUBRIC, build_project

KEYS = (
    "sk-proj-0123456789abcdef", "ghp_0123456789abcdefghij", "Authorization: Bearer abc.def-123",
    "AKIA0123456789ABCDEF",
)  # fmt: skip
PROMPT = "[user]\nJudge {{ response }} and answer as JSON. "


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(Session.open(build_project(tmp_path / "p.review"), "lea")) as opened:
        yield opened


def guide(session: Session, words: str) -> None:
    guidelines.write(session, words)


def commented(session: Session, words: str) -> None:
    entering.comment(session, 1, "accuracy", words)


def noted(session: Session, words: str) -> None:
    entering.highlight(session, 1, Stretch(None, 0, 4), note=words)


def skipped(session: Session, words: str) -> None:
    entering.give_reason(session, 1, "skip", words)


def prompted(session: Session, words: str) -> None:
    prompts.save(session, RUBRIC, "accuracy", PROMPT + words)


WAYS = (guide, commented, noted, skipped, prompted)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", KEYS)
def test_it_is_said_once_and_kept_the_second_time(
    session: Session, way: Callable[[Session, str], None], key: str
) -> None:
    words = f"See {key} for that."
    before = list(session.project.conn.iterdump())
    with pytest.raises(LabelError, match=r"seems to hold a key .* Take it out, or keep it once"):
        way(session, words)
    assert list(session.project.conn.iterdump()) == before, "nothing was kept"
    with pytest.raises(LabelError, match="seems to hold a key"):
        way(session, f"{words} And another text.")
    way(session, words)
    assert list(session.project.conn.iterdump()) != before


@pytest.mark.parametrize("way", WAYS)
def test_plain_words_are_kept_at_once(
    session: Session, way: Callable[[Session, str], None]
) -> None:
    way(session, "The key is at the desk; the token costs 2 €, basic rooms are cheaper.")


def test_a_key_of_this_computer_is_known_whatever_it_looks_like(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_KEY", "correct-horse-battery")
    commented(session, "correct-horse-battery")
    with secrets.kept_apart(), pytest.raises(LabelError, match=r"a key \(correc…\)"):
        commented(session, "It is correct-horse-battery, they say.")
    assert reading.view(session, 1).own["accuracy"].comment == "correct-horse-battery"
