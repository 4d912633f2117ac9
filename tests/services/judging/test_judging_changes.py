"""Whatever decides how is judged is told when it is kept, in this window and in others."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.change import Change, JudgingChanged
from reviewer.domain.judging import Bot, Endpoint, Judge, Price
from reviewer.services.bots import bots
from reviewer.services.judging import judges, prompts
from reviewer.services.project.session import Session
from tests.building import build_project

Act = Callable[[Session], object]
NEAR = Endpoint(name="near", base_url="http://127.0.0.1:9/v1", needs_key=False)
CAREFUL = Judge(name="careful", endpoint="near", model="m")
MATCH = Bot(name="match", kind="strict_match", settings={"rows": [["q", "a"]]})
PRICE = Price(model="m", input_per_million=1, output_per_million=2)
PROMPT = "[system]\nReply with JSON.\n[user]\n{{ response }}\n"


def keep_prompt(session: Session) -> None:
    prompts.save(session, session.current_rubric(), "accuracy", PROMPT)


def keep_price(session: Session) -> None:
    judges.keep_price(session, PRICE)


ACTS: dict[str, tuple[Act, ...]] = {
    "endpoint": (lambda x: judges.keep_endpoint(x, NEAR), lambda x: judges.remove(x, "near")),
    "judge": (lambda x: judges.keep(x, CAREFUL), lambda x: judges.remove(x, "careful")),
    "bot": (lambda x: bots.keep(x, MATCH), lambda x: judges.remove(x, "match")),
    "prompt": (keep_prompt,),
    "price": (keep_price,),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.review", evaluations=2)


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    with closing(Session.open(path)) as made:
        judges.keep_endpoint(made, Endpoint(name="near", base_url="http://127.0.0.1:8/v1"))
        made.poll()
        yield made


def heard(session: Session) -> list[Change]:
    found: list[Change] = []
    session.subscribe(found.append)
    return found


@pytest.mark.parametrize("what", ACTS)
def test_every_change_is_told_here(session: Session, what: str) -> None:
    told = heard(session)
    for number, act in enumerate(ACTS[what], start=1):
        act(session)
        assert len(told) == number
        assert isinstance(told[-1], JudgingChanged)


@pytest.mark.parametrize("what", ACTS)
def test_every_change_is_told_in_other_windows(session: Session, path: Path, what: str) -> None:
    told = heard(session)
    for number, act in enumerate(ACTS[what], start=1):
        with closing(Session.open(path)) as other:
            act(other)
        assert session.poll() == 1
        assert len(told) == number
        assert isinstance(told[-1], JudgingChanged)


def test_what_others_do_besides_is_not_taken_for_it(session: Session, path: Path) -> None:
    told = heard(session)
    with closing(Session.open(path)) as other, other.project.write() as conn:
        conn.execute("INSERT INTO labelers(name) VALUES ('ann')")
    session.poll()
    assert told
    assert not any(isinstance(x, JudgingChanged) for x in told)
