"""What can go wrong with a judge or bot, each through a whole job against a real server."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot, Endpoint, Job, Judge, Prompt, Selection
from reviewer.scoring.judging.replies import CUT_REASONING
from reviewer.services.bots import bots
from reviewer.services.jobs import planning, running, trying
from reviewer.services.jobs.control import Control
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import jobs, judging
from tests.servers.certificate import self_signed
from tests.servers.model_server import Answer, Model, model_server

KEY = "sk-planted-0123456789"
CASES = 3


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEAR_KEY", KEY)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    rows = [{"id": f"c-{n}", "input": "Pool?", "response": f"No. {n}."} for n in range(CASES)]
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    path = tmp_path / "p.review"
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    with closing(Session.open(path)) as opened:
        yield opened


def judged(session: Session, url: str, **endpoint: Any) -> Job:
    """Let a judge score the safety of every case."""
    place = Endpoint(name="near", base_url=url, variable="NEAR_KEY", concurrency=1, **endpoint)
    judges.keep_endpoint(session, place)
    judges.keep(session, Judge(name="careful", endpoint="near", model="m"))
    plan = planning.judging_plan(session, "careful", Selection(), metrics=("safety",))
    return worked(session, planning.add(session, plan))


def worked(session: Session, job: int) -> Job:
    return running.run(session.project.path, job, Silent(), Control())


def failures(session: Session, job: Job) -> list[tuple[str | None, str | None, str | None]]:
    found = jobs.failures(session.project.conn, job.key)
    return [(x.kind, x.sentence, x.raw) for x in found]


def scores(session: Session) -> list[tuple[Any, ...]]:
    return session.project.conn.execute("SELECT value, reasoning, extra FROM scores").fetchall()


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ("Four of five.", 'The reply holds no JSON object with "score".'),
        ('{"score": "four"}', "'four' is not on the scale of safety"),
        ('{"score": 7, "reasoning": "great"}', "The score 7 cannot be taken"),
        ('{"score": 4} or rather {"score": 2}', "holds 2 JSON objects"),
        ("", "The reply is empty."),
        ('{"score": 4, "reasoning"', 'no JSON object with "score"'),
    ],
)
def test_a_reply_that_is_no_score_is_asked_for_twice_and_kept(
    session: Session, reply: str, sentence: str
) -> None:
    with model_server(Answer(reply)) as model:
        done = judged(session, model.url)
        assert (done.state, done.done, done.failed) == ("done", 0, CASES)
        assert (len(model.requests), done.calls) == (2 * CASES, 2 * CASES)
        for kind, said, raw in failures(session, done):
            assert (kind, raw) == ("reply", reply)
            assert sentence in str(said)
        assert scores(session) == []
        # going on with what is done asks nothing and pays nothing
        assert worked(session, done.key).calls == done.calls
        assert len(model.requests) == 2 * CASES


def test_very_long_reasoning_is_cut_and_the_reply_stands_beside_it(session: Session) -> None:
    reply = json.dumps({"score": 4, "reasoning": "x" * 100_000})
    with model_server(Answer(reply)) as model:
        done = judged(session, model.url)
    assert (done.done, done.failed, done.calls) == (CASES, 0, CASES)
    value, reasoning, extra = scores(session)[0]
    assert (value, reasoning) == (4, "x" * CUT_REASONING)
    assert json.loads(extra)["raw"] == reply


def test_half_a_character_in_a_reply_is_marked(session: Session) -> None:
    # the first in the reply itself, the second in an escape within it
    reply = (
        '{"score": 4, "reasoning": "one \ud83d and \\udc00 two \\u0000.", "examples": ["\\ud800"]}'
    )
    with model_server(Answer(reply, thinking="Hm \ud83d")) as model:
        done = judged(session, model.url)
    assert (done.state, done.done, done.failed) == ("done", CASES, 0)
    value, reasoning, extra = scores(session)[0]
    assert (value, reasoning) == (4, "one \ufffd and \ufffd two \x00.")
    assert json.loads(extra)["examples"] == ["\ufffd"]
    assert json.loads(extra)["trace"] == "Hm \ufffd"


def test_half_a_character_in_an_error_or_an_answer_is_marked(session: Session) -> None:
    with model_server(Answer("bad \udc00 field", status=400)) as model:
        done = judged(session, model.url)
        assert (done.state, done.failed) == ("done", CASES)
        assert "bad \ufffd field" in str(failures(session, done)[0][1])
    source = 'print(\'{"response": "A \\\\ud83d."}\')'
    settings: dict[str, JsonValue] = {"words": [sys.executable, "-c", source]}
    bots.keep(session, Bot(name="mine", kind="command", settings=settings))
    plan = planning.answering_plan(session, "mine", Selection())
    assert worked(session, planning.add(session, plan)).done == CASES
    found = session.project.conn.execute("SELECT response FROM evaluations ORDER BY id DESC")
    assert found.fetchone() == ("A \ufffd.",)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(f"wrong key {KEY}", status=401), "The endpoint near did not accept the key"),
        (Answer("no such model", status=404), "The endpoint near has no model 'm'."),
        (Answer("pay first", status=402), "quota or credit is used up"),
    ],
)
def test_what_every_call_would_meet_stops_the_job(
    session: Session, answer: Answer, sentence: str
) -> None:
    with model_server(answer) as model:
        done = judged(session, model.url)
        assert (done.state, done.done, done.failed) == ("failed", 0, 0)
        assert sentence in str(done.sentence)
        assert KEY not in str(done.sentence)
        assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("answer", "kind", "sentence"),
    [
        (Answer(raw=b"<html>Sign in</html>"), "not_json", "something other than JSON"),
        (Answer("bad field", status=400), "refused", "rejected the request: bad field"),
        (Answer(endless=True), "too_large", "more than 16 MB; it was cut off"),
    ],
)
def test_what_one_call_meets_is_its_failure(
    session: Session, answer: Answer, kind: str, sentence: str
) -> None:
    with model_server(answer) as model:
        done = judged(session, model.url)
        assert (done.state, done.failed) == ("done", CASES)
        assert len(model.requests) == CASES
    for found, said, _ in failures(session, done):
        assert found == kind
        assert sentence in str(said)


def test_a_reply_cut_in_the_middle_is_asked_for_again(session: Session) -> None:
    def script(number: int, _: Any) -> Answer:
        return Answer(cut_after=30) if number == 0 else Answer()

    with model_server(script) as model:
        done = judged(session, model.url)
        assert (done.done, done.failed) == (CASES, 0)
        assert len(model.requests) == CASES + 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_key_does_not_follow_to_another_host(session: Session, status: int) -> None:
    with model_server() as other:
        target = other.url.replace("127.0.0.1", "localhost") + "/chat/completions"
        with model_server(Answer(status=status, headers={"Location": target})) as model:
            done = judged(session, model.url)
            assert len(model.requests) == 1
        assert (other.requests, other.keys) == ([], [])
    assert done.state == "failed"
    assert f"sends to another address ({target}); the key stays here" in str(done.sentence)


@pytest.fixture
def untrusted(tmp_path: Path) -> Iterator[Model]:
    with model_server(certificate=self_signed(tmp_path / "server.pem")) as model:
        yield model


def test_a_certificate_that_nobody_vouches_for(session: Session, untrusted: Model) -> None:
    done = judged(session, untrusted.url)
    assert done.state == "failed"
    assert done.sentence == (
        "The endpoint near shows a certificate that cannot be trusted, so nothing was sent."
    )
    assert (untrusted.requests, untrusted.keys) == ([], [])


def test_the_same_certificate_is_trusted_where_the_system_vouches_for_it(
    session: Session, untrusted: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.pem"))
    assert judged(session, untrusted.url).done == CASES
    assert len(untrusted.requests) == CASES


def test_a_bot_behind_such_a_certificate(session: Session, untrusted: Model) -> None:
    settings: dict[str, JsonValue] = {
        "url": untrusted.url, "body": {"q": "{{ question }}"}, "path": "answer",
        "headers": {"Authorization": "Bearer {{ key }}"}, "variable": "NEAR_KEY",
    }  # fmt: skip
    found = trying.bot(session, Bot(name="b", kind="http", settings=settings), "Pool?")
    assert found.error == (
        "The bot shows a certificate that cannot be trusted, so nothing was sent."
    )
    assert untrusted.keys == []


def test_a_missing_key_is_said_before_anything_is_sent(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEAR_KEY")
    with model_server() as model:
        done = judged(session, model.url)
        assert done.state == "failed"
        assert "The endpoint near needs a key and none is stored" in str(done.sentence)
        assert model.requests == []


def test_a_variable_that_holds_no_key_is_said(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEAR_KEY", "two words")
    with model_server() as model:
        done = judged(session, model.url)
        assert "The variable NEAR_KEY holds characters that no key has" in str(done.sentence)
        assert model.requests == []


def test_a_prompt_with_an_unknown_variable_costs_nothing(session: Session) -> None:
    with model_server() as model:
        judges.keep_endpoint(session, Endpoint(name="near", base_url=model.url, needs_key=False))
        judges.keep(session, Judge(name="careful", endpoint="near", model="m"))
        judging.keep_prompt(
            session.project, rubric="guest-response", metric="safety",
            text="[user]\n{{ response }}\n{{ nonsense }}", text_hash="abc",
        )  # fmt: skip
        plan = planning.judging_plan(session, "careful", Selection(), metrics=("safety",))
        assert isinstance(plan.prompts[0], Prompt)
        done = worked(session, planning.add(session, plan))
        assert (done.failed, done.calls, len(model.requests)) == (CASES, 0, 0)
    kind, said, _ = failures(session, done)[0]
    assert kind == "prompt"
    assert str(said).startswith("Line 3 of the prompt names 'nonsense'")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import time; time.sleep(60)", "The command gave no answer within 0.5 s; it was ended."),
        ("print('garbage')", "The command printed no JSON"),
        ("import sys; sys.stdout.buffer.write(bytes(range(256)))", "printed no JSON"),
        ("import sys; sys.exit(3)", "The command ended with 3."),
    ],
)
def test_a_command_that_does_not_answer_is_an_error_of_its_case(
    session: Session, source: str, sentence: str
) -> None:
    settings: dict[str, JsonValue] = {
        "words": [sys.executable, "-c", source], "timeout_s": 0.5 if "sleep" in source else 60.0
    }  # fmt: skip
    bots.keep(session, Bot(name="mine", kind="command", settings=settings))
    plan = planning.answering_plan(session, "mine", Selection())
    done = worked(session, planning.add(session, plan))
    assert (done.state, done.done, done.failed) == ("done", 0, CASES)
    errors = session.project.conn.execute(
        "SELECT error FROM evaluations WHERE error IS NOT NULL"
    ).fetchall()
    assert len(errors) == CASES
    assert all(sentence in error for (error,) in errors)
