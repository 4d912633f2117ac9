import json

from reviewer.formats.turns import speakers_of, split_dialog, to_turns


def test_sharegpt_becomes_user_and_assistant() -> None:
    assert to_turns([{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]) == [
        {"role": "user", "name": "human", "content": "Hi"},
        {"role": "assistant", "name": "gpt", "content": "Hello"},
    ]


def test_tool_calls_lose_their_wrapping_and_arguments_are_opened() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"n": 2}'}}
    turns = to_turns([{"role": "assistant", "content": None, "tool_calls": [call]}])
    assert turns == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "name": "book", "arguments": {"n": 2}}],
        }
    ]


def test_results_keep_the_number_of_their_call() -> None:
    turns = to_turns([{"role": "tool", "tool_call_id": "c1", "name": "book", "content": "ok"}])
    assert turns == [{"role": "tool", "content": "ok", "name": "book", "tool_call_id": "c1"}]


def test_a_conversation_inside_a_text_is_opened() -> None:
    assert to_turns(json.dumps([{"role": "user", "content": "Hi"}])) == [
        {"role": "user", "content": "Hi"}
    ]


def test_parts_become_ours_and_pictures_carry_their_bytes() -> None:
    parts = [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "thinking", "thinking": "hm"},
    ]
    assert to_turns([{"role": "user", "content": parts}]) == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look"},
                {"type": "image", "data": "AAAA"},
                {"type": "reasoning", "text": "hm"},
            ],
        }
    ]


def test_what_is_wrong_is_said_with_the_messages_number() -> None:
    assert to_turns("hello") == "a list of messages is expected"
    problem = to_turns([{"role": "user", "content": "a"}, {"role": "moderator", "content": "b"}])
    assert problem == ("message 2: the role 'moderator' is none of system, user, assistant, tool")


def test_a_dialog_is_cut_at_its_prefixes_and_keeps_line_breaks() -> None:
    text = "User: Hi!\nSystem: Hello.\nHow are you?\nUser:\n"
    assert split_dialog(text, {"user": "User: ", "assistant": "System: "}) == [
        {"role": "user", "content": "Hi!"},
        {"role": "assistant", "content": "Hello.\nHow are you?"},
        {"role": "user", "content": ""},
    ]


def test_a_dialog_without_prefixes_is_no_dialog() -> None:
    problem = split_dialog("Once upon a time", {"user": "User: "})
    assert isinstance(problem, str)
    assert "'User: '" in problem


def test_speakers_are_found_where_nearly_every_line_has_one() -> None:
    dialog = "User: Hi!\nSystem: Hello.\nUser: Bye.\nSystem: Bye."
    assert speakers_of([dialog]) == {"user": "User: ", "assistant": "System: "}
    assert speakers_of(["Human: a\nAI: b\nTool: c"]) == {
        "user": "Human: ", "assistant": "AI: ", "tool": "Tool: ",
    }  # fmt: skip
    assert speakers_of(["A long text.\nUser: it says.\nAI: once.\nAnd goes on.\nAnd on."]) is None
    assert speakers_of(["Note: no dialog at all"]) is None


def test_arguments_with_half_a_character_stay_a_text() -> None:
    call = {"id": "1", "function": {"name": "find", "arguments": '{"q": "\ud800"}'}}
    turns = to_turns([{"role": "assistant", "content": "", "tool_calls": [call]}])
    assert isinstance(turns, list)
    assert turns[0]["tool_calls"][0]["arguments"] == '{"q": "\ud800"}'
