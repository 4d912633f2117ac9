"""One limit for several jobs: a bot and what judges it, or judges asked for together."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.job import Following, Job, Selection
from reviewer.domain.judging import Bot, Endpoint, Judge, Price
from reviewer.domain.progress import Silent
from reviewer.services.evaluating import bots, following, planning, running
from reviewer.services.evaluating.control import Control
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from reviewer.services.upkeep import projects
from reviewer.store import judging
from tests.servers.model_server import Answer, Model, model_server

DEAR = Answer('{"score": 4, "reasoning": "Fine."}', tokens=(100_000, 100_000))
"""A call that costs $0.20."""


@pytest.fixture
def model() -> Iterator[Model]:
    with model_server(DEAR) as served:
        yield served


@pytest.fixture
def path(tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Questions, a bot and two judges, who all ask one server."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    made = projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())
    with closing(Session.open(made)) as session:
        judging.keep(session.project, Endpoint(name="near", base_url=model.url, needs_key=False))
        for name in ("careful", "strict"):
            judging.keep(session.project, Judge(name=name, endpoint="near", model=name))
            price = Price(model=name, input_per_million=1.0, output_per_million=1.0)
            judging.keep_price(session.project, price)
        settings: dict[str, Any] = {"endpoint": "near", "model": "careful"}
        bots.keep(session, Bot(name="chat", kind="chat", settings=settings))
    return made


def answering(path: Path, cases: int, **changes: Any) -> int:
    with closing(Session.open(path)) as session:
        tests = sets.get(session)
        some = replace(tests, cases=tests.cases[:cases])
        then = Following(judges=("careful",), metrics=("relevance",))
        plan = planning.answering_plan(session, "chat", Selection(), tests=some, then=then)
        return planning.add(session, replace(plan, concurrency=1, **changes))


def work(path: Path, key: int) -> Job:
    return running.run(path, key, Silent(), Control())


def test_what_a_bot_cost_is_taken_off_the_limit_once(path: Path, model: Model) -> None:
    bot = work(path, answering(path, 3, max_cost=1.0))
    assert bot.state == "done"
    assert bot.cost_usd == pytest.approx(0.6)
    with closing(Session.open(path)) as session:
        (judge,) = following.waiting(session, bot.key)
    stopped = work(path, judge.key)
    assert (stopped.state, stopped.done) == ("paused", 2)
    assert stopped.cost_usd == pytest.approx(0.4)
    assert "Stopped at the budget of $1: $1.0000 are spent." in str(stopped.sentence)
    assert len(model.requests) == 5
