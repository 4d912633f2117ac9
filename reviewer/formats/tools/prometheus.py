"""Prometheus and its likes: answers judged by a rubric of their own, from 1 to 5.

- The benchmark's `*_eval.json`: the judge's whole prompt under `instruction`, cut into question,
  answer, reference and rubric; several scores of one judge with their feedback, each a version of
  the judge (`reply 1`, `reply 2`);
- Feedback Collection and Preference Collection: the parts under `orig_…`, score or preferred
  answer, feedback.

The rubric of an answer (what is asked and what each score means) is its context, since every
answer may have another one. The scores of these sets were given by GPT-4 and are auto scores.
Read from a real file of the benchmark and, for the collections, from their description.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from reviewer.domain.rubric import Level, Metric
from reviewer.formats import json_text
from reviewer.formats.annotations import filled, number_of
from reviewer.formats.cells import excerpt_of
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import as_text
from reviewer.formats.record import checked
from reviewer.formats.tools.comparisons import candidates, choice

SCORE: Final = "score"
_JUDGE = "gpt-4"
_LEVELS = range(1, 6)
_SECTION = re.compile(r"^###\s*([^\n:]+):[^\S\n]*\n?", re.MULTILINE)
_PARTS = {
    "input": "instruction to evaluate",
    "response": "response to evaluate",
    "expected": "reference answer",
    "context": "score rubric",
}
_RESULT = re.compile(r"\[RESULT\]\s*([1-5AB])")


def _cut(prompt: str) -> Fields:
    """Cut a judge's prompt into its parts."""
    pieces = _SECTION.split(prompt)
    named = list(zip(pieces[1::2], pieces[2::2], strict=False))
    found: Fields = {}
    for field, name in _PARTS.items():
        texts = [text for title, text in named if name in title.lower()]
        found |= filled({field: texts[0].strip() if texts else ""})
    return found


def _judge_of(row: Fields) -> str | None:
    """Find the judge whose scores stand in lists, such as gpt4 of `gpt4_score`."""
    return next((x for x in row if x.endswith("_score") and isinstance(row[x], list)), None)


def _judged(row: Fields, place: int) -> Fields:
    column = _judge_of(row) or ""
    stem = column.removesuffix("_score")
    judge = _JUDGE if stem == "gpt4" else stem
    feedback = row.get(f"{stem}_feedback")
    said = feedback if isinstance(feedback, list) else [feedback]
    scores = [
        _score(
            value, judge, as_text(said[place]) if place < len(said) else "", f"reply {place + 1}"
        )
        for place, value in enumerate(row[column])
    ]
    model = as_text(row.get("response_source") or row.get("model"))
    case = as_text(row.get("idx")) or f"{place}"
    known = {"idx", "response_source", "model", "category", "instruction", column,
             f"{stem}_feedback"}  # fmt: skip
    meta = {key: x for key, x in row.items() if key not in known}
    parts = _cut(as_text(row.get("instruction")))
    return {
        "id": "|".join(filter(None, (case, model))),
        "case": case,
        **(parts or {"input": as_text(row.get("instruction"))}),
        **filled({"category": row.get("category"), "model": model, "scores": scores,
                  "meta": filled(meta)}),
    }  # fmt: skip


def _score(value: object, judge: str, feedback: str, version: str = "") -> Fields:
    number = number_of(value)
    score: Fields = {"metric": SCORE, "value": number, "scorer": judge,
                     **filled({"scorer_version": version, "reasoning": feedback})}  # fmt: skip
    return score if number is not None else score | {"error": "The judge's reply holds no score."}


def _collected(row: Fields, number: int) -> Fields:
    criteria = as_text(row.get("orig_criteria"))
    levels = [
        f"Score {level}: {text}"
        for level in _LEVELS
        if (text := as_text(row.get(f"orig_score{level}_description")))
    ]
    names = ("instruction", "response", "criteria", "reference_answer", "feedback", "score",
             "response_A", "response_B", "preference")  # fmt: skip
    known = {"instruction", "input", "output", *(f"orig_{name}" for name in names),
             *(f"orig_score{level}_description" for level in _LEVELS)}  # fmt: skip
    fields: Fields = {
        "id": f"{number}",
        "input": as_text(row.get("orig_instruction")),
        **filled({
            "expected": as_text(row.get("orig_reference_answer")),
            "context": "\n".join(filter(None, (criteria, *levels))),
            "meta": {key: x for key, x in row.items() if key not in known},
        }),
    }  # fmt: skip
    feedback = as_text(row.get("orig_feedback") or row.get("output"))
    ending = _RESULT.search(as_text(row.get("output")))
    result = ending[1] if ending else None
    if "orig_response_A" in row:
        chosen = as_text(row.get("orig_preference")) or result
        fields["candidates"] = candidates(
            ("A", row["orig_response_A"], None), ("B", row.get("orig_response_B"), None)
        )
        fields["scores"] = [
            choice(_JUDGE, chosen if chosen in ("A", "B") else None, reasoning=feedback)
        ]
    else:
        told = row.get("orig_score")
        fields["response"] = as_text(row.get("orig_response"))
        fields["scores"] = [_score(result if told is None else told, _JUDGE, feedback)]
    return fields


def _maker(row: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    if not isinstance(row, dict):
        return None
    if "orig_instruction" in row and row.keys() & {"orig_response", "orig_response_A"}:
        return _collected
    is_judged = "###" in as_text(row.get("instruction")) and _judge_of(row) is not None
    return _judged if is_judged else None


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    items = json_text.items(source, sniffed.shape, sniffed.records)
    for number, item in enumerate(items, start=1):
        if isinstance(item, BadRow):
            yield item
            continue
        make = _maker(item.value)
        if make is None:
            reason = "a judge's prompt with its scores, or parts under orig_…, is expected"
            yield BadRow(item.line, "", excerpt_of(as_text(item.value)), reason)
        else:
            yield checked(make(item.value, number), item.line)


def _declared(_source: Source, _sniffed: Sniffed) -> Sequence[Metric]:
    levels = tuple(Level(value=value) for value in _LEVELS)
    description = "How well the answer meets its own rubric, which stands in its context."
    return [Metric(name=SCORE, description=description, levels=levels)]


def _recognise(look: Look) -> str | None:
    fits = bool(look.rows) and all(_maker(row) is not None for row in look.rows)
    return f"{look.words} with prompts, scores and rubrics of Prometheus" if fits else None


FORMAT = Format(
    name="prometheus",
    title="Prometheus answers with rubrics",
    suffixes=(".json", ".jsonl"),
    recognised_by="JSON objects with a judge's prompt (###) and lists of scores, or orig_… parts",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
