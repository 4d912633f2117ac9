"""Turns, candidates and sources as a project keeps them: JSON to values.

They were checked when they came in. Keys beyond the known ones stay in `rest`.
"""

from typing import Any

from reviewer.domain.evaluation import Candidate, Part, Source, ToolCall, Turn

Keys = dict[str, Any]
_PART = frozenset({"type", "text", "name", "data", "path"})
_CALL = frozenset({"id", "name", "arguments"})
_TURN = frozenset({"role", "content", "at", "name", "tool_calls", "tool_call_id"})
_CANDIDATE = frozenset({"id", "response", "messages", "model"})
_SOURCE = frozenset({"id", "title", "text", "relevance"})


def turn(keys: Keys) -> Turn:
    """Give a turn; null stands for a key that is absent."""
    fields = _known({name: value for name, value in keys.items() if value is not None}, _TURN)
    content = fields.get("content")
    if isinstance(content, list):
        fields["content"] = tuple(Part(**_known(part, _PART)) for part in content)
    calls = fields.get("tool_calls") or ()
    fields["tool_calls"] = tuple(ToolCall(**_known(call, _CALL)) for call in calls)
    return Turn(**fields)


def candidate(keys: Keys) -> Candidate:
    """Give one of the answers that are compared."""
    fields = _known(keys, _CANDIDATE)
    fields["messages"] = tuple(turn(item) for item in fields.get("messages") or ())
    return Candidate(**fields)


def source(keys: Keys) -> Source:
    """Give a retrieved document."""
    fields = _known(keys, _SOURCE)
    return Source(**fields | {"relevance": number(fields.get("relevance"))})


def number(value: float | None) -> float | None:
    """Give a number that JSON may have written without a point."""
    return None if value is None else float(value)


def _known(keys: Keys, names: frozenset[str]) -> Keys:
    fields = {name: value for name, value in keys.items() if name in names}
    return fields | {"rest": {name: value for name, value in keys.items() if name not in names}}
