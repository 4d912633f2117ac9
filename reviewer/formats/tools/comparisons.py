"""Sets in which two answers are compared: AlpacaEval, LLMBar, PandaLM and JudgeBench.

An evaluation has two candidates; people's choices are labels and judges' choices auto scores of
`preference`, by the candidate's id or `tie`. A judge that saw the answers in the other order is a
version of its own, `swapped`, and its choice is told of the answers as they stand here. A reply
without a choice is an error. The answer that a set holds for right is the label of `gold`.

- AlpacaEval `annotations.json`: preference 1 to 2, of which 1.5 is a tie; between them the nearer
  one, with the number in the score's `meta`; the explanation or the judge's text as reasoning;
- LLMBar `dataset.json` and `result.json`, both orders;
- PandaLM test sets: three annotators, 0 a tie; results of PandaLM and of a judge beside them;
- JudgeBench pairs and outputs: `A>B`, judgments in both orders, the second one to be turned round.

Read from real files of AlpacaEval and LLMBar, from PandaLM's test set and JudgeBench's outputs as
they are published, and PandaLM's results from their description alone.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from reviewer.formats import json_text
from reviewer.formats.annotations import answer, filled, labeler_of, number_of, objects
from reviewer.formats.cells import excerpt_of
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping as ColumnMapping
from reviewer.formats.paths import as_text
from reviewer.formats.record import checked

METRIC = "preference"
TIE = "tie"
SWAPPED = "swapped"
GOLD = "gold"
_OTHER = {"1": "2", "2": "1", "A": "B", "B": "A"}
NO_CHOICE = "The judge's reply holds no choice."

Make = Callable[[Fields, int], Fields]


def candidates(*answers: tuple[str, object, object]) -> list[Fields]:
    """Make the candidates of id, response and model."""
    return [
        {"id": name, "response": as_text(response), **filled({"model": as_text(model)})}
        for name, response, model in answers
    ]


def choice(judge: str, chosen: str | None, **given: object) -> Fields:
    """Make the auto score of a judge's choice; none is an error.

    Args:
        judge: Who chose.
        chosen: A candidate's id or `tie`.
        given: Other keys of the score; empty ones are left out.
    """
    score: Fields = {"metric": METRIC, "value": chosen, "scorer": judge, **filled(given)}
    return score if chosen is not None else score | {"error": NO_CHOICE}


def _without(row: Mapping[str, Any], *names: str) -> Fields:
    return filled({key: x for key, x in row.items() if key not in names})


def _alpaca(row: Fields, number: int) -> Fields:
    preferred = number_of(row.get("preference"))
    told = row.get("raw_completion")
    explanation = told.get("concise_explanation") if isinstance(told, dict) else told
    raw = None if told is None or isinstance(told, str) else as_text(told)
    seconds = number_of(row.get("time_per_example"))
    price = number_of(row.get("price_per_example"))
    chosen = None
    if preferred is not None and 1 <= preferred <= 2:
        chosen = TIE if preferred == 1.5 else ("1" if preferred < 1.5 else "2")
    score = choice(
        as_text(row.get("annotator")) or "judge",
        chosen,
        reasoning=as_text(explanation),
        raw=raw,
        cost_usd=price,
        latency_ms=None if seconds is None else seconds * 1000,
        meta={} if preferred in (1, 1.5, 2) else filled({"preference": row.get("preference")}),
    )
    models = [as_text(row.get(x)) for x in ("generator_2", "generator_1")]
    known = ("instruction", "output_1", "output_2", "generator_1", "generator_2", "annotator",
             "preference", "raw_completion", "price_per_example", "time_per_example",
             "dataset")  # fmt: skip
    return {
        "id": f"{number}",
        **filled({"run": " against ".join(filter(None, models)), "category": row.get("dataset")}),
        "input": as_text(row.get("instruction")),
        "candidates": candidates(
            ("1", row.get("output_1"), row.get("generator_1")),
            ("2", row.get("output_2"), row.get("generator_2")),
        ),
        "scores": [score],
        **filled({"meta": _without(row, *known)}),
    }


def _llmbar(row: Fields, number: int) -> Fields:
    scores = [
        score
        for told in objects(row.get("results"))
        for name, one in told.items()
        if isinstance(one, dict) and "winner" in one
        for score in [_order(name, one)]
    ]
    gold = as_text(row.get("label"))
    labels = [answer(METRIC, GOLD, gold)] if gold else []
    known = ("input", "output_1", "output_2", "label", "results")
    return {
        "id": f"{number}",
        "input": as_text(row.get("input")),
        "candidates": candidates(
            ("1", row.get("output_1"), None), ("2", row.get("output_2"), None)
        ),
        **filled({"scores": scores, "labels": labels, "meta": _without(row, *known)}),
    }


def _order(name: str, one: Fields) -> Fields:
    said = one.get("completion")
    reply = as_text(said[0]) if isinstance(said, list) and said else as_text(said)
    winner = as_text(one.get("winner"))
    version = SWAPPED if name.endswith("True") else ""
    return choice(
        "judge", winner if winner in _OTHER else None, scorer_version=version, reasoning=reply
    )


_PANDALM = {"0": TIE, "1": "1", "2": "2", "tie": TIE}


def _pandalm(row: Fields, number: int) -> Fields:
    first, _, second = as_text(row.get("cmp_key")).partition("_")
    people = [key for key in row if key.startswith("annotator")]
    labels = [
        answer(METRIC, labeler_of(key.removeprefix("annotator"), place), chosen)
        for place, key in enumerate(people, start=1)
        if (chosen := _PANDALM.get(as_text(row[key]).lower())) is not None
    ]
    judges = [key for key in row if key.endswith("_result")]
    scores = [
        choice(
            key.removesuffix("_result"),
            _PANDALM.get(as_text(row[key]).lower()),
            reasoning=as_text(row.get(key.replace("_result", "_reason"))),
            raw="" if as_text(row[key]).lower() in _PANDALM else as_text(row[key]),
        )
        for key in judges
    ]
    # an empty input came from a table in which it is no number
    asked = [x for x in (row.get("instruction"), row.get("input")) if isinstance(x, str) and x]
    used = {"idx", "cmp_key", "instruction", "input", "response1", "response2", *people, *judges,
            *(key.replace("_result", "_reason") for key in judges)}  # fmt: skip
    return {
        "id": as_text(row.get("idx")) or f"{number}",
        "input": "\n\n".join(asked),
        "candidates": candidates(
            ("1", row.get("response1"), first), ("2", row.get("response2"), second)
        ),
        **filled({"scores": scores, "labels": labels, "meta": _without(row, *used)}),
    }


def _judgebench(row: Fields, number: int) -> Fields:
    gold = _letter(row.get("label"))
    scores = []
    judged = row.get("judgments")
    for place, one in enumerate(judged if isinstance(judged, list) else ()):
        held = one.get("judgment") if isinstance(one, dict) else None
        told = held if isinstance(held, dict) else {}
        chosen = _letter(one.get("decision")) if isinstance(one, dict) else None
        scores.append(
            choice(
                as_text(told.get("judge_model")) or as_text(row.get("judge_name")) or "judge",
                _OTHER.get(chosen, chosen) if place % 2 and chosen else chosen,
                scorer_version=SWAPPED if place % 2 else "",
                reasoning=as_text(told.get("response")),
            )
        )
    model = row.get("response_model")
    known = ("pair_id", "source", "question", "response_A", "response_B", "label", "judgments",
             "response_model")  # fmt: skip
    return {
        "id": as_text(row.get("pair_id")) or f"{number}",
        **filled({"category": as_text(row.get("source"))}),
        "input": as_text(row.get("question")),
        "candidates": candidates(
            ("A", row.get("response_A"), model), ("B", row.get("response_B"), model)
        ),
        **filled({
            "scores": scores,
            "labels": [answer(METRIC, GOLD, gold)] if gold else [],
            "meta": _without(row, *known),
        }),
    }  # fmt: skip


def _letter(decision: object) -> str | None:
    """Give the answer of a decision such as `A>B`."""
    said = as_text(decision).replace(" ", "")
    if "=" in said:
        return TIE
    return next((x for x in ("A", "B") if said.startswith(f"{x}>")), None)


def _format(name: str, title: str, keys: tuple[str, ...], make: Make, *values: str) -> Format:
    """Declare a set whose rows have some keys and are made records by a function.

    Args:
        name: What `--format` takes.
        title: What people call it.
        keys: What its rows have.
        make: Makes a record of a row.
        values: What may stand under the last key, as a text, where the keys tell too little.
    """
    needed = frozenset(keys)
    named = ", ".join(keys)

    def recognise(look: Look) -> str | None:
        fits = bool(look.rows) and all(
            isinstance(row, dict)
            and row.keys() >= needed
            and (not values or as_text(row[keys[-1]]) in values)
            for row in look.rows
        )
        return f"{look.words} with {named}" if fits else None

    return Format(
        name=name,
        title=title,
        suffixes=(".json", ".jsonl"),
        recognised_by=f"JSON objects with {named}",
        shapes=ITEMS,
        recognise=recognise,
        read=partial(_read, make, keys),
    )


def _read(
    make: Make,
    keys: tuple[str, ...],
    source: Source,
    sniffed: Sniffed,
    _mapping: ColumnMapping | None,
) -> Iterator[Incoming]:
    items = json_text.items(source, sniffed.shape, sniffed.records)
    for number, item in enumerate(items, start=1):
        if isinstance(item, BadRow):
            yield item
        elif isinstance(item.value, dict) and item.value.keys() >= set(keys):
            yield checked(make(item.value, number), item.line)
        else:
            reason = f"an object with {', '.join(keys)} is expected"
            yield BadRow(item.line, "", excerpt_of(as_text(item.value)), reason)


ALPACA_EVAL = _format(
    "alpaca-eval",
    "AlpacaEval annotations",
    ("instruction", "output_1", "output_2", "preference"),
    _alpaca,
)
LLMBAR = _format(
    "llmbar",
    "LLMBar pairs and results",
    ("input", "output_1", "output_2", "label"),
    _llmbar,
    "1",
    "2",
)
PANDALM = _format(
    "pandalm",
    "PandaLM pairs",
    ("idx", "cmp_key", "instruction", "response1", "response2"),
    _pandalm,
)
JUDGEBENCH = _format(
    "judgebench",
    "JudgeBench pairs and judgments",
    ("pair_id", "question", "response_A", "response_B", "label"),
    _judgebench,
)
