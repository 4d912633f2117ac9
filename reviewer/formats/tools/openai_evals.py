"""Event logs of OpenAI evals: a line that says what was run, then events of samples in any order.

The events of one sample become one evaluation: the first `sampling` is question and answer, later
ones are the judge's, whose reply is kept with the scores; `match` is a yes-or-no metric, and each
value of `metrics` a metric. A sample is given out when 10,000 others have followed it, since no
event says that it is complete. Other events of a sample are kept under `meta`; those of no sample
and the final report, whose figures follow from the samples, are left out.

Verified with a log of 3.0.1 that has `match` events; the other types are from the tool's sources.
"""

from collections.abc import Iterator
from typing import Final

from reviewer.domain.record import run_name
from reviewer.formats import json_text
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.record import checked
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

_OPEN: Final = 10_000
_EVENT: Final = {"event_id", "sample_id", "type", "data"}
_READ: Final = ("sampling", "match", "metrics", "raw_sample", "error", "pick_option")


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    spec: Fields = {}
    samples: dict[str, tuple[int, list[Fields]]] = {}
    for item in json_text.items(source, sniffed.shape):
        if isinstance(item, BadRow):
            yield item
            continue
        row = fields_of(item.value)
        if isinstance(row.get("spec"), dict):
            spec = row["spec"]
        elif "final_report" not in row:
            identity = text_of(row.get("sample_id"))
            if identity is None or not isinstance(row.get("data"), dict):
                if row.keys() < _EVENT:
                    yield BadRow(
                        item.line, "", None, "an event with sample_id and data is expected"
                    )
                continue
            samples.setdefault(identity, (item.line, []))[1].append(row)
            if len(samples) > _OPEN:
                yield _sample(samples, next(iter(samples)), spec, source)
    for identity in list(samples):
        yield _sample(samples, identity, spec, source)


def _sample(
    samples: dict[str, tuple[int, list[Fields]]], identity: str, spec: Fields, source: Source
) -> Incoming:
    line, events = samples.pop(identity)
    functions = entries_of(spec.get("completion_fns"))
    model = text_of(functions[0]) if functions else None
    evaluation = text_of(spec.get("eval_name")) or run_name(source.path.name)
    run = named(evaluation, model, moment(spec.get("created_at")))
    row = {"id": identity, "run": run, "model": model, "events": events}
    return made(_record, row, line)


def _record(sample: Fields, line: int) -> Incoming:
    events = sample.pop("events")
    by_type = {kind: [x for x in events if x.get("type") == kind] for kind in _READ}
    samplings = [x["data"] for x in by_type["sampling"]]
    first = samplings[0] if samplings else {}
    usage = fields_of(first.get("usage"))
    scores = _scores(events, samplings[1:])
    raw = fields_of(by_type["raw_sample"][0]["data"]) if by_type["raw_sample"] else {}
    match = by_type["match"][0]["data"] if by_type["match"] else {}
    picked = by_type["pick_option"][0]["data"] if by_type["pick_option"] else {}
    expected = match.get("expected", raw.get("ideal"))
    response = next(
        (x for x in (_first(first.get("sampled")), _first(match.get("sampled")),
                     text_of(picked.get("picked")), text_of(match.get("picked"))) if x), None
    )  # fmt: skip
    errors = [text_of(x["data"].get("message") or x["data"]) for x in by_type["error"]]
    others = [{"type": x.get("type"), "data": x["data"]} for x in events
              if x.get("type") not in _READ]  # fmt: skip
    beside = {key: x for key, x in match.items()
              if key not in ("correct", "expected", "sampled")}  # fmt: skip
    fields = sample | kept(
        {
            "model": text_of(first.get("model")) or sample["model"],
            "expected": expected,
            "tokens_in": number_of(usage.get("prompt_tokens")),
            "tokens_out": number_of(usage.get("completion_tokens")),
            "occurred_at": _time(events[0]),
            "error": "; ".join(filter(None, errors)),
            "scores": scores,
            "meta": kept({"match": beside, "events": others, "options": picked.get("options")}),
        }
    )
    asked = first.get("prompt", picked.get("prompt", raw.get("input")))
    return checked(kept(fields) | _asked(asked) | {"response": response}, line)


def _asked(prompt: Json) -> Fields:
    turns = to_turns(prompt) if isinstance(prompt, list) else ""
    if isinstance(turns, list):
        return {"messages": turns}
    return kept({"input": text_of(prompt)})


def _first(sampled: Json) -> str | None:
    several = entries_of(sampled)
    return text_of(several[0]) if several else text_of(sampled)


def _time(event: Fields) -> str | None:
    told = event.get("created_at")
    return told.replace(" ", "T", 1) if isinstance(told, str) else None


def _scores(events: list[Fields], judged: list[Fields]) -> list[Fields]:
    judge = {"raw": _first(judged[-1].get("sampled")), "model": text_of(judged[-1].get("model"))} \
        if judged else {}  # fmt: skip
    scores: list[Fields] = []
    for event in events:
        data, at = event["data"], _time(event)
        if event.get("type") == "match" and "correct" in data:
            told = {"match": data["correct"]}
        elif event.get("type") == "metrics":
            told = data
        else:
            continue
        for name, value in told.items():
            if value is None or isinstance(value, bool | int | float | str):
                scores.append(scored(name, value, scorer="openai-evals", at=at, **judge))
    return scores


def _subject(source: Source, sniffed: Sniffed) -> str:
    first = next(json_text.items(source, sniffed.shape), None)
    row = fields_of(first.value) if isinstance(first, json_text.Item) else {}
    return text_of(fields_of(row.get("spec")).get("eval_name")) or ""


def _recognise(look: Look) -> str | None:
    rows = [row for row in look.rows if isinstance(row, dict)]
    begins = any(
        isinstance(row.get("spec"), dict) and "completion_fns" in row["spec"] for row in rows[:3]
    )
    events = bool(rows) and all(row.keys() >= _EVENT for row in rows)
    fits = begins or (events and len(rows) == len(look.rows))
    return f"{look.words} with events of OpenAI evals" if fits else None


FORMAT = Format(
    name="openai-evals",
    title="OpenAI evals event logs",
    suffixes=(".jsonl",),
    recognised_by="lines of events with sample_id, type and data, the first of them a spec",
    shapes=frozenset({"lines", "rows"}),
    recognise=_recognise,
    read=_read,
    subject=_subject,
)
