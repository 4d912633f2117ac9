"""Conversations as ShareGPT keeps them: `{"id", "conversations": [{"from", "value"}]}`."""

from collections.abc import Iterator
from typing import Any

from reviewer.formats import json_text
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import as_text
from reviewer.formats.record import checked
from reviewer.formats.turns import to_turns


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    for number, item in enumerate(json_text.items(source, sniffed.shape, sniffed.records)):
        if isinstance(item, BadRow):
            yield item
            continue
        turns = to_turns(item.value.get("conversations")) if _is_one(item.value) else ""
        if isinstance(turns, str):
            reason = turns or "an object with conversations is expected"
            yield BadRow(item.line, "conversations", None, reason)
            continue
        rest = {key: x for key, x in item.value.items() if key not in ("id", "conversations")}
        identity = as_text(item.value.get("id")) or f"{number + 1}"
        fields = {"id": identity, "messages": turns}
        yield checked(fields | ({"meta": rest} if rest else {}), item.line)


def _is_one(row: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    turns = row.get("conversations") if isinstance(row, dict) else None
    return isinstance(turns, list) and all(
        isinstance(turn, dict) and "from" in turn and "value" in turn for turn in turns
    )


def _recognise(look: Look) -> str | None:
    fits = bool(look.rows) and all(map(_is_one, look.rows))
    return f"{look.words} with conversations of from and value" if fits else None


FORMAT = Format(
    name="sharegpt",
    title="ShareGPT conversations",
    suffixes=(".json", ".jsonl"),
    recognised_by="JSON objects with conversations, whose turns have from and value",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
)
