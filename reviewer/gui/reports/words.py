"""How the rows of an export are written in the preview."""

from collections.abc import Mapping
from typing import Any

from reviewer.gui.kit.text import number

MOST = 6
_COUNTED = {"messages": "turn", "candidates": "candidate", "sources": "source", "marks": "mark"}


def shown_row(row: Mapping[str, Any]) -> dict[str, object]:
    """Write the long values of a row so that they can be read at a glance."""
    return {name: shown_value(name, value) for name, value in row.items()}


def shown_value(name: str, value: object) -> object:
    """Write lists, scores and labels in words; everything else stays as it is."""
    if name in _COUNTED and isinstance(value, list | tuple):
        thing = _COUNTED[name]
        return f"1 {thing}" if len(value) == 1 else f"{len(value)} {thing}s"
    if name in ("scores", "labels") and isinstance(value, list | tuple):
        return _several([_entry(entry) for entry in value if isinstance(entry, Mapping)])
    if name == "labels" and isinstance(value, Mapping):
        return _several([f"{person} {number(given)}" for person, given in value.items()])
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return ", ".join(value)
    if isinstance(value, float):
        return number(value, 3)
    return value


def _entry(entry: Mapping[str, Any]) -> str:
    said = entry.get("kind") if entry.get("value") is None else number(entry["value"])
    person = f" ({entry['labeler']})" if "labeler" in entry else ""
    return f"{entry.get('metric')} {said or 'failed'}{person}"


def _several(words: list[str]) -> str:
    more = f" and {len(words) - MOST} more" if len(words) > MOST else ""
    return ", ".join(words[:MOST]) + more
