"""Tables of samples as Inspect's `samples_df` makes them of its logs.

A row is a sample of an epoch, with a column a score (`score_NAME`), beside which its answer,
explanation and metadata may stand; it is read as the sample of a log is. Conversations come as
one text, `role:` above each message, and are cut at these; without `SampleMessages` a table holds
what was asked and not what was answered, which is said.
Read: tables that 0.3.285 made of logs of seven tasks, with and without the columns of details.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import PurePath
from typing import Final

from reviewer.domain.rubric import Metric
from reviewer.formats import json_text
from reviewer.formats.conversations import opened
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Source
from reviewer.formats.json_text import Item
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import Row, as_text
from reviewer.formats.tools import inspect_log
from reviewer.formats.tools.drafts import Fields, Json, kept, made, number_of
from reviewer.formats.turns import Turn

_SAMPLE: Final = frozenset({"sample_id", "eval_id", "id", "epoch", "input"})
_SCORE: Final = "score_"
_METADATA: Final = "metadata_"
_DETAILS: Final = ("answer", "explanation", "reason", "metadata")
_OPENED: Final = ("model_usage", "choices")
_OF_EVAL: Final = ("task_name", "model", "created")
_OWN: Final = frozenset(
    {"sample_id", "eval_id", "log", "error", "messages", "target", "input", "id", *_OF_EVAL}
)
_SPEAKER: Final = re.compile(r"(?:\A|\n\n)(system|user|assistant|tool):\n")
_CALL: Final = re.compile(r"\n+Tool Call: (.*)\nArguments:[ \n]?")
_WITHOUT: Final = (
    "The table has no messages, so that the answers are missing; make it with "
    "columns=SampleSummary + SampleMessages + SampleScores, or import the logs."
)


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    with source.again() as again:
        first = _records(again, sniffed, frozenset())
        lettered = inspect_log.lettered_among(first)
    yield from _records(source, sniffed, lettered)


def _records(source: Source, sniffed: Sniffed, lettered: frozenset[str]) -> Iterator[Incoming]:
    repeated = _has_epochs(source, sniffed)
    for item in json_text.items(source, sniffed.shape, sniffed.records):
        if isinstance(item, BadRow):
            yield item
        else:
            make = partial(_record, lettered=lettered, repeated=repeated)
            yield made(make, item.value, item.line)


def _has_epochs(source: Source, sniffed: Sniffed) -> bool:
    """Tell whether samples were run several times, so that the epoch is a part of their names."""
    with source.again() as again:
        items = json_text.items(again, sniffed.shape, sniffed.records)
        rows = (x.value for x in items if isinstance(x, Item) and isinstance(x.value, dict))
        return any((number_of(row.get("epoch")) or 1) > 1 for row in rows)


def _record(row: Row, line: int, *, lettered: frozenset[str], repeated: bool) -> Incoming:
    metadata = {key.removeprefix(_METADATA): x for key, x in row.items()
                if key.startswith(_METADATA)}  # fmt: skip
    rest = {key: opened(x) if key in _OPENED else x for key, x in row.items()
            if key not in _OWN and not key.startswith((_SCORE, _METADATA))}  # fmt: skip
    turns = _turns(row.get("messages"))
    asked = _turns(row.get("input"))
    sample = rest | {
        "id": row.get("id"),
        "uuid": row.get("sample_id"),
        "input": asked or as_text(row.get("input")),
        "messages": turns or None,
        "target": row.get("target"),
        "error": {"message": as_text(row["error"])} if row.get("error") else None,
        "scores": _scores(row),
        "metadata": metadata or None,
    }
    task = as_text(row.get("task_name")) or PurePath(as_text(row.get("log"))).stem
    about: Fields = {"task": task or as_text(row.get("eval_id")), "model": row.get("model"),
                     "created": row.get("created")}  # fmt: skip
    header = {"eval": kept(about) | ({"config": {"epochs": 2}} if repeated else {})}
    return inspect_log.record_of(kept(sample), line, header, lettered)


def _scores(row: Row) -> dict[str, Fields]:
    """Give the scores by their names, each with what stands beside it."""
    named = [key.removeprefix(_SCORE) for key in row if key.startswith(_SCORE)]
    beside = {f"{name}_{detail}" for name in named for detail in _DETAILS}
    found: dict[str, Fields] = {}
    for name in named:
        if name in beside:
            continue
        told = {detail: row.get(f"{_SCORE}{name}_{detail}") for detail in _DETAILS}
        explanation = told.pop("reason") or told["explanation"]
        found[name] = kept(told | {"explanation": explanation,
                                   "metadata": opened(told["metadata"])})  # fmt: skip
        found[name]["value"] = opened(row[f"{_SCORE}{name}"])
    return found


def _turns(text: Json) -> list[Turn]:
    """Cut a conversation that is one text into its messages."""
    parts = _SPEAKER.split(text) if isinstance(text, str) else []
    if len(parts) < 3 or parts[0]:
        return []
    return [_turn(role, said) for role, said in zip(parts[1::2], parts[2::2], strict=True)]


def _turn(role: str, said: str) -> Turn:
    content, *calls = _CALL.split(said) if role == "assistant" else [said]
    turn: Turn = {"role": role, "content": content.strip("\n")}
    if calls:
        turn["tool_calls"] = [
            {"function": name, "arguments": given.strip("\n")}
            for name, given in zip(calls[::2], calls[1::2], strict=True)
        ]
    return turn


def _declared(source: Source, sniffed: Sniffed) -> list[Metric]:
    return inspect_log.metrics_of_letters(_read(source, sniffed, None))


def _is_one(row: Json) -> bool:
    return isinstance(row, dict) and row.keys() >= _SAMPLE


def _recognise(look: Look) -> str | None:
    fits = bool(look.rows) and all(map(_is_one, look.rows))
    return f"{look.words} with samples of Inspect's" if fits else None


def _remarks(look: Look) -> tuple[str, ...]:
    is_asked_alone = all(_is_one(row) and "messages" not in row for row in look.rows)
    return (f"{look.path.name}: {_WITHOUT}",) if is_asked_alone else ()


FORMAT = Format(
    name="inspect-table",
    title="Inspect tables of samples",
    suffixes=(".parquet", ".csv"),
    recognised_by="columns sample_id, eval_id, id, epoch, input and score_…",
    shapes=frozenset({"rows", "list", "lines"}),
    recognise=_recognise,
    read=_read,
    declared=_declared,
    remarks=_remarks,
)
