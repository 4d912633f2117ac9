"""A bot answers a run's cases again: a new run beside the old one."""

import json
import sys
import time
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot, Endpoint, Job, Price, Selection
from reviewer.paths import resources
from reviewer.services.bots import bots
from reviewer.services.jobs import control, planning, running
from reviewer.services.jobs.control import Control
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from reviewer.store import judging
from tests.servers.model_server import Answer, model_server


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    return projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())


def faq() -> Bot:
    rows = bots.faq_rows(resources() / "examples" / "faq.csv")
    return Bot(name="strict", kind="strict_match", settings={"rows": rows})


def answer(project: Path, bot: Bot, control: Control | None = None, **changes: Any) -> Job:
    session = Session.open(project)
    bots.keep(session, bot)
    plan = planning.answering_plan(session, bot.name, Selection(limit=10))
    key = planning.add(session, replace(plan, **changes))
    session.close()
    return running.run(project, key, Silent(), control or Control())


def responses(project: Path, run: str) -> dict[str, Any]:
    session = Session.open(project)
    session.blind = False
    found = {}
    conn = session.project.conn
    for (key,) in conn.execute(
        "SELECT e.id FROM evaluations e JOIN runs r ON r.id = e.run WHERE r.name = ?", (run,)
    ).fetchall():
        evaluation = reading.view(session, key).evaluation
        found[evaluation.id] = evaluation
    session.close()
    return found


def test_the_question_list_makes_a_run(project: Path) -> None:
    done = answer(project, faq())
    assert (done.state, done.done, done.failed) == ("done", 10, 0)
    found = responses(project, "strict 1")
    assert len(found) == 10
    first = next(iter(found.values()))
    assert first.response
    assert first.expected
    assert first.latency_ms is not None
    assert first.rest["meta"]["matched"]["shared"]
    session = Session.open(project)
    assert session.run_names()[-1] == "strict 1"
    assert session.project.conn.execute(
        "SELECT source FROM runs WHERE name = 'strict 1'"
    ).fetchone() == ("run here by strict",)
    assert session.project.conn.execute("SELECT count(*) FROM replies").fetchone() == (0,)
    session.close()


def test_a_stopped_bot_goes_on_where_it_was(project: Path) -> None:
    control = Control()
    asked = 0

    def script(number: int, _: Any) -> Answer:
        nonlocal asked
        asked = number + 1
        control.paused = number >= 3
        return Answer("An answer.")

    with model_server(script) as model:
        session = Session.open(project)
        judging.keep(session.project, Endpoint(name="near", base_url=model.url, needs_key=False))
        session.close()
        bot = Bot(name="chat", kind="chat", settings={"endpoint": "near", "model": "m"})
        paused = answer(project, bot, control, concurrency=1)
        assert (paused.state, paused.done) == ("paused", 4)
        assert responses(project, "chat 1") == {}
        done = running.run(project, paused.key, Silent(), Control(paused=False))
        assert (done.state, done.done, asked) == ("done", 10, 10)
    assert {x.response for x in responses(project, "chat 1").values()} == {"An answer."}


def test_a_case_without_answer_keeps_its_error(project: Path) -> None:
    source = (
        "import json,sys\n"
        "hard = json.load(sys.stdin)['id'].endswith('1')\n"
        "sys.exit('too hard') if hard else json.dump({'response': 'x'}, sys.stdout)"
    )
    bot = Bot(name="mine", kind="command", settings={"words": [sys.executable, "-c", source]})
    done = answer(project, bot)
    assert done.state == "done"
    assert done.failed == sum(x.error is not None for x in responses(project, "mine 1").values())
    assert done.done + done.failed == 10


def test_a_key_that_is_missing_stops_before_anything_is_asked(project: Path) -> None:
    session = Session.open(project)
    judging.keep(session.project, Endpoint(name="far", variable="NO_SUCH_KEY"))
    session.close()
    bot = Bot(name="chat", kind="chat", settings={"endpoint": "far", "model": "m"})
    done = answer(project, bot)
    assert (done.state, done.calls) == ("failed", 0)
    assert "needs a key" in str(done.sentence)


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        (Bot(name="b", kind="http", settings={"url": "x"}), "needs the setting 'body'"),
        (
            Bot(
                name="b",
                kind="full_context",
                settings={"endpoint": "e", "model": "m", "knowledge": "k", "template": "{{ x }}"},
            ),
            "names {{ x }}",
        ),
        (
            Bot(
                name="b",
                kind="full_context",
                settings={"endpoint": "e", "model": "m", "knowledge": "k", "template": "Hi"},
            ),
            "needs {{ question }}",
        ),
    ],
)
def test_settings_that_are_not_whole(project: Path, bot: Bot, words: str) -> None:
    session = Session.open(project)
    with pytest.raises(ReviewerError, match=words):
        bots.keep(session, bot)
    session.close()


def test_names_that_are_not_there(project: Path) -> None:
    session = Session.open(project)
    with pytest.raises(ReviewerError, match="has no bot 'nobody'"):
        planning.answering_plan(session, "nobody", Selection())
    bots.keep(session, faq())
    taken = session.run_names()[0]
    with pytest.raises(ReviewerError, match="There is a run"):
        planning.answering_plan(session, "strict", Selection(), run=taken)
    session.close()


def test_an_faq_table_is_held_to_its_columns(tmp_path: Path) -> None:
    file = tmp_path / "faq.csv"
    file.write_text("Frage,Antwort\nWann?,Um drei.\n")
    with pytest.raises(ReviewerError, match="no column 'question'; it has: Frage, Antwort"):
        bots.faq_rows(file)
    assert bots.faq_rows(file, "Frage", "Antwort") == [["Wann?", "Um drei."]]
    file.write_text("question,answer\n")
    with pytest.raises(ReviewerError, match="no row below"):
        bots.faq_rows(file)
    assert json.dumps(bots.faq_rows(resources() / "examples" / "faq.csv"))


def chat(project: Path, url: str, **endpoint: Any) -> Bot:
    session = Session.open(project)
    place = Endpoint(name="near", base_url=url, needs_key=False, **endpoint)
    judging.keep(session.project, place)
    session.close()
    return Bot(name="chat", kind="chat", settings={"endpoint": "near", "model": "m"})


def web(url: str) -> Bot:
    settings: dict[str, JsonValue] = {
        "url": url, "body": {"model": "{{ question }}"}, "path": "choices",
    }  # fmt: skip
    return Bot(name="web", kind="http", settings=settings)


@pytest.mark.parametrize("kind", ["chat", "web"])
@pytest.mark.parametrize("status", [429, 503])
def test_a_bot_that_is_too_busy_is_asked_again_when_it_says(
    project: Path, kind: str, status: int
) -> None:
    def script(number: int, _: Any) -> Answer:
        busy = Answer("slow down", status=status, headers={"Retry-After": "1"})
        return busy if number == 0 else Answer("Yes.")

    with model_server(script) as model:
        bot = chat(project, model.url) if kind == "chat" else web(model.url)
        done = answer(project, bot, concurrency=1)
        assert (done.state, done.done, done.failed) == ("done", 10, 0)
        assert len(model.requests) == 11
        assert model.times[1] - model.times[0] >= 1.0


def test_a_wait_may_be_given_as_a_date(project: Path) -> None:
    def script(number: int, _: Any) -> Answer:
        until = formatdate(time.time() + 2, usegmt=True)
        busy = Answer("slow down", status=429, headers={"Retry-After": until})
        return busy if number == 0 else Answer("Yes.")

    with model_server(script) as model:
        assert answer(project, web(model.url), concurrency=1).done == 10
        # a date has whole seconds
        assert model.times[1] - model.times[0] >= 0.9


@pytest.mark.parametrize("kind", ["chat", "web"])
def test_a_bot_that_is_down_stops_the_job_and_makes_no_run(
    project: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "wait_before", lambda *_: 0.0)
    with model_server() as model:
        pass
    done = answer(project, chat(project, model.url) if kind == "chat" else web(model.url))
    assert (done.state, done.done, done.failed) == ("failed", 0, 0)
    assert "cannot be reached" in str(done.sentence)
    session = Session.open(project)
    assert not any(name.startswith(kind) for name in session.run_names())
    session.close()


def test_a_bot_keeps_to_the_rate_of_its_endpoint(project: Path) -> None:
    with model_server(Answer("Yes.")) as model:
        done = answer(project, chat(project, model.url, per_minute=600))
        assert done.done == 10
        assert model.times[-1] - model.times[0] >= 9 * 0.1 - 0.05


def test_a_bot_stops_before_its_limit_is_passed(project: Path) -> None:
    with model_server(Answer("Yes.", tokens=(500_000, 500_000), delay=0.1)) as model:
        bot = chat(project, model.url, concurrency=4)
        session = Session.open(project)
        price = Price(model="m", input_per_million=1.0, output_per_million=1.0)
        judging.keep_price(session.project, price)
        session.close()
        done = answer(project, bot, max_cost=3.5)
        assert (done.state, done.done, done.cost_usd) == ("paused", 3, 3.0)
        assert "Stopped at the budget of $3.5: $3.0000 are spent." in str(done.sentence)
        assert len(model.requests) == 3
