"""Argilla: records of version 2, feedback records of version 1, and its older text classification.

Fields are the texts, responses the labels of their users, suggestions the auto scores of their
agents (labels where a person suggested). A rating is a number, a label or a ranking a category,
several labels one text, spans the names of what was marked; prose is the comment of the user's
first label. A discarded response is a skip, a draft stays in `meta`, like metadata, external ids
and what the reader has no field for; vectors are left out.

Read from the models and writers of argilla 2.8 (`Record.to_dict`, nested and flattened, and the
server's responses with `values`) and, for version 1 and its data sets, from its documentation. No
file of the tool itself was at hand.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from reviewer.formats import json_text
from reviewer.formats.annotations import (
    answer,
    filled,
    is_remark,
    joined,
    labeler_of,
    number_of,
    objects,
    placed,
    remarks_among,
    time_of,
)
from reviewer.formats.cells import excerpt_of
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping as ColumnMapping
from reviewer.formats.paths import as_text
from reviewer.formats.record import checked

_FIRST_RECORDS = 200
_FLAT = (".responses", ".responses.users", ".responses.status", ".suggestion",
         ".suggestion.agent", ".suggestion.score")  # fmt: skip
_KNOWN = frozenset({"id", "fields", "metadata", "responses", "suggestions", "vectors"})
_CLASSIC = frozenset({"prediction", "annotation", "annotation_agent", "status"})


class _Response(NamedTuple):
    """What one user answered to one question."""

    question: str
    value: Any
    user: object
    status: str = "submitted"
    at: str | None = None


def _responses(record: Mapping[str, Any]) -> Iterator[_Response]:
    """Give the responses of a record, whichever way they stand."""
    held = record.get("responses")
    if isinstance(held, dict):
        for question, given in held.items():
            for one in objects(given):
                yield _response(question, one, one.get("value"))
    for one in objects(held):
        values = one.get("values")
        if isinstance(values, dict):
            for question, given in values.items():
                inner = given.get("value") if isinstance(given, dict) else given
                yield _response(question, one, inner)
        elif one.get("status") == "discarded":
            yield _response("", one, None)
        elif one.get("question_name"):
            yield _response(as_text(one["question_name"]), one, one.get("value"))


def _response(question: str, one: Mapping[str, Any], value: object) -> _Response:
    status = as_text(one.get("status")) or "submitted"
    at = time_of(one.get("updated_at"), one.get("inserted_at"))
    return _Response(question, value, one.get("user_id") or one.get("user"), status, at)


def _suggestions(record: Mapping[str, Any]) -> list[Fields]:
    held = record.get("suggestions")
    if isinstance(held, dict):
        return [{**x, "question_name": name} for name, x in held.items() if isinstance(x, dict)]
    return objects(held)


def _said(value: object) -> int | float | str | None:
    """Give what an answer says: a number or a text, several names as one."""
    if isinstance(value, int | float) or value is None:
        return number_of(value)
    if not isinstance(value, list):
        return as_text(value).strip() or None
    ranked = [x for x in objects(value) if "rank" in x]
    if ranked:
        return _ranking(ranked)
    return joined(x.get("label", x) if isinstance(x, dict) else x for x in value) or None


def _ranking(ranked: list[Fields]) -> str:
    places: dict[float, list[str]] = {}
    for one in ranked:
        place = number_of(one.get("rank"))
        if place is not None:
            places.setdefault(place, []).append(as_text(one.get("value")))
    return " > ".join(" = ".join(sorted(places[place])) for place in sorted(places))


def _record(row: Fields, prose: frozenset[str]) -> Fields:
    texts = row["fields"] if isinstance(row.get("fields"), dict) else {}
    fields, rest = placed(texts)
    labels, marks, drafts = _labelled(row, prose)
    scores: list[Fields] = []
    for suggestion in _suggestions(row):
        metric, value = as_text(suggestion.get("question_name")), _said(suggestion.get("value"))
        if not metric or value is None:
            continue
        if suggestion.get("type") == "human":
            labels.append(answer(metric, labeler_of(suggestion.get("agent"), 1), value))
        elif not (isinstance(value, str) and (metric in prose or is_remark(value))):
            scores.append(_score(metric, value, suggestion))
        else:
            rest.setdefault("suggestions", []).append(suggestion)
    others = {key: x for key, x in row.items() if key not in _KNOWN}
    metadata = row.get("metadata")
    meta = {**rest, **(metadata if isinstance(metadata, dict) else {}), **others, "drafts": drafts}
    own_id = next((row[x] for x in ("id", "external_id", "_server_id") if row.get(x)), None)
    entries = {"scores": scores, "labels": labels, "marks": marks, "meta": filled(meta)}
    return {"id": own_id, **fields, **filled(entries)}


def _labelled(row: Fields, prose: frozenset[str]) -> tuple[list[Fields], list[Fields], list[Any]]:
    """Give labels, skips and drafts; what a user wrote goes with their first label."""
    by_user: dict[str, list[Fields]] = {}
    remarks: dict[str, list[str]] = {}
    marks: list[Fields] = []
    drafts: list[Any] = []
    users: dict[str, int] = {}
    for one in _responses(row):
        known = as_text(one.user)
        number = users.setdefault(known, len(users) + 1) if known else len(users) + 1
        labeler = labeler_of(None if known == "None" else one.user, number)
        value = _said(one.value)
        if one.status == "discarded":
            skip = {"kind": "skip", "labeler": labeler, **filled({"at": one.at})}
            marks += [] if skip in marks else [skip]
        if one.status != "submitted":
            drafts += [] if value is None else [one._asdict() | {"value": one.value}]
        elif isinstance(value, str) and (one.question in prose or is_remark(value)):
            remarks.setdefault(labeler, []).append(value)
        elif value is not None:
            told = answer(one.question, labeler, value, at=one.at)
            by_user.setdefault(labeler, []).append(told)
    for labeler, texts in remarks.items():
        own = by_user.get(labeler)
        if own is None:
            drafts.append({"user": labeler, "written": texts})
        else:
            own[0]["comment"] = "\n\n".join(filter(None, (own[0].get("comment"), *texts)))
    return [x for own in by_user.values() for x in own], marks, drafts


def _score(metric: str, value: float | str, suggestion: Fields) -> Fields:
    sure = suggestion.get("score")
    is_share = isinstance(sure, int | float) and 0 <= sure <= 1
    return {
        "metric": metric,
        "value": value,
        "scorer": as_text(suggestion.get("agent")) or "suggestion",
        **filled({"confidence": sure if is_share else None,
                  "meta": filled({"score": None if is_share else sure})}),
    }  # fmt: skip


def _nested(row: Fields) -> Fields | None:
    """Give a record in the nested form of version 2; None where it is of no version."""
    if isinstance(row.get("fields"), dict) and row.keys() & {"responses", "suggestions"}:
        return row
    if row.keys() >= _CLASSIC and row.keys() & {"text", "inputs"}:
        return _of_classic(row)
    if any(key.endswith((".responses.users", ".suggestion.agent")) for key in row):
        return _of_flat(row)
    if any(_is_answered(value) for value in row.values()):
        return _of_columns(row)
    return None


def _is_answered(value: object) -> bool:
    """Tell whether a column holds responses, as version 1 wrote them into data sets."""
    answers = objects(value)
    return bool(answers) and all(one.keys() >= {"user_id", "value", "status"} for one in answers)


def _of_columns(row: Fields) -> Fields:
    responses = {name: value for name, value in row.items() if _is_answered(value)}
    suggestions: Fields = {}
    used = set(responses)
    for name in responses:
        told, about = f"{name}-suggestion", f"{name}-suggestion-metadata"
        more = row.get(about)
        suggestions[name] = {**(more if isinstance(more, dict) else {}), "value": row.get(told)}
        used |= {told, about}
    known = {"external_id", "metadata", "id"}
    kept = {key: x for key, x in row.items() if key in known}
    texts = {key: x for key, x in row.items() if key not in used | known}
    return {**kept, "fields": texts, "responses": responses, "suggestions": suggestions}


def _of_classic(row: Fields) -> Fields:
    inputs = row.get("inputs")
    fields = inputs if isinstance(inputs, dict) else {"text": row.get("text") or inputs}
    agent = row.get("annotation_agent")
    told = row.get("annotation")
    is_discarded = as_text(row.get("status")).lower() == "discarded"
    response = {"user_id": agent, "value": told,
                "status": "discarded" if is_discarded else "submitted"}  # fmt: skip
    best = row.get("prediction")
    first = best[0] if isinstance(best, list) and best else None
    found = {"question_name": "label", "agent": row.get("prediction_agent")}
    if isinstance(first, list | tuple) and len(first) == 2:
        found |= {"value": first[0], "score": first[1]}
    elif isinstance(first, dict):
        found |= {"value": first.get("label"), "score": first.get("score")}
    has_answer = told not in (None, [], "") or is_discarded
    rest = {key: x for key, x in row.items()
            if key not in {"text", "inputs", "annotation", "annotation_agent",
                           "prediction_agent"}}  # fmt: skip
    return {
        **rest,
        "fields": fields,
        "responses": {"label": [response]} if has_answer else {},
        "suggestions": [found] if "value" in found else [],
    }


def _of_flat(row: Fields) -> Fields:
    """Bring `question.responses`, `question.suggestion` and the like into the nested form."""
    responses: Fields = {}
    suggestions: Fields = {}
    ends = (".responses.users", ".suggestion.agent")
    names = dict.fromkeys(
        key.removesuffix(end) for key in row for end in ends if key.endswith(end)
    )
    for name in names:
        values, users, states = (_listed(row.get(name + end)) for end in _FLAT[:3])
        responses[name] = [
            {
                "value": value,
                "user_id": users[number] if number < len(users) else None,
                "status": states[number] if number < len(states) else None,
            }
            for number, value in enumerate(values)
        ]
        suggestions[name] = dict(
            zip(
                ("value", "agent", "score"),
                (row.get(name + end) for end in _FLAT[3:]),
                strict=True,
            )
        )
    used = {name + end for name in names for end in _FLAT}
    known = {"id", "_server_id", "status", "external_id"}
    texts = {key: x for key, x in row.items() if key not in used | known}
    kept = {key: x for key, x in row.items() if key in known}
    return {**kept, "fields": texts, "responses": responses, "suggestions": suggestions}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _read(source: Source, sniffed: Sniffed, _mapping: ColumnMapping | None) -> Iterator[Incoming]:
    prose = _prose(source, sniffed)
    for item in json_text.items(source, sniffed.shape, sniffed.records):
        nested = _nested(item.value) if _is_object(item) else None
        if isinstance(item, BadRow):
            yield item
        elif nested is None:
            reason = "a record with fields, responses and suggestions is expected"
            yield BadRow(item.line, "", excerpt_of(as_text(item.value)), reason)
        else:
            yield checked(_record(nested, prose), item.line)


def _is_object(item: json_text.Item | BadRow) -> bool:
    return isinstance(item, json_text.Item) and isinstance(item.value, dict)


def _prose(source: Source, sniffed: Sniffed) -> frozenset[str]:
    """Tell which questions are answered in words, by the first records."""
    answers: dict[str, list[str]] = {}
    with source.again() as again:
        items = json_text.items(again, sniffed.shape, sniffed.records)
        for item in islice(items, _FIRST_RECORDS):
            nested = _nested(item.value) if _is_object(item) else None
            for one in _responses(nested or {}):
                if isinstance(one.value, str):
                    answers.setdefault(one.question, []).append(one.value)
    return remarks_among(answers)


def _recognise(look: Look) -> str | None:
    fits = bool(look.rows) and all(
        isinstance(row, dict) and _nested(row) is not None for row in look.rows
    )
    return f"{look.words} with fields, responses and suggestions of Argilla" if fits else None


FORMAT = Format(
    name="argilla",
    title="Argilla records",
    suffixes=(".json", ".jsonl"),
    recognised_by="JSON objects with fields, responses and suggestions, nested or flattened",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
)
