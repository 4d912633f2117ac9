"""Read the example sets and their rubrics for the tests beside this module."""

import json
import tomllib
from pathlib import Path
from typing import Any

from reviewer.services.project import rubrics
from reviewer.services.upkeep import projects

RESOURCES = Path(__file__).parents[2] / "resources"
EXAMPLES = RESOURCES / "examples"
SYSTEMS = ("harness", "agent-rubric", "faq-bot", "guest-response", "virtual-agent")
STRIPPED = ".,!?;:\"'()[]{}"
Record = dict[str, Any]


def records(system: str) -> list[Record]:
    text = (EXAMPLES / f"{system}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def metrics(system: str) -> dict[str, Record]:
    kept = tomllib.loads(rubrics.to_toml(projects.example_rubric(system)))
    return {metric["name"]: metric for metric in kept["metrics"]}


def scores(record: Record, version: str | None = None) -> dict[str, Any]:
    return {
        score["metric"]: score["value"]
        for score in record.get("scores", [])
        if version in (None, score["scorer_version"])
    }


def reasons(record: Record) -> dict[str, str]:
    return {score["metric"]: score.get("reasoning", "") for score in record["scores"]}


def answer(record: Record) -> str | None:
    if "messages" in record:
        found = [turn["content"] for turn in record["messages"] if turn["role"] == "assistant"]
        return found[-1] if found else None
    response: str | None = record["response"]
    return response


def used_tools(record: Record) -> list[str]:
    if "tools_used" in record:
        return list(record["tools_used"])
    calls = [call for turn in record["messages"] for call in turn.get("tool_calls", [])]
    return [call["name"] for call in calls]


def tokens(text: str) -> set[str]:
    return {word.strip(STRIPPED) for word in text.lower().split()} - {""}
