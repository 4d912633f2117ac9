"""Annotations and results of Ragas.

Annotations are lists of `metric_input`, `metric_output` and `prompts` under the metric's name. The
score is the judge's verdict; a person's is a label: the edited output, else the verdict that they
accepted. Where one was edited `metric_output` may be the edited one, so that the judge's is taken
from the prompt. What was not accepted has no label; `is_accepted` is kept under `meta`. The file
does not say who it was: the labeler is `annotator`.

Results are records with `user_input`, `response` and a column of numbers a metric, as the tool
writes its table in JSON; older ones have `question`, `answer`, `contexts`, `ground_truth`, and
those of conversations the messages in `user_input` and no response. Where a table has columns that
are neither the tool's nor numbers as its own metrics give them, somebody put them there, such as a
person's ratings: it is read by its columns then, and asked for.

Verified with two files of annotations, and with results that Ragas 0.4.3 wrote.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from reviewer.domain.record import run_name
from reviewer.domain.rubric import Metric
from reviewer.formats import json_text
from reviewer.formats.columns import Column
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import NUMBERS
from reviewer.formats.questions import MEAN, PEOPLE
from reviewer.formats.record import checked
from reviewer.formats.sides import is_bookkeeping, likely, of_ragas, told
from reviewer.formats.tools.drafts import (
    Fields,
    Json,
    entries_of,
    fields_of,
    kept,
    made,
    named,
    number_of,
    scored,
    text_of,
)
from reviewer.formats.turns import to_turns

_PERSON: Final = "annotator"
_ASKED: Final = ("user_input", "question")
_ANSWERED: Final = ("response", "answer")
_RETRIEVED: Final = ("retrieved_contexts", "contexts")
_EXPECTED: Final = ("reference", "ground_truth", "ground_truths")
_TEXTS: Final = (*_ASKED, *_ANSWERED, *_RETRIEVED, *_EXPECTED, "reference_contexts")
_BESIDE: Final = frozenset(
    {"id", "multi_responses", "retrieved_context_ids", "reference_context_ids", "rubrics",
     "persona_name", "query_style", "query_length", "reference_tool_calls", "reference_topics"}
)  # fmt: skip
"""What the tool's samples hold beside texts and metrics."""


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    is_annotated = sniffed.shape == "object"
    items = json_text.elements(source, "*") if is_annotated else json_text.items(
        source, sniffed.shape)  # fmt: skip
    run = run_name(source.path.name)
    for number, item in enumerate(items, start=1):
        if isinstance(item, BadRow):
            yield item
        elif is_annotated:
            metric = item.key or "score"
            make = partial(_annotation, metric=metric, run=named(run, metric), number=number)
            yield made(make, item.value, item.line)
        else:
            yield made(partial(_result, number=number), item.value, item.line)


def _texts(row: Fields) -> Fields:
    """Give question, answer, contexts and reference under our names."""
    asked, answered, retrieved, expected = (
        next((row[x] for x in names if row.get(x) is not None), None)
        for names in (_ASKED, _ANSWERED, _RETRIEVED, _EXPECTED)
    )
    contexts = [x for x in map(text_of, entries_of(retrieved)) if x]
    turns = to_turns(_roles(asked)) if isinstance(asked, list) else ""
    wanted = entries_of(expected)
    found = {
        "messages": turns if isinstance(turns, list) else None,
        "input": None if isinstance(turns, list) else text_of(asked),
        "context": contexts,
        "sources": [{"id": f"{n}", "text": x} for n, x in enumerate(contexts, 1)],
        "expected": wanted[0] if len(wanted) == 1 else expected,
    }
    return kept(found) | kept({"response": text_of(answered)})


def _roles(turns: Json) -> Json:
    """Name the roles of a conversation, which stand in `type`."""
    return [{"role": x.get("type"), **x} if isinstance(x, dict) else x for x in entries_of(turns)]


def _annotation(row: Fields, line: int, *, metric: str, run: str, number: int) -> Incoming:
    given = fields_of(row.get("metric_input"))
    prompts = [fields_of(x) for x in fields_of(row.get("prompts")).values()]
    judged = next((x for x in prompts if "verdict" in fields_of(x.get("prompt_output"))), {})
    output, edited = fields_of(judged.get("prompt_output")), fields_of(judged.get("edited_output"))
    value = output.get("verdict") if edited else row.get("metric_output")
    score = scored(metric, _value(value), scorer="ragas", reasoning=text_of(output.get("reason")))
    accepted = row.get("is_accepted")
    labels: list[Fields] = []
    if edited.get("verdict") is not None or (accepted is True and score["value"] is not None):
        chosen = edited.get("verdict") if edited else score["value"]
        said = text_of(edited.get("reason"))
        labels = [
            {"metric": metric, "labeler": _PERSON, "value": chosen} | kept({"comment": said})
        ]
    meta = {
        "is_accepted": accepted if isinstance(accepted, bool) else None,
        "prompts": prompts if len(prompts) > 1 else None,
        "input": {key: x for key, x in given.items() if key not in _TEXTS},
        "reference_contexts": given.get("reference_contexts"),
    }
    fields = {"id": f"{number}", "run": run, "scores": [score], "labels": labels,
              "meta": kept(meta)}  # fmt: skip
    return checked(kept(fields) | _texts(given), line)


def _value(value: Any) -> Json:  # noqa: ANN401 - a JSON value is anything
    return value if isinstance(value, bool | str) else number_of(value)


def _result(row: Fields, line: int, *, number: int) -> Incoming:
    rest = {key: x for key, x in row.items() if key not in _TEXTS and key != "id"}
    metrics = [key for key, x in rest.items() if _is_metric(key)
               or (number_of(x) is not None and _may_be_metric(key))]  # fmt: skip
    fields = {
        "id": text_of(row.get("id")) or f"{number}",
        "scores": [scored(name, number_of(rest.pop(name)), scorer="ragas") for name in metrics],
        "meta": kept(rest | {"reference_contexts": row.get("reference_contexts")}),
    }
    return checked(kept(fields) | _texts(row), line)


@lru_cache(maxsize=256)
def _is_metric(name: str) -> bool:
    return of_ragas(Column(name))


@lru_cache(maxsize=256)
def _may_be_metric(name: str) -> bool:
    """Tell whether a name could be that of somebody's own metric for the tool."""
    column = Column(name)
    is_person_s = told(column) in (PEOPLE, MEAN) or likely(column) in (PEOPLE, MEAN)
    return name not in _BESIDE and not is_person_s and not is_bookkeeping(column)


def _declared(source: Source, sniffed: Sniffed) -> Sequence[Metric]:
    """Give the metrics of verdicts, which are yes or no."""
    others: dict[str, bool] = {}
    for item in json_text.elements(source, "*") if sniffed.shape == "object" else ():
        if not isinstance(item, BadRow) and item.key:
            verdict = fields_of(item.value).get("metric_output")
            others[item.key] = others.get(item.key, False) or verdict not in (0, 1, None)
    return [Metric(name=name, scale="binary") for name, other in others.items() if not other]


def _recognise(look: Look) -> str | None:
    if look.shape == "object":
        lists = [x for x in look.top.values() if isinstance(x, list) and x]
        fits = bool(lists) and len(lists) == len(look.top) and all(map(_is_annotated, lists))
        return "a JSON object with annotations of Ragas" if fits else None
    rows = [row for row in look.rows if isinstance(row, dict)]
    fits = bool(rows) and len(rows) == len(look.rows) and all(map(_is_result, rows))
    fits = fits and all(_is_the_tool_s(name, rows) for name in {x for row in rows for x in row})
    return f"{look.words} with results of Ragas" if fits else None


def _is_annotated(rows: list[Json]) -> bool:
    objects = [x for x in rows if isinstance(x, dict)]
    return bool(objects) and all({"metric_input", "metric_output"} <= x.keys() for x in objects)


def _is_result(row: Fields) -> bool:
    if not any(map(_is_metric, row)):
        return False
    asked = row.get("user_input")
    if isinstance(asked, list) and asked and all(isinstance(x, dict) for x in asked):
        return True
    return any(
        {asked, answered} <= row.keys()
        and isinstance(row[asked], str | list)
        and isinstance(row[answered], str | list | None)
        for asked, answered in zip(_ASKED, _ANSWERED, strict=True)
    )


def _is_the_tool_s(name: str, rows: Sequence[Fields]) -> bool:
    """Tell whether a column is a text or a metric as the tool writes it, in all first rows."""
    if name in _TEXTS or name in _BESIDE:
        return True
    values = [row[name] for row in rows if row.get(name) is not None]
    if _is_metric(name):
        return all(isinstance(x, NUMBERS) and not isinstance(x, bool) for x in values)
    shares = [x for x in values if isinstance(x, float) and not (x < 0 or x > 1)]
    return bool(values) and len(shares) == len(values) and _may_be_metric(name)


FORMAT = Format(
    name="ragas",
    title="Ragas annotations and results",
    suffixes=(".json", ".jsonl"),
    recognised_by="lists of metric_input and metric_output, or user_input with its metrics",
    shapes=frozenset({"object", "list", "lines", "rows"}),
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
