import json
from typing import Any

import pytest

from reviewer.formats.conversations import conversation, opened, turns_of

ASKED = {"role": "user", "content": "Where?"}
CALL = {"id": "c1", "name": "find", "arguments": {"q": 1}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
ANSWERED = {"role": "tool", "content": "There.", "tool_call_id": "c1"}
SAID = {"role": "assistant", "content": "It is there."}
WHOLE = [ASKED, CALLED, ANSWERED, SAID]
TEXT = '{"q": 1}'


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param(
            [
                ASKED,
                {"role": "assistant", "tool_calls": [
                    {"id": "c1", "type": "function",
                     "function": {"name": "find", "arguments": TEXT}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "There."},
                {"choices": [{"index": 0, "message": SAID}]},
            ],
            id="chat completions",
        ),
        pytest.param(
            [
                {"role": "user", "content": [{"type": "input_text", "text": "Where?"}]},
                {"type": "function_call", "call_id": "c1", "name": "find", "arguments": TEXT},
                {"type": "function_call_output", "call_id": "c1", "output": "There."},
                {"output": [{"type": "message", "role": "assistant",
                             "content": [{"type": "output_text", "text": "It is there."}]}]},
            ],
            id="responses",
        ),
        pytest.param(
            [
                ASKED,
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "c1", "name": "find", "input": {"q": 1}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1",
                     "content": [{"type": "text", "text": "There."}]}]},
                {"role": "assistant", "content": [{"type": "text", "text": "It is there."}]},
            ],
            id="anthropic",
        ),
        pytest.param(
            [
                {"role": "user", "parts": [{"type": "text", "content": "Where?"}]},
                {"role": "assistant", "parts": [
                    {"type": "tool_call", "id": "c1", "name": "find", "arguments": {"q": 1}}]},
                {"role": "tool", "parts": [
                    {"type": "tool_call_response", "id": "c1", "response": "There."}]},
                {"role": "assistant", "parts": [{"type": "text", "content": "It is there."}]},
            ],
            id="opentelemetry",
        ),
        pytest.param(
            [
                {"type": "human", "content": "Where?"},
                {"type": "ai", "content": None, "additional_kwargs": {"tool_calls": [
                    {"id": "c1", "function": {"name": "find", "arguments": TEXT}}]}},
                {"type": "tool", "content": "There.", "tool_call_id": "c1"},
                {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"],
                 "kwargs": {"content": "It is there."}},
            ],
            id="langchain",
        ),
    ],
)  # fmt: skip
def test_one_conversation_comes_out_of_every_interface(messages: list[Any]) -> None:
    assert turns_of(messages) == WHOLE
    assert turns_of(json.dumps(json.dumps({"messages": messages}))) == WHOLE


def test_gemini_names_its_parts_by_keys() -> None:
    call = {"functionCall": {"name": "find", "args": {"q": 1}}}
    answer = {"functionResponse": {"name": "find", "response": {"at": 1}}}
    found = turns_of([{"role": "model", "parts": [call]}, {"role": "user", "parts": [answer]}])
    assert found[0]["tool_calls"] == [{"name": "find", "arguments": {"q": 1}}]
    assert found[1] == {"role": "tool", "name": "find", "content": '{"at": 1}'}


def test_a_call_told_twice_is_one() -> None:
    part = {"type": "tool_use", "id": "c1", "name": "find", "input": {"q": 1}}
    beside = {"id": "c1", "name": "find", "args": {"q": 1}}
    (turn,) = turns_of([{"role": "ai", "content": [part], "tool_calls": [beside]}])
    assert turn["tool_calls"] == [CALL]


def test_reasoning_stands_before_the_answer() -> None:
    (turn,) = turns_of([{**SAID, "reasoning_content": "Hm."}])
    assert turn["content"] == [
        {"type": "reasoning", "text": "Hm."},
        {"type": "text", "text": "It is there."},
    ]


def test_tools_on_offer_are_no_message() -> None:
    offer = {"role": "tool", "content": {"type": "function", "function": {"name": "find"}}}
    assert turns_of([ASKED, offer]) == [ASKED]


@pytest.mark.parametrize("value", [None, 5, "text", {"a": 1}, [1, "x"], {"content": "role"}])
def test_what_is_no_conversation_gives_no_turns(value: object) -> None:
    assert turns_of(value) == []


def test_texts_within_texts_are_opened_and_others_left() -> None:
    assert opened(json.dumps(json.dumps([1]))) == [1]
    assert opened('"quoted" text') == '"quoted" text'
    assert opened("[" * 100_000) == "[" * 100_000


def test_a_message_that_is_none_is_named() -> None:
    assert conversation([ASKED, {"role": "judge"}]) == (
        "message 2: the role 'judge' is none of system, user, assistant, tool"
    )
    assert conversation(json.dumps(WHOLE)) == WHOLE
