"""JUDGE-BENCH: `{"dataset", "annotations": [metrics], "instances": [...]}`, and its run files.

A metric declares its scale: `graded` from `worst` to `best`, `continuous`, or `categorical` with
its `labels_list`; its prompt is the metric's description. Each of `individual_human_scores` is a
label of the annotator at that place; the mean or majority of people is one only where these are
absent. In a run file a model's reply stands beside them under the model's name: its value is
looked for as the benchmark does, and one without a value is an error with the reply. The prompt,
filled in with the instance, is the input where the instance has none and there is one metric.

Read from two data sets of the benchmark, its example, and the source of its scripts; no run file
was at hand. The sets that compare two answers are read like the others, by their labels.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Level, Metric
from reviewer.formats import json_text
from reviewer.formats.annotations import filled, labeler_of, number_of, objects, placed
from reviewer.formats.cells import excerpt_of
from reviewer.formats.format import Format, Look, Shape, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping as ColumnMapping
from reviewer.formats.paths import as_text, find
from reviewer.formats.record import checked
from reviewer.formats.turns import split_dialog

_INSTANCES = "instances"
_PEOPLE = frozenset({"mean_human", "majority_human", "individual_human_scores"})
_MOST_LEVELS = 100
_LONGEST_PREFIX = 20
_USER = "USER: "
_LINE = re.compile(r"^([A-Z][A-Z0-9_ ]*: )", re.MULTILINE)
_PLACE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
_NUMBER = re.compile(r"(?<![\d.])[-+]?\d*\.?\d+")
_CONCLUSION = r"(?i)therefore, {} is correct\."


class _Stated(NamedTuple):
    """What a file says before its instances: its metrics by name, and who people are."""

    metrics: Mapping[str, Fields]
    people: str
    dataset: str


def _stated(source: Source) -> _Stated:
    with source.again() as again:
        told = json_text.beside(again, _INSTANCES, "annotations")
    metrics = {
        as_text(x["metric"]): x for x in objects(told.get("annotations")) if x.get("metric")
    }
    is_expert = as_text(told.get("expert_annotator")).lower() == "true"
    return _Stated(metrics, "expert" if is_expert else "annotator", as_text(told.get("dataset")))


def _metric(stated: Fields) -> Metric | None:
    """Give a metric as the file declares it, None where the declaration is of no scale."""
    common: dict[str, Any] = {
        "name": as_text(stated["metric"]),
        "description": _description(as_text(stated.get("prompt"))),
    }
    names = stated.get("labels_list")
    if stated.get("category") == "categorical" and isinstance(names, list) and len(names) > 1:
        return Metric(**common, scale="categorical", values=tuple(map(as_text, names)))
    worst, best = number_of(stated.get("worst")), number_of(stated.get("best"))
    if worst is None or best is None or worst == best:
        return None
    common["higher_is_better"] = worst < best
    low, high = sorted((worst, best))
    steps = high - low
    is_whole = all(float(x).is_integer() for x in (low, high))
    if stated.get("category") == "graded" and is_whole and steps <= _MOST_LEVELS:
        levels = tuple(Level(value=value) for value in range(int(low), int(high) + 1))
        return Metric(**common, levels=levels)
    return Metric(**common, scale="range", min=float(low), max=float(high))


def _description(prompt: str) -> str:
    """Give what a prompt asks, without the lines that only show the instance."""
    lines = (_PLACE.sub("…", line) for line in prompt.strip().splitlines())
    asked = [line.strip() for line in lines if len(line) > _LONGEST_PREFIX or "…" not in line]
    return "\n".join(asked).strip()


def _declared(source: Source, _sniffed: Sniffed) -> Sequence[Metric]:
    found = (_metric(one) for one in _stated(source).metrics.values())
    return [metric for metric in found if metric is not None]


def _read(source: Source, _sniffed: Sniffed, _mapping: ColumnMapping | None) -> Iterator[Incoming]:
    stated = _stated(source)
    for item in json_text.elements(source, _INSTANCES):
        if isinstance(item, BadRow):
            yield item
        elif not _is_instance(item.value):
            reason = "an object with id, instance and annotations is expected"
            yield BadRow(item.line, "", excerpt_of(as_text(item.value)), reason)
        else:
            yield checked(_record(item.value, stated), item.line)


def _is_instance(row: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    return isinstance(row, dict) and "instance" in row and isinstance(row.get("annotations"), dict)


def _record(row: Fields, stated: _Stated) -> Fields:
    shown = row["instance"]
    fields, rest = placed(shown if isinstance(shown, dict) else {"instance": shown})
    turns = _talk(fields.get("input", ""))
    if turns:
        fields = {"messages": turns, **{key: x for key, x in fields.items() if key != "input"}}
    if "input" not in fields and "messages" not in fields and len(stated.metrics) == 1:
        prompt = as_text(next(iter(stated.metrics.values())).get("prompt"))
        if prompt:
            fields["input"] = _filled_in(prompt, shown)
    labels: list[Fields] = []
    scores: list[Fields] = []
    for metric, given in row["annotations"].items():
        if isinstance(given, dict):
            labels += _labels(metric, given, stated)
            models = {name: reply for name, reply in given.items() if name not in _PEOPLE}
            scores += [_score(metric, name, x, stated) for name, x in models.items()]
    others = {key: x for key, x in row.items() if key not in ("id", "instance", "annotations")}
    meta = filled({**rest, **others, "dataset": stated.dataset})
    entries = {"scores": scores, "labels": labels, "meta": meta}
    return {"id": row.get("id"), **fields, **filled(entries)}


def _talk(text: str) -> list[Fields]:
    """Cut what led to a response into turns, where its lines name USER and one other."""
    prefixes = list(dict.fromkeys(_LINE.findall(text)))
    others = [prefix for prefix in prefixes if prefix != "USER: "]
    if len(prefixes) != 2 or len(others) != 1:
        return []
    turns = split_dialog(text, {"user": "USER: ", "assistant": others[0]})
    return turns if isinstance(turns, list) else []


def _filled_in(prompt: str, shown: object) -> str:
    """Fill the instance into a prompt; what is no plain name in it stays as it is."""
    values = shown if isinstance(shown, dict) else {"instance": shown}

    def value_of(match: re.Match[str]) -> str:
        found = find(values, match[1])
        return match[0] if found is None else as_text(found)

    return _PLACE.sub(value_of, prompt)


def _labels(metric: str, given: Fields, stated: _Stated) -> list[Fields]:
    singles = given.get("individual_human_scores")
    if isinstance(singles, list) and any(one is not None for one in singles):
        values = (_value(one, metric, stated) for one in singles)
        return [
            {"metric": metric, "labeler": labeler_of(None, number, stated.people), "value": value}
            for number, value in enumerate(values, start=1)
            if value is not None
        ]
    for name in ("mean_human", "majority_human"):
        value = _value(given.get(name), metric, stated)
        if value is not None:
            # of how many people it is does not stand there; one keeps it out of their agreement
            who = name.replace("_human", " of people")
            return [{"metric": metric, "labeler": who, "value": value, "aggregate": 1}]
    return []


def _value(given: object, metric: str, stated: _Stated) -> Value | None:
    """Give a value as its scale has it: a number, or the category as it is declared."""
    names = stated.metrics.get(metric, {}).get("labels_list")
    if isinstance(names, list):
        said = as_text(given).strip()
        same = (as_text(x) for x in names if as_text(x).lower() == said.lower())
        return next(same, said) or None
    number = number_of(given)
    if number is not None:
        return number
    return as_text(given).strip() or None


def _score(metric: str, model: str, reply: object, stated: _Stated) -> Fields:
    score: Fields = {"metric": metric, "scorer": model, "model": model}
    value = reply if isinstance(reply, int | float) else _found(as_text(reply), metric, stated)
    if value is None:
        error = "No value of the scale was found in the reply."
        return score | {"value": None, "error": error, **filled({"raw": as_text(reply)})}
    score["value"] = value
    if isinstance(reply, str) and reply.strip() != as_text(value):
        score |= {"raw": reply, "reasoning": reply}
    return score


def _found(reply: str, metric: str, stated: _Stated) -> Value | None:
    """Find a value in a model's reply: in its conclusion, else the first that is on the scale."""
    known = stated.metrics.get(metric, {})
    names = known.get("labels_list")
    words = [as_text(x) for x in names] if isinstance(names, list) else []
    plain = reply.replace("**", "")
    for word in words:
        if re.search(_CONCLUSION.format(re.escape(word)), plain):
            return word
    for word in words:
        if re.search(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", plain):
            return word
    if words:
        return None
    ends = sorted(
        x for x in map(number_of, (known.get("worst"), known.get("best"))) if x is not None
    )
    concluded = re.search(_CONCLUSION.format(r"([-+]?[\d.]+)"), plain)
    texts = [concluded[1]] if concluded else _NUMBER.findall(plain)
    numbers = (number_of(x.rstrip(".")) for x in texts)
    fitting = (x for x in numbers if x is not None and (not ends or ends[0] <= x <= ends[-1]))
    return next(fitting, None)


def _recognise(look: Look) -> str | None:
    metrics, instances = (look.top.get(key) for key in ("annotations", _INSTANCES))
    is_stated = any("metric" in x for x in objects(metrics))
    fits = is_stated and isinstance(instances, list) and any(map(_is_instance, instances))
    return "a JSON object with annotations that declare metrics, and instances" if fits else None


_SHAPES: frozenset[Shape] = frozenset({"object"})

FORMAT = Format(
    name="judge-bench",
    title="JUDGE-BENCH data sets",
    suffixes=(".json",),
    recognised_by="a JSON object whose annotations declare metrics and whose instances have them",
    shapes=_SHAPES,
    recognise=_recognise,
    read=_read,
    declared=_declared,
)
