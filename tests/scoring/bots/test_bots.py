"""Bots against a real HTTP server and real processes."""

import asyncio
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, Endpoint, Price
from reviewer.scoring.bot_kinds import KINDS
from reviewer.scoring.bots.command import CommandBot
from reviewer.scoring.bots.kind import Answering, BotAnswer, BotCase, at_path, fill, fill_json
from reviewer.scoring.bots.models import TEMPLATE, ModelBot
from reviewer.scoring.bots.question_list import QuestionListBot
from reviewer.scoring.bots.web import WebBot
from reviewer.scoring.llm.client import Client
from tests.servers.model_server import Answer, model_server

CASE = BotCase(
    id="c-1",
    question="How do I reset a password?",
    history=(("user", "Hello"), ("assistant", "Hi.")),
    context={"lang": "en"},
)
KEY = "sk-planted-0123456789"


def answer(bot: Answering, case: BotCase = CASE) -> BotAnswer:
    return asyncio.run(bot.answer(case))


def test_the_question_list_answers_with_its_match() -> None:
    bot = QuestionListBot([("Opening hours?", "Nine to five."), ("reset my password", "Click.")])
    found = answer(bot)
    assert found.response == "Click."
    matched = found.beside["matched"]
    assert matched == {
        "row": 2,
        "question": "reset my password",
        "similarity": pytest.approx(2 / 18**0.5),
        "shared": ["password", "reset"],
    }


def test_nothing_in_common_gives_the_first_row_or_none() -> None:
    rows = [("Opening hours?", "Nine to five.")]
    nothing = BotCase(id="x", question="zzz")
    assert answer(QuestionListBot(rows), nothing).response == "Nine to five."
    assert answer(QuestionListBot(rows, 0.1), nothing).response == "no match"


def with_model(script: Any, **settings: Any) -> tuple[BotAnswer, Any]:
    async def go(url: str) -> BotAnswer:
        async with Client(Endpoint(name="e", base_url=url), KEY) as client:
            bot = ModelBot(
                client=client,
                model="m",
                price=Price(model="m", input_per_million=1, output_per_million=2),
                **settings,
            )
            return await bot.answer(CASE)

    with model_server(script) as model:
        return asyncio.run(go(model.url)), model


def test_the_whole_document_stands_in_the_prompt() -> None:
    found, model = with_model(
        Answer("Click the link."), template=TEMPLATE, knowledge="Secret {{ question }} facts."
    )
    assert found.response == "Click the link."
    assert (found.tokens_in, found.tokens_out) == (100, 20)
    assert found.cost_usd == pytest.approx(140 / 1e6)
    assert found.beside == {"template": hashlib.sha256(TEMPLATE.encode()).hexdigest()[:12]}
    said = model.requests[0]["messages"][-1]["content"]
    assert "Secret {{ question }} facts." in said
    assert said.rstrip().endswith("How do I reset a password?")


def test_a_chat_keeps_its_history() -> None:
    found, model = with_model(Answer("Sure."), system="Be kind.")
    assert found.response == "Sure."
    roles = [x["role"] for x in model.requests[0]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_a_document_too_long_is_refused_with_its_size() -> None:
    body = json.dumps(
        {"error": {"message": "too long", "code": "context_length_exceeded", "type": "x"}}
    ).encode()
    found, _ = with_model(
        Answer(status=400, raw=body), template=TEMPLATE, knowledge="word " * 1000
    )
    assert found.stops
    assert "The document has 5,000 characters, about 1,250 tokens" in str(found.error)


def web(script: Any, **changes: Any) -> tuple[BotAnswer, Any]:
    async def go(url: str) -> BotAnswer:
        settings = {
            "url": url,
            "body": {"q": "{{ question }}", "turns": "{{ history }}", "note": "id {{ id }}"},
            "path": "choices.0.message.content",
            "headers": {"Authorization": "Bearer {{ key }}"},
            "key": KEY,
        }
        async with WebBot(**settings | changes) as bot:
            return await bot.answer(CASE)

    with model_server(script) as model:
        return asyncio.run(go(model.url)), model


def test_an_address_tells_tools_sources_and_errors_at_their_paths() -> None:
    reply = {
        "out": {"text": "Click."}, "error": {"type": "late"}, "documents": ["d"],
        "trace": {"tools": ["look"]}, "usage": {"input_tokens": 7}, "other": 1,
    }  # fmt: skip
    found, _ = web(
        Answer(raw=json.dumps(reply).encode()),
        path="out.text",
        paths={"tools_used": "trace.tools", "cache": "no.such"},
    )
    assert (found.response, found.error, found.tokens_in) == ("Click.", '{"type": "late"}', 7)
    assert found.beside == {"tools_used": ["look"], "context": ["d"]}


def test_tool_calls_of_a_chat_are_turns() -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    body: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    body |= {"choices": [choice]}
    found, _ = web(Answer(raw=json.dumps(body).encode()))
    assert (found.response, found.error) == (None, None)
    assert found.beside["messages"] == [message]
    asked, _ = with_model(Answer(raw=json.dumps(body).encode()))
    assert (asked.response, asked.error) == (None, None)
    assert asked.beside["messages"] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "name": "look", "arguments": "{}"}],
        }
    ]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("http", {"url": "http://127.0.0.1:1/", "path": "a", "body": {"q": "{question}"}}),
        ("full_context", {"endpoint": "e", "model": "m", "knowledge": "k",
                          "template": "{knowledge}: {question}"}),
    ],
)  # fmt: skip
def test_single_braces_are_corrected_before_anything_is_sent(
    kind: str, settings: dict[str, Any]
) -> None:
    with pytest.raises(ReviewerError, match=r"which would be sent as it stands; write \{\{ "):
        KINDS[kind].check(Bot(name="b", kind=kind, settings=settings))


def test_an_address_answers() -> None:
    found, model = web(Answer("Click."))
    assert (found.response, found.error) == ("Click.", None)
    assert found.latency_ms
    assert model.keys == [f"Bearer {KEY}"]
    assert model.requests[0] == {
        "q": CASE.question,
        "turns": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."}],
        "note": "id c-1",
    }


@pytest.mark.parametrize(
    ("script", "changes", "words", "stops"),
    [
        (Answer(f"no {KEY}", status=401), {}, "status 401", True),
        (Answer("oh", status=500), {}, "status 500", False),
        (Answer(raw=b"<html>"), {}, "something other than JSON: <html>", False),
        (Answer(), {"path": "answer.text"}, "no 'answer' on the path 'answer.text'", False),
        (Answer(delay=1.0), {"timeout_s": 0.2}, "no reply within 0.2 s", False),
        (Answer(endless=True), {}, "more than 16 MB", False),
        (Answer(cut_after=20), {}, "broke off", False),
        (Answer(), {"url": "http://127.0.0.1:9/x"}, "cannot be reached at", False),
        (Answer(), {"url": "nonsense"}, "is no address", False),
        (Answer(status=302, headers={"Location": "http://evil/"}), {}, "another address", True),
    ],
)
def test_an_address_that_does_not_answer(
    script: Answer, changes: dict[str, Any], words: str, stops: bool
) -> None:
    found, _ = web(script, **changes)
    assert found.response is None
    assert words in str(found.error)
    assert found.stops is stops
    assert KEY not in str(found.error)


def command(source: str, **settings: Any) -> BotAnswer:
    return answer(CommandBot(words=(sys.executable, "-c", source), **settings))


def test_a_command_answers() -> None:
    found = command(
        "import json,sys\n"
        "case = json.load(sys.stdin)\n"
        "json.dump({'response': case['question'] + str(len(case['messages'])),"
        " 'tokens_in': 7, 'cost_usd': 0.5, 'model': 'mine', 'tools': ['a']}, sys.stdout)"
    )
    assert found.response == "How do I reset a password?2"
    assert (found.tokens_in, found.cost_usd, found.model) == (7, 0.5, "mine")
    assert found.beside == {"tools": ["a"]}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("print('hello')", 'printed no JSON, {"response": "…"} is expected: hello'),
        ("print('[1]')", "gave no response"),
        ('print(\'{"error": "no idea"}\')', "no idea"),
        ("import sys; sys.exit('broken')", "ended with 1: broken"),
        ("", "printed no JSON"),
    ],
)
def test_a_command_that_does_not_answer(source: str, words: str) -> None:
    found = command(source)
    assert found.response is None
    assert words in str(found.error)


def test_a_command_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    child = f"import time; time.sleep(1.5); open({str(mark)!r}, 'w')"
    source = (
        f"import subprocess,sys,time\nsubprocess.Popen([sys.executable, '-c', {child!r}])\n"
        "time.sleep(60)"
    )
    start = time.monotonic()
    found = command(source, timeout_s=0.7)
    assert time.monotonic() - start < 5
    assert "no answer within 0.7 s" in str(found.error)
    time.sleep(1.5)
    assert not mark.exists()


ENVIRONMENT = (
    "import json, os; e = os.environ; "
    "print(json.dumps({'response': e.get('BOT_KEY', 'none') + ' ' + e.get('OTHER_TOKEN', 'none') "
    "+ ' ' + e.get('LANGUAGE', 'none')}))"
)


def test_a_command_inherits_no_keys_but_gets_those_it_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (("BOT_KEY", KEY), ("OTHER_TOKEN", "t-0123456789"), ("LANGUAGE", "en")):
        monkeypatch.setenv(name, value)
    assert command(ENVIRONMENT).response == "none none en"
    # what it echoes of a key is masked
    assert command(ENVIRONMENT, variables={"BOT_KEY": KEY}).response == "… none en"
    said = "import sys; sys.exit('Error: no API key found')"
    assert str(command(said).error).endswith(
        "name the variable in the bot's setting `variables`.)"
    )
    assert "inherits" not in str(command("import sys; sys.exit('no such model')").error)
    given = command("import os, sys; sys.exit('bad token ' + os.environ['BOT_KEY'])",
                    variables={"BOT_KEY": KEY})  # fmt: skip
    assert str(given.error).endswith("bad token …")


def test_a_command_that_is_not_there() -> None:
    found = answer(CommandBot(words=("/nowhere/bot",)))
    assert found.stops
    assert "'/nowhere/bot' cannot be started: no such file" in str(found.error)


def test_places_are_filled_once() -> None:
    assert fill("{{ a }} {{b}} {{ c }}", {"a": "{{ b }}", "b": "x"}) == "{{ b }} x {{ c }}"
    assert fill_json({"a": ["{{ n }}", "n {{ n }}"]}, {"n": 3}) == {"a": [3, "n 3"]}


def test_paths_lead_into_json() -> None:
    value: Any = {"a": [{"b": 1}]}
    assert at_path(value, "a.0.b") == at_path(value, "$.a[0].b") == 1
    assert at_path(value, "") == value
    with pytest.raises(KeyError):
        at_path(value, "a.1.b")
