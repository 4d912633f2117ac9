"""Calls of language models, against a real server on 127.0.0.1."""

import asyncio
import json
import time
from typing import Any

import pytest

from reviewer.domain.judging import Endpoint, EndpointKind
from reviewer.scoring.calling import (
    ONCE,
    Asked,
    CallError,
    Exchange,
    Question,
    Received,
    ReplyError,
)
from reviewer.scoring.llm import client
from reviewer.scoring.llm.client import Client
from tests.servers.model_server import Answer, Script, model_server

KEY = "sk-planted-0123456789"


def read(text: str) -> int:
    try:
        score = json.loads(text)["score"]
    except (ValueError, KeyError, TypeError):
        raise ReplyError("No JSON object with a score was found.") from None
    if score not in (1, 2, 3, 4, 5):
        raise ReplyError(f"The score {score} is not on the scale 1 to 5.")
    return int(score)


def ask(
    script: Script | Answer,
    *,
    kind: EndpointKind = "openai",
    timeout_s: float = 20.0,
    key: str | None = KEY,
    exchange: Exchange = ONCE,
) -> tuple[Asked[int], Any]:
    async def go(url: str) -> Asked[int]:
        base = url if kind == "openai" else url.removesuffix("/v1")
        endpoint = Endpoint(name="near", kind=kind, base_url=base, timeout_s=timeout_s)
        async with Client(endpoint, key) as calls:
            return await calls.ask(
                Question(model="m", prompt="How good?", system="You judge.", seed=7),
                read,
                exchange,
            )

    with model_server(script) as model:
        return asyncio.run(go(model.url)), model


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_reply_is_read_with_its_cost_and_trace(kind: EndpointKind) -> None:
    asked, model = ask(Answer(thinking="Let me see."), kind=kind)
    assert (asked.value, asked.problem, asked.requests) == (4, None, 1)
    assert (asked.tokens_in, asked.tokens_out) == (100, 20)
    assert asked.raw == '{"score": 4, "reasoning": "Fine."}'
    assert asked.trace == "Let me see."
    assert KEY in model.keys[0]
    assert model.requests[0]["temperature"] == 0.0
    assert "You judge." in json.dumps(model.requests[0])


def test_a_score_off_the_scale_is_told_once() -> None:
    def script(number: int, _: Any) -> Answer:
        return Answer('{"score": 7}' if number == 0 else '{"score": 3}')

    asked, model = ask(script)
    assert asked.value == 3
    assert asked.earlier == ('{"score": 7}',)
    assert asked.requests == 2
    assert asked.tokens_in == 200
    assert "not on the scale 1 to 5" in json.dumps(model.requests[1]["messages"])


def test_a_second_unreadable_reply_is_kept_and_is_no_score() -> None:
    asked, model = ask(Answer("four out of five"))
    assert asked.value is None
    assert asked.problem == "No JSON object with a score was found."
    assert asked.raw == "four out of five"
    assert len(model.requests) == 2


def test_each_reply_is_handed_on_before_anybody_reads_it() -> None:
    def script(number: int, _: Any) -> Answer:
        return Answer("four out of five" if number == 0 else '{"score": 3}', thinking="Hm.")

    kept: list[Received] = []

    def crash(reply: Received) -> None:
        kept.append(reply)
        if len(kept) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(script, exchange=Exchange(keep=crash))
    assert [x.text for x in kept] == ["four out of five", '{"score": 3}']
    assert [(x.trace, x.tokens_in, x.tokens_out) for x in kept] == [
        ("Hm.", 100, 20),
        ("Hm.", 200, 40),
    ]


def test_a_reply_that_came_before_is_not_asked_for_again() -> None:
    came = Received(text='{"score": 2}', trace="Hm.", tokens_in=90, tokens_out=9, latency_ms=5000)
    asked, model = ask(Answer(), exchange=Exchange(came=came))
    assert (asked.value, asked.trace, asked.requests) == (2, "Hm.", 1)
    assert (asked.tokens_in, asked.tokens_out) == (90, 9)
    assert asked.latency_ms >= 5000
    assert model.requests == []


def test_after_one_that_came_and_cannot_be_read_only_the_second_is_asked_for() -> None:
    came = Received(text="four out of five", tokens_in=90, tokens_out=9)
    asked, model = ask(Answer(), exchange=Exchange(came=came, name="a1"))
    assert (asked.value, asked.earlier, asked.requests) == (4, ("four out of five",), 2)
    assert asked.tokens_in == 190
    assert model.names == ["a1-2"]
    assert "four out of five" in json.dumps(model.requests[0]["messages"])


def test_a_call_has_a_name_where_the_provider_may_know_it() -> None:
    assert ask(Answer("four"), exchange=Exchange(name="a1"))[1].names == ["a1-1", "a1-2"]
    assert ask(Answer())[1].names == [""]
    assert ask(Answer(), kind="anthropic", exchange=Exchange(name="a1"))[1].names == [""]


def test_an_empty_reply_is_no_score() -> None:
    asked, _ = ask(Answer(""))
    assert asked.value is None
    assert asked.problem


@pytest.mark.parametrize(
    ("answer", "kind", "again", "words"),
    [
        (Answer(f"Incorrect key {KEY}", status=401), "key", False, "did not accept the key"),
        (Answer("slow down", status=429, headers={"Retry-After": "7"}), "rate", True, "too many"),
        (Answer("slow down", status=429), "rate", True, "too many"),
        (Answer("oh no", status=500), "server", True, "failed with status 500: oh no"),
        (Answer("no such model", status=404), "model", False, "has no model 'm'"),
        (Answer("bad field", status=400), "refused", False, "rejected the request: bad field"),
        (Answer(raw=b"<html>Sign in</html>"), "not_json", False, "other than JSON"),
        (Answer(cut_after=30), "cut", True, "broke off"),
        (Answer(endless=True), "too_large", False, "more than 16 MB"),
        (
            Answer(status=302, headers={"Location": "http://127.0.0.1:9/evil"}),
            "redirect",
            False,
            "sends to another address (http://127.0.0.1:9/evil)",
        ),
    ],
)
def test_a_call_without_reply_says_why(answer: Answer, kind: str, again: bool, words: str) -> None:
    with pytest.raises(CallError) as caught:
        ask(answer)
    assert (caught.value.kind, caught.value.again) == (kind, again)
    assert words in str(caught.value)
    assert KEY not in str(caught.value)
    assert caught.value.retry_after == (7.0 if "Retry-After" in answer.headers else None)
    assert caught.value.__cause__ is None


def test_a_slow_endpoint_is_left() -> None:
    with pytest.raises(CallError, match=r"no reply within 0\.3 s") as caught:
        ask(Answer(delay=1.0), timeout_s=0.3)
    assert caught.value.kind == "timeout"


def test_an_endpoint_that_is_down() -> None:
    async def go() -> None:
        endpoint = Endpoint(name="far", base_url="http://127.0.0.1:9/v1")
        async with Client(endpoint, KEY) as client:
            await client.ask(Question(model="m", prompt="?"), read)

    with pytest.raises(CallError, match="cannot be reached at http") as caught:
        asyncio.run(go())
    assert caught.value.kind == "unreachable"


def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    with pytest.raises(CallError, match="needs a key and none is stored"):
        ask(Answer(), key=None)


def test_loading_the_providers_library_is_no_part_of_how_long_an_answer_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = client._model

    def slow(*given: Any) -> Any:
        time.sleep(1.0)
        return made(*given)

    monkeypatch.setattr(client, "_model", slow)
    asked, _ = ask(Answer('{"score": 4}'))
    assert asked.value == 4
    assert 0 < asked.latency_ms < 1000
