"""Trajectories in the Agent Trajectory Interchange Format, objects with `schema_version: ATIF-…`.

Each step is a turn, with its reasoning, its calls of tools and what they gave; the session is the
evaluation. Tokens and cost are those of `final_metrics`, else the sums of the steps'; the time is
from the first step to the last. What stands at a step beside that (`metrics`, `extra`) stays in
`meta` by the number of the step. Read: one trajectory of version 1.4, as Phoenix's client has it.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from reviewer.formats import json_text
from reviewer.formats.conversations import turns_of
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import Json, as_text
from reviewer.formats.tools.making import made
from reviewer.formats.tools.traces import duration, number_of

_ROLES = {"agent": "assistant", "user": "user", "system": "system"}
_TOTALS = (("tokens_in", "total_prompt_tokens", "prompt_tokens"),
           ("tokens_out", "total_completion_tokens", "completion_tokens"),
           ("cost_usd", "total_cost_usd", "cost_usd"))  # fmt: skip
Row = dict[str, Any]


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    shape = "documents" if sniffed.shape == "object" else sniffed.shape
    for item in json_text.items(source, shape):
        if isinstance(item, BadRow):
            yield item
        else:
            yield made(item.line, partial(_record, item.value))


def _record(row: Json) -> Fields | str:
    steps = row["steps"]
    unknown = [
        (at, x.get("source")) for at, x in enumerate(steps) if x.get("source") not in _ROLES
    ]
    if unknown:
        at, who = unknown[0]
        return f"step {at + 1}: the source {who!r} is none of {', '.join(_ROLES)}"
    agent, totals = row.get("agent") or {}, row.get("final_metrics") or {}
    fields: Fields = {
        "id": row.get("session_id") or row.get("trajectory_id"),
        "messages": [turn for step in steps for turn in _turns(step)],
    }
    told = [step.get("metrics") or {} for step in steps]
    for name, total, each in _TOTALS:
        amount = totals.get(total) or sum(number_of(one.get(each)) for one in told)
        fields |= {name: amount} if amount else {}
    if isinstance(agent.get("model_name"), str):
        fields["model"] = agent["model_name"]
    times = [step["timestamp"] for step in steps if isinstance(step.get("timestamp"), str)]
    if times:
        took = duration(times[0], times[-1])
        fields |= {"occurred_at": times[0]} | ({"latency_ms": took} if took is not None else {})
    left = ("session_id", "steps")
    meta: Row = {key: x for key, x in row.items() if key not in left and x}
    beside = {
        as_text(step.get("step_id") or at + 1): _beside(step) for at, step in enumerate(steps)
    }
    return fields | {"meta": meta | {"steps": {key: x for key, x in beside.items() if x}}}


def _turns(step: Row) -> list[Row]:
    said = {**step, "role": _ROLES[step["source"]], "content": step.get("message")}
    results = (step.get("observation") or {}).get("results") or []
    answers = [
        {
            "type": "function_call_output",
            "call_id": one.get("source_call_id"),
            "output": one.get("content"),
        }
        for one in results
    ]
    return turns_of([said, *answers])


def _beside(step: Row) -> Row:
    refs = [
        one["subagent_trajectory_ref"]
        for one in (step.get("observation") or {}).get("results") or []
        if one.get("subagent_trajectory_ref")
    ]
    kept = {key: step[key] for key in ("metrics", "extra", "reasoning_effort") if step.get(key)}
    return kept | ({"subagents": refs} if refs else {})


def _is_one(row: Json) -> bool:
    version = row.get("schema_version") if isinstance(row, dict) else None
    if not isinstance(version, str) or not version.startswith("ATIF"):
        return False
    return isinstance(row.get("steps"), list)


def _recognise(look: Look) -> str | None:
    if look.shape == "object":
        return "a trajectory in ATIF" if _is_one(dict(look.top)) else None
    fits = bool(look.rows) and all(map(_is_one, look.rows))
    return f"{look.words} with trajectories in ATIF" if fits else None


FORMAT = Format(
    name="atif",
    title="ATIF trajectories",
    suffixes=(".json", ".jsonl"),
    recognised_by="JSON objects whose schema_version begins with ATIF",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
)
