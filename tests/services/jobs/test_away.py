"""Jobs whose work is done by an executor, in processes of this machine."""

import asyncio
import json
import multiprocessing
import os
import pickle
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import (
    Bot,
    Endpoint,
    Following,
    Job,
    JobPlan,
    Judge,
    Price,
    Selection,
)
from reviewer.scoring.calling import CallError, Exchange, Question, Received, ReplyError
from reviewer.services.jobs import away, planning, running, scoring_jobs
from reviewer.services.jobs.away import LOST, AwayClient, LostError, Refusal, Workers
from reviewer.services.jobs.control import Control
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import judging
from tests.servers.model_server import Answer, model_server
from tests.services.strangers import install

KEY = "sk-planted-0123456789"
CASES = 40


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEAR_KEY", KEY)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")


@pytest.fixture
def pool() -> Iterator[Workers]:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as made:
        yield Workers(made, 2)


def project(path: Path) -> Path:
    file = path.with_suffix(".jsonl")
    rows = [
        {
            "id": f"c-{n}",
            "input": f"Question {n}?",
            "response": "" if n % 7 == 3 else f"Answer {n} is $442,300, please.",
            "expected": f"Answer {n} is $442,300.",
            "expected_keywords": ["442300", "answer"],
            **({"latency_ms": 10.0 * n} if n % 5 else {}),
        }
        for n in range(CASES)
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    importing.run(path, ImportRequest(files=(file,), rubric="faq-bot"), Silent())
    return path


def scored(path: Path, workers: Workers | None, *scorers: str, metrics: Any = ()) -> Job:
    session = Session.open(path)
    plan = planning.scoring_plan(session, Selection(), scorers=scorers, metrics=metrics)
    key = planning.add(session, plan)
    session.close()
    return running.run(path, key, Silent(), Control(), workers)


def figures(path: Path) -> list[tuple[Any, ...]]:
    """Give what a job brought to a project, without when."""
    session = Session.open(path)
    found = session.project.conn.execute(
        "SELECT e.ext_id, m.name, s.value, s.reasoning, s.extra, b.scorer, b.version, b.status "
        "FROM scores s JOIN evaluations e ON e.id = s.evaluation "
        "JOIN metrics m ON m.id = s.metric JOIN score_sets b ON b.id = s.score_set "
        "ORDER BY s.score_set, e.id"
    ).fetchall()
    failed = session.project.conn.execute(
        "SELECT evaluation, metric, state, kind, sentence FROM attempts ORDER BY 1, 2"
    ).fetchall()
    session.close()
    return [*found, *failed]


class Losing(Executor):
    """Does what it is asked here, and then loses the first replies."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.asked: list[str] = []
        self.sent = b""

    @override
    def submit(self, function: Any, /, *given: Any, **named: Any) -> Future[Any]:
        made: Future[Any] = Future()
        self.asked.append(function.__name__)
        # as it would be sent
        self.sent += pickle.dumps((function, given, named))
        with ThreadPoolExecutor(1) as here:
            result = here.submit(function, *given, **named).result()
        if self.losses:
            self.losses -= 1
            made.set_exception(LostError(LOST))
        else:
            made.set_result(result)
        return made


def test_processes_score_what_this_one_would(
    tmp_path: Path, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring_jobs, "BLOCK", 7)
    here, there = project(tmp_path / "here.review"), project(tmp_path / "there.review")
    one, other = scored(here, None), scored(there, pool)
    assert one.failed > 0
    assert (other.state, other.done, other.failed) == (one.state, one.done, one.failed)
    assert figures(there) == figures(here)


def test_a_packages_scorer_is_the_one_of_the_same_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, entries = (
        "def score(case):\n    return 1\n",
        "[reviewer.scorers]\nown = strangers:score\n",
    )
    install(tmp_path / "site", monkeypatch, code, entries)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    path = project(tmp_path / "p.review")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as made:
        done = scored(path, Workers(made, 1), "own", metrics=("exact_match",))
        assert (done.state, done.done, done.failed) == ("done", CASES, 0)
        metadata = tmp_path / "site" / "strangers-1.2.dist-info" / "METADATA"
        metadata.write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.3\n")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as made:
        metadata_read_here = "1.3"
        wanted = (away.Named("own", "1.2", "{}"),)
        with pytest.raises(ReviewerError) as told:
            made.submit(away.score, wanted, []).result()
    assert str(told.value) == (
        f"On a worker: the scorer own is of {metadata_read_here} there and of 1.2 here; install "
        "the same on every worker."
    )


def test_a_lost_batch_is_scored_again_and_nothing_else(tmp_path: Path) -> None:
    path = project(tmp_path / "p.review")
    losing = Losing(3)
    done = scored(path, Workers(losing, 1))
    assert done.state == "done"
    assert len(losing.asked) == 4
    here = project(tmp_path / "here.review")
    scored(here, None)
    assert figures(path) == figures(here)


def test_a_batch_that_ends_every_worker_ends_the_job_with_a_sentence(tmp_path: Path) -> None:
    path = project(tmp_path / "p.review")
    done = scored(path, Workers(Losing(99), 1))
    assert (done.state, done.done) == ("failed", 0)
    assert done.sentence == (
        "5 workers were lost one after the other while they scored c-0 to c-39; what was scored "
        "until then is kept."
    )


def test_a_pool_that_breaks_ends_the_job_with_a_sentence(tmp_path: Path, pool: Workers) -> None:
    path = project(tmp_path / "p.review")
    os.kill(pool.executor.submit(os.getpid).result(), signal.SIGKILL)
    done = scored(path, pool)
    assert (done.state, done.done) == ("failed", 0)
    assert done.sentence == away.ENDED
    assert scored(path, None).state == "done"


def test_a_pause_keeps_what_came_and_drops_the_rest(tmp_path: Path) -> None:
    path = project(tmp_path / "p.review")
    session = Session.open(path)
    key = planning.add(session, planning.scoring_plan(session, Selection()))
    session.close()
    done = running.run(path, key, Silent(), Control(paused=True), Workers(Losing(0), 1))
    assert (done.state, done.done) == ("paused", 0)


def judged(path: Path, url: str, workers: Workers, **changes: Any) -> Job:
    session = Session.open(path)
    endpoint = Endpoint(name="near", base_url=url, variable="NEAR_KEY", concurrency=2, **changes)
    judging.keep(session.project, endpoint)
    judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    price = Price(model="m", input_per_million=1.0, output_per_million=2.0)
    judging.keep_price(session.project, price)
    selection = Selection(limit=6)
    plan = planning.judging_plan(session, "careful", selection, metrics=("politeness",))
    key = planning.add(session, plan)
    session.close()
    return running.run(path, key, Silent(), Control(), workers)


def test_judges_are_asked_by_processes_with_the_key_of_their_environment(
    tmp_path: Path, pool: Workers
) -> None:
    path = project(tmp_path / "p.review")

    def script(number: int, _: Any) -> Answer:
        return Answer("no score, sir" if number == 0 else '{"score": 1, "reasoning": "Fine."}')

    with model_server(script) as model:
        done = judged(path, model.url, pool)
        assert (done.state, done.done, done.failed, done.calls) == ("done", 6, 0, 7)
        assert done.cost_usd == pytest.approx(7 * 140e-6)
        assert set(model.keys) == {f"Bearer {KEY}"}
        again = judged(path, model.url, pool)
    assert (again.done, again.calls, again.cached, again.cost_usd) == (6, 0, 6, 0)


def test_a_worker_without_the_key_says_where_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project(tmp_path / "p.review")
    with model_server() as model:
        monkeypatch.delenv("NEAR_KEY")
        done = judged(path, model.url, Workers(Losing(0), 1))
        assert model.requests == []
    assert done.state == "failed"
    assert done.sentence == (
        "On a worker: the endpoint near needs a key and there is none. Set the variable NEAR_KEY "
        "where the workers are started; keys are never sent to them."
    )


def test_a_call_that_was_paid_for_and_lost_is_counted_and_told(tmp_path: Path) -> None:
    path = project(tmp_path / "p.review")
    losing = Losing(1)
    with model_server(Answer('{"score": 1}')) as model:
        done = judged(path, model.url, Workers(losing, 1))
        assert len(model.requests) == 7
        assert set(model.keys) == {f"Bearer {KEY}"}
        # a provider that knows calls by their names does not bill the second one
        assert len(set(model.names)) == 6 == len(model.names) - 1
    assert b"Answer 1 is" in losing.sent
    assert KEY.encode() not in losing.sent
    assert (done.state, done.done, done.failed, done.calls) == ("done", 6, 0, 7)
    assert done.cost_usd > 6 * 140e-6
    lost = done.cost_usd - 6 * 140e-6
    assert done.sentence == (
        "1 call went to a worker that was lost before the reply came back; a provider may bill "
        f"that although nobody has the reply, so ${lost:.4f} is counted for it."
    )


def test_what_a_worker_was_given_is_kept_here_and_asked_for_no_more() -> None:
    kept: list[Received] = []
    place = Endpoint(name="near", kind="openai", needs_key=False)
    question = Question(model="m", prompt="Is it?")
    with model_server(Answer("no score")) as model:
        client = AwayClient(Workers(Losing(0), 1), replace(place, base_url=model.url))
        exchange = Exchange(name="n", keep=kept.append)
        came = asyncio.run(client.ask(question, _unreadable, exchange))
        assert (came.value, came.requests) == (None, 2)
        assert [reply.text for reply in kept] == ["no score", "no score"]
        exchange = Exchange(name="n", came=kept[-1])
        asyncio.run(client.ask(question, _unreadable, exchange))
        assert len(model.requests) == 3


def _unreadable(text: str) -> str:
    raise ReplyError(f"{text} is none.")


def test_a_refusal_travels_whole() -> None:
    error = CallError("rate", "Slow down.", 2.0)
    error.replies, error.tokens_in, error.tokens_out = 1, 100, 20
    there = Refusal.of(error).error()
    assert (there.kind, str(there), there.retry_after) == ("rate", "Slow down.", 2.0)
    assert (there.replies, there.tokens_in, there.tokens_out) == (1, 100, 20)


def test_an_error_of_a_provider_comes_back_as_it_is(tmp_path: Path, pool: Workers) -> None:
    path = project(tmp_path / "p.review")
    with model_server(Answer("no", status=401)) as model:
        done = judged(path, model.url, pool)
    assert done.state == "failed"
    assert "key" in (done.sentence or "")
    assert KEY not in (done.sentence or "")


def answered(path: Path, bot: Bot, workers: Workers | None) -> Job:
    session = Session.open(path)
    judging.keep(session.project, bot)
    plan: JobPlan = planning.answering_plan(
        session, bot.name, Selection(limit=4), run="again", then=Following()
    )
    key = planning.add(session, plan)
    session.close()
    return running.run(path, key, Silent(), Control(), workers)


def responses(path: Path) -> list[Any]:
    session = Session.open(path)
    found = session.project.conn.execute(
        "SELECT e.ext_id, e.response FROM evaluations e JOIN runs r ON r.id = e.run "
        "WHERE r.name = 'again' ORDER BY 1"
    ).fetchall()
    session.close()
    return found


def test_bots_answer_by_processes(tmp_path: Path, pool: Workers) -> None:
    path = project(tmp_path / "p.review")
    with model_server(Answer("Forty-two.")) as model:
        session = Session.open(path)
        judging.keep(
            session.project, Endpoint(name="near", base_url=model.url, variable="NEAR_KEY")
        )
        session.close()
        bot = Bot(name="chatty", kind="chat", settings={"endpoint": "near", "model": "m"})
        done = answered(path, bot, pool)
        assert set(model.keys) == {f"Bearer {KEY}"}
    assert (done.state, done.done, done.failed) == ("done", 4, 0)
    assert responses(path) == [(f"c-{n}", "Forty-two.") for n in range(4)]


def test_an_answer_that_was_lost_is_asked_for_again(tmp_path: Path) -> None:
    path = project(tmp_path / "p.review")
    rows: list[JsonValue] = [["Question 1?", "Yes."], ["Question 2?", "No."]]
    done = answered(
        path, Bot(name="strict", kind="strict_match", settings={"rows": rows}),
        Workers(Losing(2), 1),
    )  # fmt: skip
    assert (done.state, done.done + done.failed, done.calls) == ("done", 4, 6)
    assert "2 calls went to a worker that was lost" in (done.sentence or "")


def test_a_packages_judge_and_bot_are_called_where_the_package_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os\n"
        "def judge(prompt, system='', model=''):\n    return {'score': 1, 'reasoning': 'Fine.'}\n"
        "def bot(case):\n    return f'from {os.getpid()}'\n"
    )
    entries = "[reviewer.judges]\nown = strangers:judge\n[reviewer.bots]\nown = strangers:bot\n"
    install(tmp_path / "site", monkeypatch, code, entries)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    path = project(tmp_path / "p.review")
    session = Session.open(path)
    plan = planning.judging_plan(session, "own", Selection(limit=3), metrics=("politeness",))
    judge = planning.add(session, plan)
    plan = planning.answering_plan(
        session, "own", Selection(limit=4), run="again", then=Following()
    )
    bot = planning.add(session, plan)
    session.close()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as made:
        workers = Workers(made, 1)
        done = running.run(path, judge, Silent(), Control(), workers)
        assert (done.state, done.done, done.failed) == ("done", 3, 0)
        done = running.run(path, bot, Silent(), Control(), workers)
        assert (done.state, done.done, done.failed) == ("done", 4, 0)
    processes = {text for _, text in responses(path)}
    assert len(processes) <= 2
    assert f"from {os.getpid()}" not in processes
