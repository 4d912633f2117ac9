"""Bring the messages of models' interfaces and of agents' frameworks into our turns.

Beside plain roles and contents: texts that hold JSON, also twice; calls and results of tools as
parts of a content (Anthropic, OpenTelemetry, Gemini), as items of their own (OpenAI's Responses)
or beside it (Chat Completions, LangChain, calls of functions from before tools); replies wrapped
in `message`, `choices` or `output`. What lists the tools on offer is no message.
"""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from reviewer.formats.paths import Json, as_text
from reviewer.formats.turns import ROLES, Turn, plain_turn, to_turns

_DEEPEST = 4
_BEGIN = ("{", "[", '"')
"""How a text of JSON begins that holds more than a number or a word."""
_LISTS = ("messages", "turns", "choices", "output")
_ROLE_KEYS = ("role", "type", "from")
_SAID = frozenset({"content", "parts", "tool_calls"})
_PLAIN = frozenset({"role", "content", "name", "weight", "tool_call_id", "tool_calls", "at"})
_IN_PARTS = frozenset({"role", "parts", "finish_reason"})
_KINDS = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}
_OFFERS = ("function", "tool")
Message = dict[str, Any]


def opened(value: Json) -> Json:
    """Read a text that is JSON, also one within another; anything else comes back as it is."""
    depth = 0
    while isinstance(value, str) and depth < _DEEPEST and value.lstrip().startswith(_BEGIN):
        try:
            value = _decoded(value)
        except (ValueError, RecursionError):
            return value
        depth += 1
    return value


def _decoded(text: str) -> Json:
    """Read JSON the fast way, and what that is too strict for the slow one."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError):
        return json.loads(text)


def turns_of(value: Json) -> list[Turn]:
    """Give the turns that a value holds, none where it holds no conversation."""
    return turns_in(opened(value))


def turns_in(value: Json) -> list[Turn]:
    """Give the turns that a value holds which has been read where it is JSON."""
    if not isinstance(value, (dict, list)):
        return []
    turns: list[Turn] = []
    for one in value if isinstance(value, list) else (value,):
        turn = plain_turn(one) or _of_one_part(one)
        if turn is None:
            found = to_turns(list(_messages(value, 0)))
            return found if isinstance(found, list) else []
        turns.append(turn)
    return turns


def _of_one_part(message: Json) -> Turn | None:
    """Give a message whose parts are a single text, as OpenTelemetry writes most of them."""
    parts = message.get("parts") if isinstance(message, dict) else None
    part = parts[0] if isinstance(parts, list) and len(parts) == 1 else None
    if not isinstance(part, dict) or len(part) != 2 or part.get("type") != "text":
        return None
    if not message.keys() <= _IN_PARTS:
        return None
    return plain_turn({"role": message.get("role"), "content": part.get("content")})


def _messages(value: Json, depth: int) -> Iterator[Message]:
    if isinstance(value, list):
        for one in value if depth <= _DEEPEST else ():
            yield from _messages(one, depth + 1)
    elif plain_turn(value) is not None:
        yield value
    elif isinstance(value, dict):
        yield from _item(value, depth)


def _item(item: Message, depth: int) -> Iterator[Message]:
    """Give the messages of one object, by what kind of object it is."""
    kind = item.get("type")
    if kind in ("function_call", "custom_tool_call"):
        yield {"role": "assistant", "content": None, "tool_calls": [_called(item)]}
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield _result(item, item.get("output"))
    elif isinstance(item.get("kwargs"), dict) and item.get("lc"):
        name = as_text((item.get("id") or [""])[-1]).removesuffix("Message").removesuffix("Chunk")
        yield from _item({"type": name.lower(), **item["kwargs"]}, depth)
    elif isinstance(item.get("message"), dict):
        yield from _messages(item["message"], depth + 1)
    elif (role := _role(item)) is not None:
        yield from _spoken(item, role)
    else:
        inner = next((item[key] for key in _LISTS if isinstance(item.get(key), list)), None)
        yield from _messages(inner, depth + 1)


def _role(item: Message) -> str | None:
    for key in _ROLE_KEYS:
        given = item.get(key)
        if isinstance(given, str):
            given = _KINDS.get(given, given)
            known = given.lower() in ROLES and not _SAID.isdisjoint(item)
            return given if known else None
    return None


def _spoken(item: Message, role: str) -> Iterator[Message]:
    content = item.get("parts") if item.get("content") is None else item["content"]
    if role == "tool" and isinstance(content, dict) and content.get("type") in _OFFERS:
        return
    parts = content if isinstance(content, list) else []
    said = [_part(part) for part in parts if not _is_call(part) and not _is_result(part)]
    calls = [_called(part) for part in parts if _is_call(part)]
    calls += [call for call in _beside(item) if not _has(calls, call)]
    results = [part for part in parts if _is_result(part)]
    if said or calls or not parts:
        yield {**_kept(item), "role": role, "content": _shown(content, item, said, parts)} | (
            {"tool_calls": calls} if calls else {}
        )
    for part in results:
        inner = part.get("functionResponse")
        part = inner if isinstance(inner, dict) else part  # noqa: PLW2901
        names = ("content", "response", "result", "output")
        yield _result(part, next((part[key] for key in names if key in part), None))


def _shown(content: Json, item: Message, said: list[Json], parts: list[Json]) -> Json:
    thought = item.get("reasoning_content") or item.get("reasoning")
    if isinstance(thought, str):
        text = [{"type": "text", "text": as_text(content)}] if not parts and content else said
        return [{"type": "reasoning", "text": thought}, *text]
    if parts:
        texts = [x["text"] for x in said if x.get("type") == "text" and isinstance(x["text"], str)]
        return texts[0] if len(said) == len(texts) == 1 else (said or None)
    return content


def _kept(item: Message) -> Message:
    given = {key: item[key] for key in ("at", "name", "tool_call_id") if item.get(key)}
    if isinstance(item.get("timestamp"), str):
        given.setdefault("at", item["timestamp"])
    return given


def _beside(item: Message) -> list[Message]:
    """Give the calls that stand beside a content."""
    more = item.get("additional_kwargs")
    holders = [item, more] if isinstance(more, dict) else [item]
    for holder in holders:
        calls = holder.get("tool_calls")
        if isinstance(calls, list) and calls:
            return [_called(call) for call in calls if isinstance(call, dict)]
        if isinstance(holder.get("function_call"), dict):
            return [_called(holder["function_call"])]
    return []


def _called(part: Message) -> Message:
    """Spell a call as Chat Completions does, whoever made it."""
    for key in ("functionCall", "tool_call"):
        if isinstance(part.get(key), dict):
            part = {**part[key], "id": part.get("id") or part[key].get("id")}
    inner = part.get("function")
    name = inner if isinstance(inner, dict) else part
    told: Message = {"name": as_text(name.get("name") or part.get("function_name")) or "unnamed"}
    for key in ("arguments", "input", "args", "kwargs"):
        if name.get(key) is not None:
            told["arguments"] = name[key]
            break
    number = part.get("call_id") or part.get("tool_call_id") or part.get("id")
    return {"id": str(number), **told} if number else told


def _result(part: Message, content: Json) -> Message:
    number = part.get("call_id") or part.get("tool_use_id") or part.get("id")
    inner = content if isinstance(content, list) else None
    texts = [as_text(x.get("text")) for x in inner or () if isinstance(x, dict) and "text" in x]
    said = "\n\n".join(texts) if inner and len(texts) == len(inner) else as_text(content)
    found = {"role": "tool", "content": said}
    found |= {"tool_call_id": str(number)} if number else {}
    return found | ({"name": part["name"]} if isinstance(part.get("name"), str) else {})


def _has(calls: list[Message], call: Message) -> bool:
    return any(call == one or call.get("id", call) == one.get("id") for one in calls)


def _is_call(part: Json) -> bool:
    return isinstance(part, dict) and (
        part.get("type") in ("tool_use", "tool_call", "function_call", "tool-call")
        or isinstance(part.get("functionCall"), dict)
    )


def _is_result(part: Json) -> bool:
    return isinstance(part, dict) and (
        part.get("type") in ("tool_result", "tool_call_response", "tool-result")
        or isinstance(part.get("functionResponse"), dict)
    )


def _part(part: Json) -> Json:
    """Give a part as our turns know it; OpenTelemetry keeps its text under `content`."""
    if not isinstance(part, dict):
        return {"type": "text", "text": as_text(part)}
    if "text" not in part and isinstance(part.get("content"), str):
        kind = part.get("type") if part.get("type") in ("reasoning", "thinking") else "text"
        return {"type": kind, "text": part["content"]}
    if isinstance(part.get("text"), str) and part.get("type") not in ("reasoning", "thinking"):
        return {"type": "text", "text": part["text"]}
    return part


def conversation(value: Json) -> list[Turn] | str:
    """Give the turns of a list of messages, or a sentence that says which of them is none."""
    value = opened(value)
    plain = to_turns(value)
    if isinstance(plain, str) or (isinstance(value, list) and all(map(_is_plain, value))):
        return plain
    return turns_of(value)


def _is_plain(message: Message) -> bool:
    return message.keys() <= _PLAIN and not isinstance(message.get("content"), list | dict)
