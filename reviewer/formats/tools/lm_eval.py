"""Samples of lm-evaluation-harness: `samples_*.jsonl`, with `results_*.json` where it lies beside.

A line is a document under one filter: `case` is the document, and each filter is a run of its own,
since its figures are. Metrics that are lists are the parts of an aggregate (F1, BLEU) and no score
of the document; they are kept under `meta`. Where several continuations were weighed the response
is the likeliest, and all with their log-likelihoods, which stand there as texts, are in `meta`.

Task, model and time come from the results beside, else from the file's name.

Verified with files of 0.4.13 (multiple choice, and chat with two filters). From the sources only:
lines of before 0.4.3, whose `arguments` are a list and which name neither filter nor metrics, and
`repeats`. Left out: hashes of document, prompt and target.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from pydantic_core import from_json

from reviewer.domain.errors import FormatError
from reviewer.domain.record import run_name
from reviewer.domain.rubric import Metric
from reviewer.formats import json_text
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Record, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import parsed
from reviewer.formats.record import checked
from reviewer.formats.streams import stem_of
from reviewer.formats.tools.drafts import (
    Fields,
    Json,
    entries_of,
    fields_of,
    kept,
    made,
    moment,
    named,
    number_of,
    scored,
    text_of,
)
from reviewer.formats.turns import to_turns

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)")
_NEEDED: Final = {"doc_id", "doc", "arguments", "resps", "filtered_resps"}
_KNOWN: Final = _NEEDED | {"target", "filter", "metrics", "doc_hash", "prompt_hash",
                           "target_hash"}  # fmt: skip
_FIGURES: Final = {"results", "configs", "versions", "n-shot"}
_LARGEST = 64 << 20


@dataclass(frozen=True)
class _Task:
    """What is known of the file's task beside its lines."""

    name: str
    model: str = ""
    at: str | None = None
    more: Fields = field(default_factory=dict)
    lower: frozenset[str] = frozenset()

    def run(self, chosen: str) -> str:
        return named(self.name, self.model, moment(self.at), chosen)


def _task_of(file: Path) -> _Task:
    match = _NAME.fullmatch(stem_of(file))
    name = match["task"] if match else run_name(file.name)
    results = _results(file, match["time"] if match else "")
    if name not in fields_of(results.get("configs")):
        return _Task(name)
    config = fields_of(results.get("config"))
    arguments = fields_of(config.get("model_args"))
    model = (results.get("model_name"), arguments.get("model"), config.get("model"))
    date = number_of(results.get("date"))
    better = fields_of(fields_of(results.get("higher_is_better")).get(name))
    return _Task(
        name,
        next((x for x in model if isinstance(x, str) and x), ""),
        None if date is None else datetime.fromtimestamp(date, UTC).isoformat(timespec="seconds"),
        kept({key: fields_of(results.get(key)).get(name) for key in ("versions", "n-shot")}),
        frozenset(metric for metric, higher in better.items() if higher is False),
    )


def _results(file: Path, time: str) -> Fields:
    beside = file.with_name(f"results_{time}.json")
    try:
        if time and beside.stat().st_size <= _LARGEST:
            return fields_of(from_json(beside.read_bytes()))
    except (OSError, ValueError):
        pass
    return {}


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    if sniffed.shape == "object":
        raise FormatError(
            f"{source.path.name} holds the figures of lm-evaluation-harness and no responses; "
            "import the samples_*.jsonl beside it, for which it is read along (--log_samples "
            "writes them)."
        )
    task = _task_of(source.path)
    for item in json_text.items(source, sniffed.shape):
        if isinstance(item, BadRow):
            yield item
        else:
            yield made(partial(_record, task=task), item.value, item.line)


def _record(row: Fields, line: int, task: _Task) -> Incoming:
    document, chosen = fields_of(row.get("doc")), text_of(row.get("filter"))
    told = "" if chosen in (None, "none") else str(chosen)
    number = text_of(row.get("doc_id"))
    asked = _arguments(row.get("arguments"))
    answers = entries_of(row.get("filtered_resps"))
    choices = _choices(asked, answers)
    response = _said(answers)
    expected = text_of(row.get("target"))
    if choices:
        weighed = [x for x in choices if isinstance(x["loglikelihood"], float)]
        best = max(weighed, key=lambda x: x["loglikelihood"], default=choices[0])
        response, expected = best["text"].strip(), _choice(expected, choices)
    scores, lists = _scores(row)
    category = document.get("category") or document.get("subject")
    fields = kept(
        {
            "id": None if number is None else named(number, told),
            "run": task.run(told),
            "case": number,
            "category": category if isinstance(category, str) else None,
            "expected": expected,
            "model": task.model,
            "occurred_at": task.at,
            "scores": scores,
            "meta": kept(
                {
                    "doc": document,
                    "filter": chosen,
                    "target": row.get("target") if choices else None,
                    "choices": choices,
                    "responses": _repeats(row.get("resps"), choices),
                    "metrics": lists,
                    "generation": asked[0][1] if asked and not choices else None,
                    "task": task.more,
                }
            ),
        }
    )
    return checked(fields | _asked(asked) | {"response": response}, line)


def _arguments(given: Json) -> list[tuple[Json, Json]]:
    """Give prompt and continuation of each request, of newer and older files."""
    every = list(given.values()) if isinstance(given, dict) else entries_of(given)
    found: list[tuple[Json, Json]] = []
    for one in every:
        values = list(one.values()) if isinstance(one, dict) else entries_of(one)
        found.append((values[0] if values else None, values[1] if len(values) > 1 else None))
    return found


def _asked(asked: Sequence[tuple[Json, Json]]) -> Fields:
    prompt = asked[0][0] if asked else None
    if isinstance(prompt, list) and len(prompt) == 1:
        prompt = prompt[0]
    is_chat = isinstance(prompt, str) and prompt.startswith('[{"')
    turns = to_turns(parsed(prompt)) if is_chat and isinstance(prompt, str) else ""
    if isinstance(turns, list) and turns:
        return {"messages": turns}
    return {"input": text_of(prompt) or ""}


def _choices(asked: Sequence[tuple[Json, Json]], answers: Sequence[Json]) -> list[Fields]:
    """Give the continuations that were weighed against one another."""
    if len(asked) < 2 or len(asked) != len(answers):
        return []
    found = []
    for (_, continuation), answer in zip(asked, answers, strict=True):
        weighed = entries_of(answer)
        if not isinstance(continuation, str) or len(weighed) != 2:
            return []
        greedy = str(weighed[1]).lower() == "true"
        weight = _number(weighed[0])
        found.append({"text": continuation, "loglikelihood": weight, "greedy": greedy})
    return found


def _number(given: Json) -> Json:
    """Read a number that may be written as a text; what is none stays as it came."""
    try:
        value = float(given)
    except (TypeError, ValueError):
        return text_of(given)
    return value if math.isfinite(value) else text_of(given)


def _choice(target: str | None, choices: Sequence[Fields]) -> str | None:
    """Give the continuation that a target numbers, unless it is one of them itself."""
    texts = [choice["text"].strip() for choice in choices]
    is_number = target is not None and target.isdecimal() and target not in texts
    return texts[int(target)] if target and is_number and int(target) < len(texts) else target


def _said(answers: Sequence[Json]) -> str | None:
    first = answers[0] if answers else None
    while isinstance(first, list) and first:
        first = first[0]
    return text_of(first)


def _repeats(given: Json, choices: Sequence[Fields]) -> Json:
    """Give all replies to a request that was repeated."""
    replies = entries_of(given)
    first = entries_of(replies[0]) if replies else []
    return replies if not choices and (len(first) > 1 or len(replies) > 1) else None


def _scores(row: Fields) -> tuple[list[Fields], Fields]:
    listed = row.get("metrics")
    names = listed if isinstance(listed, list) else [key for key in row if key not in _KNOWN]
    values = {name: row.get(name) for name in names if isinstance(name, str) and name in row}
    scores = [
        scored(name, x, scorer="lm-eval")
        for name, x in values.items()
        if x is None or isinstance(x, bool | int | float)
    ]
    rest = {key: x for key, x in row.items() if key not in _KNOWN and key not in values}
    lists = {key: x for key, x in values.items() if isinstance(x, list | dict | str)}
    return scores, lists | rest


def _declared(source: Source, sniffed: Sniffed) -> Sequence[Metric]:
    """Give the metrics that hold or do not, and of which less is better, as the results say."""
    lower = _task_of(source.path).lower
    ends: dict[str, tuple[float, float, bool]] = {}
    for item in _read(source, sniffed, None):
        for score in item.fields.get("scores") or () if isinstance(item, Record) else ():
            value = number_of(score["value"])
            if value is not None:
                low, high, holds = ends.get(score["metric"], (0.0, 1.0, True))
                holds = holds and value in (0, 1)
                ends[score["metric"]] = min(low, value), max(high, value), holds
    return [
        Metric(name=name, scale="binary", higher_is_better=name not in lower)
        if holds
        else Metric(name=name, scale="range", min=low, max=high, higher_is_better=False)
        for name, (low, high, holds) in ends.items()
        if holds or name in lower
    ]


def _subject(source: Source, _sniffed: Sniffed) -> str:
    return _task_of(source.path).name


def _recognise(look: Look) -> str | None:
    if look.top.keys() >= _FIGURES:
        return "a JSON object with the figures of lm-evaluation-harness"
    fits = bool(look.rows) and all(isinstance(x, dict) and x.keys() >= _NEEDED for x in look.rows)
    return f"{look.words} with samples of lm-evaluation-harness" if fits else None


FORMAT = Format(
    name="lm-eval",
    title="lm-evaluation-harness samples",
    suffixes=(".jsonl",),
    recognised_by="JSON objects with doc_id, doc, arguments, resps and filtered_resps",
    shapes=frozenset({"lines", "list", "object", "rows"}),
    recognise=_recognise,
    read=_read,
    declared=_declared,
    subject=_subject,
)
