"""Trajectories of tau-bench: a list of `{"task_id", "trial", "reward", "info", "traj"}`.

Each trial of a task is an evaluation, and the task their case. The reward is an auto score of the
environment, which compares the data at the end: yes or no where it is 1 or 0. What the task asks
of the agent, its actions and outputs, is expected; the simulated user's instruction stands in
`meta`. The cost is that of the simulated user, the only one that is told. The model stands in the
file's name alone, and so in the run's. Read: a hundred trajectories of the airline tasks.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from reviewer.formats import json_text
from reviewer.formats.conversations import conversation
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import as_text
from reviewer.formats.tools.making import made

_KEYS = frozenset({"task_id", "reward", "traj"})


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    for item in json_text.items(source, sniffed.shape, sniffed.records):
        if isinstance(item, BadRow):
            yield item
        else:
            yield made(item.line, partial(_record, item.value))


def _record(row: Any) -> Fields | str:  # noqa: ANN401 - a JSON value is anything
    if not isinstance(row, dict) or row.get("task_id") is None:
        return "a trajectory with a task_id is expected"
    turns = conversation(row.get("traj"))
    if isinstance(turns, str):
        return f"traj: {turns}"
    case, info = as_text(row["task_id"]), row.get("info") or {}
    task = info.get("task") or {}
    fields: Fields = {"id": f"{case}-{as_text(row.get('trial') or 0)}", "case": case}
    fields["messages"] = turns
    wanted = {key: task[key] for key in ("actions", "outputs") if task.get(key)}
    if wanted:
        fields["expected"] = wanted
        named = [one["name"] for one in wanted.get("actions", ()) if one.get("name")]
        fields["expected_tools"] = list(dict.fromkeys(named))
    if isinstance(info.get("user_cost"), int | float):
        fields["cost_usd"] = info["user_cost"]
    if info.get("error"):
        fields["error"] = as_text(info["error"])
    if row.get("reward") is not None:
        fields["scores"] = [_reward(row["reward"], info.get("reward_info"))]
    rest = {key: x for key, x in row.items() if key not in (*_KEYS, "trial", "info")}
    rest |= {key: x for key, x in info.items() if key not in ("task", "reward_info", "error")}
    rest |= {key: x for key, x in task.items() if key not in wanted and x}
    return fields | ({"meta": rest} if rest else {})


def _reward(reward: Any, told: Any) -> Fields:  # noqa: ANN401 - JSON values are anything
    value = bool(reward) if reward in (0, 1) else reward
    score: Fields = {"metric": "reward", "value": value, "scorer": "tau-bench"}
    return score | ({"meta": {"reward_info": told}} if told else {})


def _recognise(look: Look) -> str | None:
    fits = bool(look.rows) and all(
        isinstance(row, dict) and row.keys() >= _KEYS and isinstance(row["traj"], list)
        for row in look.rows
    )
    return f"{look.words} with task_id, reward and traj" if fits else None


FORMAT = Format(
    name="tau-bench",
    title="tau-bench trajectories",
    suffixes=(".json", ".json.gz", ".jsonl"),
    recognised_by="JSON objects with task_id, reward and traj",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
)
