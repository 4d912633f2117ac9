"""Read the demo project for the tests beside this module."""

import json
import pathlib
import tomllib
from typing import Any

RESOURCES = pathlib.Path(__file__).resolve().parents[2] / "resources"
DEMO = RESOURCES / "demo"
METRICS = ("relevance", "accuracy", "safety")
LABELERS = ("labeler 1", "labeler 2", "labeler 3")
RUNS = ("2026-11-04 agent v6", "2026-11-18 agent v7")
Record = dict[str, Any]


def demo_lines(name: str) -> list[Record]:
    text = (DEMO / name).read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def rubric_of(path: pathlib.Path) -> Record:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def answer_of(record: Record) -> str | None:
    if "response" in record:
        return record["response"]  # type: ignore[no-any-return]
    last = record["messages"][-1]
    return text_of(last["content"]) if last["role"] == "assistant" else None


def times_of(value: Any, key: str = "") -> list[str]:
    if isinstance(value, dict):
        return [t for k, v in value.items() if k != "context" for t in times_of(v, k)]
    if isinstance(value, list):
        return [t for v in value for t in times_of(v, key)]
    return [value] if key == "at" or key.endswith("_at") else []


def current_values(record: Record, metric: str) -> dict[str, Any]:
    """Each labeler's latest entry; a withdrawn or not applicable one leaves no value."""
    entries: dict[str, Record] = {}
    for label in record.get("labels", []):
        if label["metric"] == metric and label.get("kind") != "adjudication":
            if label["labeler"] in entries:
                assert label["at"] >= entries[label["labeler"]]["at"]
            entries[label["labeler"]] = label
    return {who: e["value"] for who, e in entries.items() if e["value"] is not None}


def auto_score(record: Record, metric: str, version: str = "v3") -> int | None:
    found = [
        s
        for s in record["scores"]
        if s["metric"] == metric and s["scorer_version"] == version and s["value"] is not None
    ]
    return max(found, key=lambda s: str(s["at"]))["value"] if found else None
