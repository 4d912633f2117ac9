"""What other formats ask of a record: prompt, reply, the labels of each metric, metadata."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from reviewer.domain.entries import current_labels, decisions
from reviewer.formats.writing import About, Chunks, Fields, put_each

METADATA = ("category", "tags", "model")
"""What goes along where nothing else is asked for."""
EQUAL = 1e-9
NOT_LABELLED = "nobody labelled them"
NO_REPLY = "there is no response to show"


def text_of(content: Any) -> str:  # noqa: ANN401 - a JSON value is anything
    """Give a turn's content as text; what is no text stands as its name in brackets."""
    if isinstance(content, list):
        return "\n".join(part.get("text") or _named(part) for part in content)
    return content or ""


def _named(part: Fields) -> str:
    return f"[{part.get('type')}: {part.get('name') or part.get('path') or ''}]"


def prompt_of(record: Fields) -> list[Fields]:
    """Give the turns before the reply."""
    turns = record.get("messages")
    if not turns:
        return [{"role": "user", "content": record.get("input") or ""}]
    last = max((n for n, x in enumerate(turns) if x["role"] == "assistant"), default=len(turns))
    return list(turns[:last]) if reply_of(record) else list(turns)


def reply_of(record: Fields) -> str:
    """Give the response under evaluation as text; by default the last turn of the assistant."""
    if record.get("response") is not None:
        return str(record["response"])
    said = [x for x in record.get("messages") or () if x["role"] == "assistant"]
    return text_of(said[-1].get("content")) if said else ""


def prompt_text(record: Fields) -> str:
    """Give the turns before the reply as one text."""
    turns = prompt_of(record)
    if len(turns) == 1:
        return text_of(turns[0].get("content"))
    return "\n\n".join(f"{x['role']}: {text_of(x.get('content'))}" for x in turns)


def answers_of(record: Fields) -> dict[str, list[Fields]]:
    """Give what stands of people's labels by metric: the decision, else each person's latest."""
    labels = [x for x in record.get("labels") or () if x.get("turn") is None]
    found: dict[str, list[Fields]] = {}
    for (metric, _), label in decisions(labels).items():
        found[metric] = [label]
    decided = set(found)
    for (metric, _, _), label in current_labels(labels).items():
        if metric not in decided and label.get("kind", "label") == "label":
            found.setdefault(metric, []).append(label)
    return found


def passes(record: Fields, about: About) -> bool | None:
    """Tell whether every labelled metric with a mark reaches it by its mean; None without any."""
    found: list[bool] = []
    for name, labels in answers_of(record).items():
        metric = about.metrics.get(name)
        if metric is None or metric.pass_at is None:
            continue
        numbers = [x for y in labels if (x := metric.kind.number_of(y["value"])) is not None]
        if numbers:
            above = sum(numbers) / len(numbers) - metric.pass_at
            found.append(above >= -EQUAL if metric.higher_is_better else above <= EQUAL)
    return all(found) if found else None


def metadata_of(record: Fields, about: About) -> Fields:
    """Give what goes along with an evaluation: where it belongs, and the fields asked for."""
    names = about.fields or METADATA
    told = {name: record[name] for name in names if record.get(name) is not None}
    return {"run": record["run"], "id": record["id"], **told}


def put_list(items: Iterable[Fields], out: Chunks) -> int:
    """Write a JSON list, an item a line, and count the items."""
    out.write(b"[")
    written = put_each(_apart(items), out)
    out.write(b"\n]\n")
    return written


def _apart(items: Iterable[Fields]) -> Iterator[bytes]:
    for number, item in enumerate(items):
        yield (b",\n" if number else b"\n") + json_bytes(item)


def json_bytes(value: object) -> bytes:
    """Give a JSON value as UTF-8."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
