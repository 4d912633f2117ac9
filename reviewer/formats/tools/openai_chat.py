"""Conversations as OpenAI's fine-tuning files keep them: `{"messages", "tools"}`, one a line.

Roles, contents, calls of tools and, from before tools, of functions come as they are; the tools on
offer and the weights of assistant messages (1 trained on, 0 not) stand in `meta`, the weights by
the number of the message from 0. Conversations have no ids, so each gets its number. Checked
against files written by hand after OpenAI's guide; none of OpenAI's own was at hand.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from reviewer.formats import json_text
from reviewer.formats.conversations import conversation
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.tools.making import made

_KEYS = frozenset(
    {"messages", "tools", "functions", "parallel_tool_calls", "tool_choice", "function_call",
     "response_format", "model", "metadata"}
)  # fmt: skip
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    for number, item in enumerate(json_text.items(source, sniffed.shape, sniffed.records)):
        if isinstance(item, BadRow):
            yield item
            continue
        yield made(item.line, partial(_record, item.value, f"{number + 1}"))


def _record(row: Any, identity: str) -> Fields | str:  # noqa: ANN401 - a JSON value is anything
    messages = row.get("messages") if isinstance(row, dict) else None
    if not isinstance(messages, list) or not messages:
        return "an object with a list of messages is expected"
    turns = conversation(messages)
    if isinstance(turns, str):
        return turns
    fields: Fields = {"id": identity, "messages": turns}
    if isinstance(row.get("model"), str):
        fields["model"] = row["model"]
    meta = {key: x for key, x in row.items() if key not in ("messages", "model") and x}
    weights = {str(at): one["weight"] for at, one in enumerate(messages) if "weight" in one}
    meta |= {"weights": weights} if weights else {}
    return fields | ({"meta": meta} if meta else {})


def _is_one(row: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    messages = row.get("messages") if isinstance(row, dict) and row.keys() <= _KEYS else None
    return bool(messages) and isinstance(messages, list) and all(
        isinstance(one, dict) and str(one.get("role")) in _ROLES for one in messages
    )  # fmt: skip


def _recognise(look: Look) -> str | None:
    fits = bool(look.rows) and look.records in ("", ".") and all(map(_is_one, look.rows))
    return f"{look.words} with messages of role and content" if fits else None


FORMAT = Format(
    name="openai-chat",
    title="OpenAI chats (fine-tuning)",
    suffixes=(".jsonl", ".json"),
    recognised_by="JSON objects with messages of role and content, and tools at most beside them",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
)
