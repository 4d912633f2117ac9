"""Instances of HELM: `scenario_state.json`, with `per_instance_stats.json` beside for the scores.

Both files are read side by side and joined by instance, trial and perturbation, which make the id;
`case` is the instance. Statistics that measure effort (`num_…`, `inference_…`, `training_…` and so
on) are kept under `meta`, so that nobody is asked for them; the others are auto scores, their
`mean`. The run is named by `run_spec.json` beside, else by the folder. Either of the two files may
be named for the import.

From the tool's declarations only: no real file was at hand. Left out: token lists and
log-probabilities of completions, and statistics of other perturbations than the instance's own.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from pydantic_core import from_json

from reviewer.domain.errors import FormatError
from reviewer.formats import json_text
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.record import checked
from reviewer.formats.streams import open_stream
from reviewer.formats.tools.drafts import (
    Fields,
    Json,
    entries_of,
    fields_of,
    kept,
    made,
    milliseconds,
    named,
    number_of,
    scored,
    text_of,
)
from reviewer.formats.turns import to_turns

STATES: Final = "scenario_state.json"
STATISTICS: Final = "per_instance_stats.json"
_EFFORT = re.compile(
    r"num_.*|inference_.*|training_.*|batch_size|max_prob|logprob.*|finish_reason_.*|"
    r"prompt_truncated|predicted_index|bits_per_byte|perplexity|logprob_per_byte"
)
_CORRECT: Final = "correct"
_Key = tuple[str, int, str]


class _Statistics:
    """The statistics beside, read as far as the instances ask for them."""

    def __init__(self, items: Iterator[json_text.Item | BadRow]) -> None:
        self._items = items
        self._ahead: dict[_Key, list[Json]] = {}

    def of(self, key: _Key) -> list[Json]:
        """Give the statistics of an instance; the two files have one order nearly always."""
        while key not in self._ahead:
            item = next(self._items, None)
            if item is None or isinstance(item, BadRow):
                return []
            row = fields_of(item.value)
            found = _key(row.get("instance_id"), row)
            self._ahead.setdefault(found, []).extend(entries_of(row.get("stats")))
        return self._ahead.pop(key)


def _key(identity: Json, row: Fields) -> _Key:
    trial = number_of(row.get("train_trial_index"))
    return text_of(identity) or "", int(trial or 0), _perturbation(row.get("perturbation"))


def _perturbation(given: Json) -> str:
    return text_of(fields_of(given).get("name")) or ""


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    folder = source.path.parent
    if sniffed.shape == "list" and not (folder / STATES).is_file():
        raise FormatError(
            f"{source.path.name} has statistics of HELM, but no text: {STATES} must lie beside it."
        )
    with ExitStack() as stack:
        states: Source = source
        if sniffed.shape == "list":
            states = stack.enter_context(open_stream(folder / STATES))
        statistics = _Statistics(iter(()))
        if (folder / STATISTICS).is_file():
            beside = stack.enter_context(open_stream(folder / STATISTICS))
            statistics = _Statistics(json_text.elements(beside))
        adapter: Fields = {}
        for item in json_text.parts(states, ("request_states",)):
            if isinstance(item, BadRow):
                yield item
            elif item.key == "request_states":
                make = partial(_record, run=_run(folder, adapter), statistics=statistics)
                yield made(make, item.value, item.line)
            elif item.key == "adapter_spec":
                adapter = fields_of(item.value)


def _run(folder: Path, adapter: Fields) -> str:
    try:
        spec = from_json((folder / "run_spec.json").read_bytes())
    except (OSError, ValueError):
        spec = {}
    return text_of(fields_of(spec).get("name")) or named(folder.name, adapter.get("model"))


def _record(state: Fields, line: int, *, run: str, statistics: _Statistics) -> Incoming:
    instance, request = fields_of(state.get("instance")), fields_of(state.get("request"))
    result = fields_of(state.get("result"))
    perturbed = instance.get("perturbation")
    key = _key(instance.get("id"), {**state, "perturbation": perturbed})
    case, trial, perturbation = key
    options = fields_of(state.get("output_mapping"))
    completions = [fields_of(x) for x in entries_of(result.get("completions"))]
    said = text_of(completions[0].get("text")) if completions else None
    scores, effort = _scores(statistics.of(key), perturbation)
    date = number_of(result.get("request_datetime"))
    fields = kept(
        {
            "id": named(case, f"trial {trial}" if trial else "", perturbation),
            "run": run,
            "case": case,
            "category": text_of(instance.get("sub_split")),
            "expected": _expected(instance),
            "model": text_of(request.get("model")),
            "latency_ms": milliseconds(result.get("request_time")),
            "occurred_at": None if date is None else datetime.fromtimestamp(date, UTC).isoformat(),
            "error": text_of(result.get("error")),
            "scores": scores,
            "meta": kept(
                {
                    "split": instance.get("split"),
                    "perturbation": perturbed,
                    "input": fields_of(instance.get("input")).get("text"),
                    "references": instance.get("references"),
                    "options": options,
                    "chosen": options.get((said or "").strip()),
                    "completions": [x.get("text") for x in completions[1:]],
                    "request_mode": state.get("request_mode"),
                    "reference_index": state.get("reference_index"),
                    "annotations": state.get("annotations"),
                    "statistics": effort,
                }
            ),
        }
    )
    return checked(fields | _asked(request, instance) | {"response": said}, line)


def _asked(request: Fields, instance: Fields) -> Fields:
    turns = to_turns(request["messages"]) if request.get("messages") else ""
    if isinstance(turns, list):
        return {"messages": turns}
    asked = text_of(request.get("prompt")) or text_of(fields_of(instance.get("input")).get("text"))
    return {"input": asked or ""}


def _expected(instance: Fields) -> Json:
    """Give what is tagged as correct."""
    references = [fields_of(x) for x in entries_of(instance.get("references"))]
    texts = [
        text_of(fields_of(x.get("output")).get("text"))
        for x in references
        if _CORRECT in entries_of(x.get("tags"))
    ]
    return texts[0] if len(texts) == 1 else texts


def _scores(given: list[Json], perturbation: str) -> tuple[list[Fields], Fields]:
    scores: list[Fields] = []
    effort: Fields = {}
    for one in map(fields_of, given):
        name = fields_of(one.get("name"))
        metric = text_of(name.get("name"))
        if metric is None or _perturbation(name.get("perturbation")) != perturbation:
            continue
        value = number_of(one.get("mean"))
        if value is None and number_of(one.get("count")) and number_of(one.get("sum")) is not None:
            value = one["sum"] / one["count"]
        if _EFFORT.fullmatch(metric):
            effort[metric] = value
        else:
            scores.append(scored(metric, value, scorer="helm"))
    return scores, kept(effort)


def _recognise(look: Look) -> str | None:
    if look.shape == "object":
        fits = "adapter_spec" in look.top and "request_states" in look.top
        return "a JSON object with the scenario state of HELM" if fits else None
    needed = {"instance_id", "train_trial_index", "stats"}
    fits = bool(look.rows) and all(isinstance(x, dict) and needed <= x.keys() for x in look.rows)
    return "a JSON list with statistics of HELM" if fits else None


FORMAT = Format(
    name="helm",
    title="HELM instances",
    suffixes=(".json",),
    recognised_by="a JSON object with adapter_spec and request_states, or statistics beside one",
    shapes=frozenset({"object", "list"}),
    recognise=_recognise,
    read=_read,
)
