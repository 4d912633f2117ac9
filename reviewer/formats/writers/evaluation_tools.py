"""Evaluation tools' files: Inspect logs with people's scores as edits, promptfoo's human cases.

Of an Inspect log turns, tool calls, one score a metric and all labels come back as they were, the
response as the last turn; the run is then named as every log's is, by task, model and time.
promptfoo's cases are tests for its own judges, and nothing here reads them.
"""

import json
import zipfile
from collections.abc import Iterator
from typing import Any

from reviewer.domain.errors import FormatError
from reviewer.domain.evaluation import now_text
from reviewer.formats.writers.conversations import (
    NO_REPLY,
    NOT_LABELLED,
    answers_of,
    json_bytes,
    metadata_of,
    passes,
    prompt_of,
    prompt_text,
    reply_of,
    text_of,
)
from reviewer.formats.writing import About, Chunks, Fields, Rows, Writer, put_each

_BIRTH = (1980, 1, 1, 0, 0, 0)
_WITHOUT_TIME = "1970-01-01T00:00:00Z"
NO_MARK = "no labelled metric has a pass mark"


class _Log:
    """An Inspect log on its way into its archive."""

    def __init__(self, about: About, archive: zipfile.ZipFile) -> None:
        self._about, self._zip = about, archive
        self._run: str | None = None
        self._summaries: list[Fields] = []
        self._names: dict[str, str] = {}
        self._models: dict[str, None] = {}

    def add(self, record: Fields) -> None:
        if self._run not in (None, record["run"]):
            raise FormatError(
                f"An Inspect log holds one run, and there are {self._run!r} and "
                f"{record['run']!r}; name one with --run."
            )
        if self._run is None:
            self._run = record["run"]
            self._put("_journal/start.json", {"version": 2, "eval": self._spec(), "plan": {}})
        self._models[record.get("model") or "unknown"] = None
        sample = self._sample(record)
        self._summaries.append({x: sample[x] for x in ("id", "epoch", "input", "target")} | {
            "metadata": sample["metadata"],
            "scores": {x: {"value": y["value"]} for x, y in sample["scores"].items()},
        })  # fmt: skip
        self._put(f"samples/{self._name(record['id'])}_epoch_1.json", sample)

    def close(self) -> int:
        self._put("summaries.json", self._summaries)
        self._put("header.json", {
            "version": 2,
            "status": "success",
            "eval": self._spec(),
            "plan": {"name": "plan", "steps": []},
            "results": {"total_samples": len(self._summaries),
                        "completed_samples": len(self._summaries), "scores": []},
            "stats": {"started_at": now_text(), "completed_at": now_text()},
        })  # fmt: skip
        return len(self._summaries)

    def _put(self, name: str, value: object) -> None:
        entry = zipfile.ZipInfo(name, _BIRTH)
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(entry, json_bytes(value))

    def _name(self, identity: str) -> str:
        """Give an id as part of a name in the archive; two ids never share one."""
        plain = "".join(x if x.isalnum() or x in "-_." else "_" for x in identity)[:80]
        if self._names.setdefault(plain, identity) != identity:
            plain = f"{plain}-{len(self._names)}"
            self._names[plain] = identity
        return plain

    def _spec(self) -> Fields:
        return {
            "created": now_text(),
            "task": self._run or self._about.title,
            "dataset": {"name": self._about.title, "samples": len(self._summaries)},
            "model": next(iter(self._models), "unknown"),
            "config": {"epochs": 1},
        }

    def _sample(self, record: Fields) -> Fields:
        reply = reply_of(record)
        model = record.get("model") or "unknown"
        said = {"role": "assistant", "content": reply, "source": "generate"}
        return {
            "id": record["id"],
            "epoch": 1,
            "input": [_message(x) for x in prompt_of(record)],
            "target": record.get("expected") or "",
            "messages": [*(_message(x) for x in prompt_of(record)), *([said] if reply else [])],
            "output": {
                "model": model,
                "choices": [{"message": said, "stop_reason": "stop"}],
                "completion": reply,
            },
            "scores": _scores(record),
            "metadata": metadata_of(record, self._about),
            "store": {},
            "events": [],
            "model_usage": {},
            "attachments": {},
        }


def _message(turn: Fields) -> Fields:
    message: Fields = {"role": turn["role"], "content": text_of(turn.get("content"))}
    calls = [
        {
            "id": call.get("id") or f"call_{number}",
            "type": "function",
            "function": call["name"],
            "arguments": _object(call.get("arguments")),
        }
        for number, call in enumerate(turn.get("tool_calls") or (), start=1)
    ]
    if calls:
        message["tool_calls"] = calls
    if turn["role"] == "tool":
        message["tool_call_id"] = turn.get("tool_call_id")
        message["function"] = turn.get("name")
    return message


def _object(arguments: Any) -> Fields:  # noqa: ANN401 - a JSON value is anything
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {"arguments": arguments}
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def _scores(record: Fields) -> dict[str, Fields]:
    found = {
        score["metric"]: {
            "value": score["value"],
            "explanation": score.get("reasoning"),
            "metadata": {"scorer": score.get("scorer"), "version": score.get("scorer_version")},
            "history": [],
        }
        for score in record.get("scores") or ()
    }
    for metric, labels in answers_of(record).items():
        ordered = sorted(labels, key=lambda x: x.get("at") or "")
        before = found.get(metric)
        first = [{x: before[x] for x in ("value", "explanation", "metadata")}] if before else []
        found[metric] = {
            **(before or {"metadata": {}}),
            "value": ordered[-1]["value"],
            "explanation": ordered[-1].get("comment") or (before or {}).get("explanation"),
            "history": [*first, *map(_edit, ordered)],
        }
    return found


def _edit(label: Fields) -> Fields:
    return {
        "value": label["value"],
        "explanation": label.get("comment") or "UNCHANGED",
        "provenance": {
            "timestamp": label.get("at") or _WITHOUT_TIME,
            "author": label["labeler"],
            "reason": label.get("comment") or None,
            "metadata": {
                x: label[x] for x in ("kind", "blind", "aggregate") if label.get(x) is not None
            },
        },
    }


def _inspect(rows: Rows, about: About, out: Chunks) -> int:
    # written from front to end, so that a pipe will do
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        log = _Log(about, archive)
        for record in rows:
            log.add(record)
        return log.close()


def _cases(rows: Rows, about: About) -> Iterator[bytes]:
    import yaml

    for record in rows:
        verdict = passes(record, about)
        labels = answers_of(record)
        if verdict is None or not reply_of(record):
            reason = NO_MARK if labels else NOT_LABELLED
            about.left_out[NO_REPLY if verdict is not None else reason] += 1
            continue
        said = [x["comment"] for some in labels.values() for x in some if x.get("comment")]
        case = {
            "vars": {
                "input": prompt_text(record),
                "output": reply_of(record),
                **({"comment": "\n".join(said)} if said else {}),
            },
            "assert": [
                {"type": "javascript", "value": f"{'' if verdict else '!'}JSON.parse(output).pass"}
            ],
            "metadata": metadata_of(record, about),
        }
        yield yaml.safe_dump([case], allow_unicode=True, sort_keys=False).encode()


INSPECT = Writer(
    name="inspect",
    title="Inspect logs",
    suffixes=(".eval",),
    write=_inspect,
    of_labels=True,
)
PROMPTFOO = Writer(
    name="promptfoo-human",
    title="promptfoo human-eval cases (YAML)",
    suffixes=(".yaml", ".yml"),
    write=lambda rows, about, out: put_each(_cases(rows, about), out),
    of_labels=True,
)
