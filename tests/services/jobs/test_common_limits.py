"""One limit for several jobs: a bot and what judges it, or judges asked for together."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.judging import Bot, Endpoint, Following, Job, Judge, Price, Selection
from reviewer.services.bots import bots
from reviewer.services.calls import prices
from reviewer.services.jobs import estimating, job_list, launching, planning, running
from reviewer.services.jobs.control import Control
from reviewer.services.jobs.launching import Wish
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from reviewer.services.upkeep import projects
from reviewer.store import judging
from tests.servers.model_server import Answer, Model, model_server

TESTS = "faq-bot questions"
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
        (judge,) = job_list.waiting(session, bot.key)
    stopped = work(path, judge.key)
    assert (stopped.state, stopped.done) == ("paused", 2)
    assert stopped.cost_usd == pytest.approx(0.4)
    assert "Stopped at the budget of $1: $1.0000 are spent." in str(stopped.sentence)
    assert len(model.requests) == 5


def both(path: Path, **changes: Any) -> list[int]:
    """Let two judges score the same three evaluations for themselves."""
    with closing(Session.open(path)) as session:
        session.blind = False
        plans = [
            planning.judging_plan(session, name, Selection(limit=3), metrics=("relevance",))
            for name in ("careful", "strict")
        ]
        plans = [replace(x, concurrency=1, **changes) for x in plans]
        return planning.add_together(session, plans)


def test_judges_asked_for_together_share_a_limit_in_any_order(path: Path, model: Model) -> None:
    first, second = both(path, max_cost=1.0)
    assert work(path, second).cost_usd == pytest.approx(0.6)
    stopped = work(path, first)
    assert (stopped.state, stopped.done) == ("paused", 2)
    assert "Stopped at the budget of $1: $1.0000 are spent." in str(stopped.sentence)
    assert len(model.requests) == 5


def test_those_who_share_a_limit_go_one_after_the_other(tmp_path: Path, path: Path) -> None:
    with model_server(replace(DEAR, delay=0.3)) as model:
        with closing(Session.open(path)) as session:
            near = Endpoint(name="near", base_url=model.url, needs_key=False)
            judging.keep(session.project, near)
        keys = both(path, max_cost=1.0)
        root = Path(__file__).parents[3]
        logs = [tmp_path / f"{key}.log" for key in keys]
        started = []
        for key, log in zip(keys, logs, strict=True):
            words = [sys.executable, "-m", "reviewer.worker", str(path), str(key)]
            with log.open("w") as out:
                started.append(subprocess.Popen(words, cwd=root, stdout=out))
        assert [process.wait(timeout=120) for process in started] == [0, 0]
        assert len(model.requests) == 5
    with closing(Session.open(path)) as session:
        ends = {job_list.get(session, key).state for key in keys}
    assert ends == {"done", "paused"}
    lines = [json.loads(x) for log in logs for x in log.read_text().splitlines()]
    first = next(x["limit_with"] for x in lines if x.get("limit_with"))
    assert f"waits for job {first}, as one limit holds for both" in {x.get("note") for x in lines}


def test_a_limit_is_set_for_all_who_share_it(path: Path) -> None:
    first, second = both(path, max_cost=1.0)
    with closing(Session.open(path)) as session:
        job_list.set_limit(session, second, 2.0)
        assert [job_list.plan(session, x).max_cost for x in (first, second)] == [2.0, 2.0]
    assert [work(path, key).state for key in (first, second)] == ["done", "done"]


@pytest.fixture
def unpriced(path: Path) -> Path:
    """A third judge, of whose model nobody knows the price."""
    with closing(Session.open(path)) as session:
        judging.keep(session.project, Judge(name="free", endpoint="near", model="nobody's"))
    return path


def answered_for(judge: str, **changes: Any) -> Wish:
    return Wish(kind="bot", selection=Selection(limit=2), bot="chat", then=judge, **changes)


def test_a_limit_that_cannot_hold_for_what_follows_is_told_before(unpriced: Path) -> None:
    with closing(Session.open(unpriced)) as session:
        plan = launching.plan(session, answered_for("free", max_cost=1.0))
        with pytest.raises(ReviewerError, match="What the model nobody's costs is not known"):
            prices.check_limit(session.project, plan)
        assert plan.then is not None
        other = replace(plan, then=replace(plan.then, model="gpt-4o"))
        prices.check_limit(session.project, other)
        prices.check_limit(session.project, replace(plan, max_cost=None))
        wishes = [answered_for("free", max_cost=1.0), answered_for("careful", max_cost=1.0)]
        wishes += [answered_for("free"), answered_for("free", max_cost=1.0, tests=TESTS)]
        told = [estimating.forecast(session, wish).warning for wish in wishes]
    unheld = "The model's price is not known, so nothing can be held to the limit."
    assert told == [unheld, "", "", unheld]


def test_no_limit_is_set_that_cannot_hold(unpriced: Path) -> None:
    with closing(Session.open(unpriced)) as session:
        session.blind = False
        plans = [
            planning.judging_plan(session, name, Selection(limit=1), metrics=("relevance",))
            for name in ("careful", "free")
        ]
        keys = planning.add_together(session, plans)
        with pytest.raises(ReviewerError, match="nothing holds it to \\$1"):
            job_list.set_limit(session, keys[0], 1.0)
        assert [job_list.plan(session, key).max_cost for key in keys] == [None, None]
        job_list.set_limit(session, keys[0], None)
