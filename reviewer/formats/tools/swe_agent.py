"""Trajectories of SWE-agent: one object with `trajectory`, `history` and `info`, as `.traj`.

The history is the conversation; where there is none, the steps' replies and observations are. The
submitted patch is the response. How it ended is an auto score, and the error unless by submission.
The run of the environment's commands is the time taken, since no other is told. Of the
configuration only the model, the problem and its id are taken; the steps that the history repeats
are left out, and the files' contents as they were edited. Read: one demonstration with calls of
functions.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from reviewer.formats import json_text
from reviewer.formats.conversations import conversation, opened
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import Json, as_text
from reviewer.formats.streams import stem_of
from reviewer.formats.tools.making import made

_KEPT = ("model_stats", "swe_agent_version", "swe_agent_hash", "swe_rex_version")
_DONE = "submitted"


def _read(source: Source, _sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    for item in json_text.documents(source):
        if isinstance(item, BadRow):
            yield item
        else:
            yield made(item.line, partial(_record, item.value, stem_of(source.path)))


def _record(row: Json, name: str) -> Fields | str:
    history = row.get("history") or _steps(row.get("trajectory") or [])
    turns = conversation([_message(one) for one in history])
    if isinstance(turns, str):
        return f"history: {turns}"
    settings = opened(row.get("replay_config"))
    settings = settings if isinstance(settings, dict) else {}
    problem = settings.get("problem_statement") or {}
    info = row.get("info") or {}
    case = as_text(problem.get("id")) or name
    fields: Fields = {"id": case, "messages": turns}
    if isinstance(info.get("submission"), str):
        fields["response"] = info["submission"]
    status = as_text(info.get("exit_status"))
    if status:
        score = {"metric": "exit_status", "value": status, "scorer": "swe-agent"}
        fields["scores"] = [score]
    if status and not status.startswith(_DONE):
        fields["error"] = f"it ended with {status}"
    model = ((settings.get("agent") or {}).get("model") or {}).get("name")
    fields |= {"model": model} if isinstance(model, str) else {}
    fields |= _usage(info.get("model_stats") or {}, row.get("trajectory") or [])
    meta = {key: info[key] for key in _KEPT if info.get(key)}
    meta |= {"problem_statement": problem["text"]} if problem.get("text") else {}
    return fields | ({"meta": meta} if meta else {})


def _message(one: Json) -> Json:
    """Name the call that an observation answers, which is told in a list of one."""
    numbers = one.get("tool_call_ids") if isinstance(one, dict) else None
    return {**one, "tool_call_id": as_text(numbers[0])} if numbers else one


def _steps(trajectory: list[dict[str, Any]]) -> list[dict[str, Any]]:
    told = []
    for step in trajectory:
        told.append({"role": "assistant", "content": step.get("response") or step.get("action")})
        told.append({"role": "user", "content": step.get("observation")})
    return told


def _usage(told: dict[str, Any], trajectory: list[dict[str, Any]]) -> Fields:
    found: Fields = {
        name: told[key]
        for name, key in (
            ("cost_usd", "instance_cost"),
            ("tokens_in", "tokens_sent"),
            ("tokens_out", "tokens_received"),
        )
        if told.get(key)
    }
    seconds = sum(step.get("execution_time") or 0 for step in trajectory)
    return found | ({"latency_ms": seconds * 1000} if seconds else {})


def _recognise(look: Look) -> str | None:
    fits = {"trajectory", "info"} <= look.top.keys() and isinstance(look.top["trajectory"], list)
    return "a trajectory with its history and info" if fits else None


FORMAT = Format(
    name="swe-agent",
    title="SWE-agent trajectories",
    suffixes=(".traj", ".json"),
    recognised_by="a JSON object with trajectory, history and info",
    shapes=frozenset({"object"}),
    recognise=_recognise,
    read=_read,
)
