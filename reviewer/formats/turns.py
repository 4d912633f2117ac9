"""Bring other tools' conversations into our turns."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from reviewer.formats.paths import as_text, parsed

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "customer": "user",
    "guest": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "gpt": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "agent": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "observation": "tool",
}
"""What others call the roles, in small letters, and ours for each."""
_ROLE_KEYS = ("role", "from", "source", "speaker", "author")
_CONTENT_KEYS = ("content", "value", "text", "message")
_SPEAKER = re.compile(r"([A-Za-z]+): ?")
_FILES = ("audio", "video", "document")
_KEPT = ("at", "name", "tool_call_id")

Turn = dict[str, Any]


def plain_turn(message: object) -> Turn | None:
    """Give a message that is a role of ours and a text alone, None for any other."""
    if isinstance(message, dict) and len(message) == 2:
        role, content = message.get("role"), message.get("content")
        if content.__class__ is str and role.__class__ is str and ROLES.get(role) == role:
            return {"role": role, "content": content}
    return None


def to_turns(value: object) -> list[Turn] | str:
    """Give the turns of a conversation in our keys, or a sentence that says what is wrong."""
    if isinstance(value, str):
        value = parsed(value)
    if isinstance(value, dict):
        value = next((value[key] for key in ("messages", "turns") if key in value), value)
    if not isinstance(value, list):
        return "a list of messages is expected"
    turns = []
    for number, message in enumerate(value, start=1):
        turn = plain_turn(message) or _turn(message)
        if isinstance(turn, str):
            return f"message {number}: {turn}"
        turns.append(turn)
    return turns


def _turn(message: object) -> Turn | str:
    if not isinstance(message, dict):
        return "an object with role and content is expected"
    role = message.get("role") or next((message[x] for x in _ROLE_KEYS if message.get(x)), None)
    ours = ROLES.get(role.lower()) if isinstance(role, str) else None
    if not isinstance(role, str) or ours is None:
        return f"the role {role!r} is none of system, user, assistant, tool"
    turn: Turn = {"role": ours}
    if ours != role.lower():
        turn["name"] = role
    key = (
        "content"
        if "content" in message
        else next(filter(message.__contains__, _CONTENT_KEYS), "")
    )
    turn["content"] = _content(message.get(key))
    for key in _KEPT:
        if isinstance(message.get(key), str):
            turn[key] = message[key]
    if turn["role"] == "tool":
        _result(message, turn)
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        turn["tool_calls"] = [_call(call) for call in calls]
    return turn


def _result(message: dict[str, Any], turn: Turn) -> None:
    """Add what some tools tell of a call's result: the function, and how it failed."""
    if isinstance(message.get("function"), str):
        turn.setdefault("name", message["function"])
    error = message.get("error")
    if error:
        said = error.get("message") if isinstance(error, dict) else None
        turn["error"] = as_text(said or error)
        turn["content"] = turn["content"] or turn["error"]


def _content(content: object) -> str | list[dict[str, Any]] | None:
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict | str) for part in content):
        return [_part(part) for part in content]
    return as_text(content)


def _part(part: dict[str, Any] | str) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = str(part.get("type", "text"))
    if kind in ("reasoning", "thinking"):
        text = part.get("text") or part.get("thinking") or part.get("reasoning")
        return {"type": "reasoning", "text": as_text(text)}
    if kind.startswith(("image", "input_image")):
        return _image(part)
    if kind in _FILES and isinstance(part.get(kind), str):
        name = part.get("filename") or part.get("name")
        return _placed("file", part[kind]) | ({"name": name} if isinstance(name, str) else {})
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    return {"type": "text", "text": as_text(part)}


def _image(part: dict[str, Any]) -> dict[str, Any]:
    place = part.get("image_url") or part.get("image") or part.get("data") or part.get("path")
    if isinstance(place, dict):
        place = place.get("url")
    return _placed("image", as_text(place))


def _placed(kind: str, place: str) -> dict[str, Any]:
    """Tell bytes that an address itself holds from the place of a file."""
    match = re.match(r"data:[^,]*;base64,", place)
    return {"type": kind, "data": place[match.end() :]} if match else {"type": kind, "path": place}


def _call(call: object) -> dict[str, Any]:
    if not isinstance(call, dict):
        return {"name": as_text(call)}
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    name = inner.get("name") or call.get("function_name") or call.get("tool_name") or function
    given: dict[str, Any] = {}
    number = call.get("id") or call.get("tool_call_id")
    if isinstance(number, str):
        given["id"] = number
    given["name"] = as_text(name) or "unnamed"
    for key in ("arguments", "args", "input", "parameters", "kwargs"):
        if key in inner:
            given["arguments"] = _arguments(inner[key])
            break
    return given


def _arguments(value: object) -> object:
    if isinstance(value, str):
        opened = parsed(value)
        return opened if isinstance(opened, dict) else value
    return value


def split_dialog(text: str, prefixes: dict[str, str]) -> list[Turn] | str:
    """Cut a dialog text into turns at the lines that start with a speaker's prefix.

    Args:
        text: The whole dialog.
        prefixes: From role to the prefix of its lines, such as `{"user": "User: "}`.
    """
    turns: list[Turn] = []
    for line in text.splitlines():
        role = next((r for r, prefix in prefixes.items() if line.startswith(prefix)), None)
        if role is None:
            role = next((r for r, p in prefixes.items() if line == p.rstrip()), None)
        if role is not None:
            turns.append({"role": role, "content": line[len(prefixes[role]) :]})
        elif turns:
            turns[-1]["content"] += "\n" + line
        elif line.strip():
            expected = ", ".join(repr(prefix) for prefix in prefixes.values())
            return f"the first line starts with none of {expected}"
    return turns


def speakers_of(texts: Sequence[str]) -> dict[str, str] | None:
    """Find the prefixes of a user's and an assistant's lines in dialogs, None without such.

    Nearly all lines must start with one of the two, so that a stray "Note: " makes no dialog.
    """
    prefixes: Counter[str] = Counter()
    lines = 0
    for text in texts:
        for line in text.splitlines():
            lines += 1
            match = _SPEAKER.match(line)
            if match is not None and match[1].lower() in ROLES:
                prefixes[match[0]] += 1
    found: dict[str, str] = {}
    for prefix, _ in prefixes.most_common():
        found.setdefault(ROLES[prefix.partition(":")[0].strip().lower()], prefix)
    # a text may also use "System: " for the one that answers
    if "assistant" not in found and "system" in found:
        found["assistant"] = found.pop("system")
    spoken = sum(prefixes[prefix] for prefix in found.values())
    complete = {"user", "assistant"} <= found.keys() and spoken >= 0.8 * lines
    return found if complete else None
