"""Annotation tools' files: Label Studio tasks with their labelling interface, Argilla records.

What comes back of them: the conversation as one text with its reply apart, scores, and labels. Of
Label Studio's with labeler, comment and the time of each person's newest, under the tool's own
numbers as ids; Argilla's have numbers of a form that is required for people and no room for
comments and times.
"""

from collections.abc import Iterator, Mapping
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import quoteattr

from reviewer.domain.rubric import Metric
from reviewer.formats.writers.conversations import (
    answers_of,
    metadata_of,
    prompt_text,
    put_list,
    reply_of,
)
from reviewer.formats.writing import About, Fields, Rows, Writer

RATED = "response"
FIRST_RATING, LAST_RATING = 0, 10
"""What a rating of Argilla can be."""


def _choices(metric: Metric) -> tuple[str, ...]:
    """Give the answers of a metric as texts, none where any number will do."""
    if metric.kind.is_open or not metric.kind.is_answered:
        return ()
    if metric.kind.is_binary:
        return ("no", "yes")
    return tuple(_said(metric, x) for x in metric.kind.values)


def _said(metric: Metric, value: object) -> str:
    if metric.kind.is_binary:
        return "yes" if value in (True, 1) else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _result(metric: Metric, entry: Fields, number: int) -> Fields:
    result: Fields = {"id": f"{number}", "from_name": metric.name, "to_name": RATED}
    note = entry.get("comment") or entry.get("reasoning")
    if note:
        result["meta"] = {"text": [note]}
    choices = _choices(metric)
    if choices:
        said = _said(metric, entry["value"])
        return result | {"type": "choices", "value": {"choices": [said]}}
    return result | {"type": "number", "value": {"number": float(entry["value"])}}


def _fits(metric: Metric | None, entry: Fields) -> bool:
    if metric is None or entry.get("value") is None:
        return False
    choices = _choices(metric)
    if choices:
        return _said(metric, entry["value"]) in choices
    return not isinstance(entry["value"], str)


def _results(entries: list[Fields], about: About) -> list[Fields]:
    known = [(about.metrics.get(x["metric"]), x) for x in entries]
    return [
        _result(metric, entry, number)
        for number, (metric, entry) in enumerate(known, start=1)
        if metric is not None and _fits(metric, entry)
    ]


def _by_person(record: Fields) -> dict[str, list[Fields]]:
    found: dict[str, list[Fields]] = {}
    for labels in answers_of(record).values():
        for label in labels:
            found.setdefault(label["labeler"], []).append(label)
    return found


def _tasks(rows: Rows, about: About) -> Iterator[Fields]:
    people: dict[str, int] = {}
    for number, record in enumerate(rows, start=1):
        task: Fields = {
            "id": number,
            "data": metadata_of(record, about)
            | {"prompt": prompt_text(record), RATED: reply_of(record)},
            "annotations": [],
            "predictions": [],
        }  # fmt: skip
        for name, labels in _by_person(record).items():
            person = people.setdefault(name, len(people) + 1)
            seconds = sum(x.get("seconds") or 0 for x in labels)
            newest = max((x["at"] for x in labels if x.get("at")), default=None)
            task["annotations"].append(
                {
                    "id": number * 1000 + person,
                    "completed_by": {"id": person, "first_name": name, "email": ""},
                    "result": _results(labels, about),
                    "was_cancelled": False,
                    "ground_truth": any(x.get("kind") == "adjudication" for x in labels),
                    **({"lead_time": seconds} if seconds else {}),
                    **({"created_at": newest} if newest else {}),
                }
            )
        results = _results(record.get("scores") or [], about)
        if results:
            scorers = {x.get("scorer") or "" for x in record["scores"]}
            task["predictions"].append(
                {"model_version": ", ".join(sorted(scorers)), "result": results}
            )
        yield task


def _interface(about: About) -> Mapping[str, bytes]:
    """Give the labelling interface that the tasks fit, for the settings of a project there."""
    parts = ['<View>', '  <Text name="prompt" value="$prompt"/>',
             f'  <Text name="{RATED}" value="${RATED}"/>']  # fmt: skip
    for metric in about.metrics.values():
        name, choices = quoteattr(metric.name), _choices(metric)
        if not metric.kind.is_answered:
            continue
        parts.append(f"  <Header value={quoteattr(metric.heading)}/>")
        if choices:
            parts.append(f'  <Choices name={name} toName="{RATED}" choice="single">')
            parts += [f"    <Choice value={quoteattr(x)}/>" for x in choices]
            parts.append("  </Choices>")
        else:
            parts.append(f'  <Number name={name} toName="{RATED}"/>')
    return {".interface.xml": "\n".join([*parts, "</View>", ""]).encode()}


def _argilla_value(metric: Metric, value: object) -> int | str:
    if _is_rating(metric) and isinstance(value, int | float):
        return int(value)
    return _said(metric, value)


def _is_rating(metric: Metric) -> bool:
    return metric.is_numeric and bool(metric.kind.grid) and all(
        x.is_integer() and FIRST_RATING <= x <= LAST_RATING for x in metric.kind.grid
    ) and not metric.kind.is_binary and not metric.kind.is_open  # fmt: skip


def _argilla(rows: Rows, about: About) -> Iterator[Fields]:
    for record in rows:
        responses: dict[str, list[Fields]] = {}
        for name, labels in answers_of(record).items():
            metric = about.metrics.get(name)
            for label in labels:
                if metric is None or not _fits(metric, label):
                    continue
                # people there have ids of that form; the same name always gets the same
                person = str(uuid5(NAMESPACE_URL, label["labeler"]))
                value = _argilla_value(metric, label["value"])
                responses.setdefault(name, []).append(
                    {"value": value, "user_id": person, "status": "submitted"}
                )
        suggestions = {
            score["metric"]: {
                "value": _argilla_value(metric, score["value"]),
                "score": score.get("confidence"),
                "agent": score.get("scorer"),
            }
            for score in record.get("scores") or ()
            if (metric := about.metrics.get(score["metric"])) is not None and _fits(metric, score)
        }
        yield {
            "id": f"{record['run']}/{record['id']}",
            "fields": {"prompt": prompt_text(record), RATED: reply_of(record)},
            "metadata": metadata_of(record, about),
            "suggestions": suggestions,
            "responses": responses,
            "vectors": {},
            "status": "completed" if responses else "pending",
            "_server_id": None,
        }


LABEL_STUDIO = Writer(
    name="label-studio",
    title="Label Studio tasks (JSON)",
    write=lambda rows, about, out: put_list(_tasks(rows, about), out),
    of_labels=True,
    beside=_interface,
)
ARGILLA = Writer(
    name="argilla",
    title="Argilla records (JSON)",
    write=lambda rows, about, out: put_list(_argilla(rows, about), out),
    of_labels=True,
)
