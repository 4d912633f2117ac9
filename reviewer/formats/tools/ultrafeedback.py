"""UltraFeedback: instructions with several models' answers, each rated by GPT-4.

An answer is an evaluation, its model the run and its instruction the case. Ratings from 1 to 5 are
auto scores of their aspect with their rationale, the overall score from 1 to 10 one with the
critique as its reasoning; what could not be rated ("N/A") says so as its error. Written after the
description of the published set, whose columns the reader's tests repeat.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from reviewer.domain.rubric import Level, Metric
from reviewer.formats import json_text
from reviewer.formats.annotations import filled, number_of, objects
from reviewer.formats.cells import excerpt_of
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import as_text
from reviewer.formats.record import checked

_JUDGE: Final = "gpt-4"
_ASPECTS: Final = ("helpfulness", "honesty", "instruction_following", "truthfulness")
_OVERALL: Final = "overall"
_REASONS: Final = ("Rationale For Rating", "Rationale")
_USED: Final = frozenset({"instruction", "completions", "models", "source"})
_OF_ANSWER: Final = frozenset(
    {"annotations", "critique", "custom_system_prompt", "model", "overall_score", "response"}
)


def _answers(row: Fields, number: int) -> Iterator[Fields]:
    asked = as_text(row.get("instruction"))
    beside = {key: x for key, x in row.items() if key not in _USED and x != ["None"]}
    for place, one in enumerate(objects(row.get("completions")), start=1):
        model = as_text(one.get("model"))
        told = one.get("custom_system_prompt")
        turns = [{"role": "system", "content": as_text(told)}] if told else []
        turns += [{"role": "user", "content": asked},
                  {"role": "assistant", "content": as_text(one.get("response"))}]  # fmt: skip
        rest = {key: x for key, x in one.items() if key not in _OF_ANSWER}
        yield {
            "id": f"{number}|{model or place}",
            "case": f"{number}",
            **filled({"run": model, "model": model, "category": as_text(row.get("source"))}),
            "messages": turns,
            **filled({"scores": list(_scores(one)), "meta": filled(beside | rest)}),
        }


def _scores(one: Fields) -> Iterator[Fields]:
    told = one.get("annotations")
    for aspect, given in told.items() if isinstance(told, dict) else ():
        if not isinstance(given, dict):
            continue
        said = [as_text(given[x]) for x in _REASONS if given.get(x)]
        kept = {"type": given.get("Type"), "rationale": said[1] if said[1:] else ""}
        yield _score(aspect, given.get("Rating"), said[0] if said else "", filled(kept))
    overall = one.get("overall_score")
    if overall is not None:
        yield _score(_OVERALL, overall, as_text(one.get("critique")), {})


def _score(metric: str, rating: object, reasoning: str, meta: Fields) -> Fields:
    value = number_of(rating)
    score: Fields = {"metric": metric, "value": value, "scorer": _JUDGE,
                     **filled({"reasoning": reasoning, "meta": meta})}  # fmt: skip
    return score if value is not None else score | {"error": as_text(rating) or "no rating"}


def _is_one(row: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    if not isinstance(row, dict) or not {"instruction", "completions"} <= row.keys():
        return False
    held = row["completions"]
    return isinstance(held, list) and all(
        isinstance(x, dict) and {"response", "annotations"} <= x.keys() for x in held
    )


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    items = json_text.items(source, sniffed.shape, sniffed.records)
    for number, item in enumerate(items, start=1):
        if isinstance(item, BadRow):
            yield item
        elif not _is_one(item.value):
            reason = "an instruction with completions, each with annotations, is expected"
            yield BadRow(item.line, "", excerpt_of(as_text(item.value)), reason)
        else:
            for fields in _answers(item.value, number):
                yield checked(fields, item.line)


def _declared(_source: Source, _sniffed: Sniffed) -> Sequence[Metric]:
    levels = tuple(Level(value=value) for value in range(1, 6))
    overall = Metric(name=_OVERALL, scale="range", min=1.0, max=10.0)
    return [*(Metric(name=name, levels=levels) for name in _ASPECTS), overall]


def _recognise(look: Look) -> str | None:
    fits = any(isinstance(x, dict) and x.get("completions") for x in look.rows)
    fits = fits and all(map(_is_one, look.rows))
    return f"{look.words} with instructions and completions of UltraFeedback" if fits else None


FORMAT = Format(
    name="ultrafeedback",
    title="UltraFeedback answers with ratings",
    suffixes=(".jsonl", ".json"),
    recognised_by="JSON objects with instruction and completions that have annotations",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
