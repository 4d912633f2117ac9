"""Label Studio: exported tasks as JSON, JSON-MIN and CSV.

A task is one evaluation; a conversation that an annotator held in it (`chatmessage`) is an
evaluation of its own. Choices, labels of regions and taxonomies are categories, several of one
answer in one text; ratings and numbers are numbers; what was written (`textarea`) is the comment
of the annotation's first label, where it also says how long the annotation took (`lead_time`).
A cancelled annotation is a skip, a ground truth is the label and a decision, a rejected review is
a flag; predictions are auto scores of their `model_version`. A labelled stretch of the response is
a highlight; other regions, drafts, reviews, histories and the task's bookkeeping stay in `meta`.

Read from exports of the tool (JSON with choices, rectangles, predictions, reviews and a chat) and
from the converter of label-studio-sdk 2.1: JSON-MIN and CSV have one row an annotation, and do not
say which keys are data and which are answers. Where tasks without annotation are among them, what
is filled there is data, and all else answers. Otherwise answers stand after the task's `id` in
JSON-MIN; in a CSV they are the cells that the converter writes as JSON, and texts of a few kinds,
so that plain numbers stay in `meta`, which is said. What does not
stand there (cancelled annotations, predictions, reviews) cannot be read from them; regions of
images and the annotation's number are left out, as they would tell rows of one task apart.
Not seen: exports of ranker, pairwise and per-message answers.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from reviewer.formats import delimited, json_text
from reviewer.formats.annotations import (
    ROW_OF_ANNOTATION,
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
from reviewer.formats.incoming import BadRow, Fields, Incoming, RawRow, Source
from reviewer.formats.mapping import Mapping as ColumnMapping
from reviewer.formats.paths import as_text, parsed
from reviewer.formats.record import checked
from reviewer.formats.streams import open_stream
from reviewer.formats.turns import to_turns

_FIRST_ROWS = 200
_ANNOTATIONS = ("annotations", "completions")
_BOOKKEEPING = frozenset(
    {"id", *ROW_OF_ANNOTATION, "created_at", "updated_at", "agreement", "history"},
)
_KINDS = ("choices", "rating", "number", "taxonomy", "selected")
_WRITTEN = ("text", "datetime")
_CHAT = "chatmessage"
_REGION = frozenset({"start", "end", "x", "y", "startOffset", "points"})


class _Given(NamedTuple):
    """What one annotation or prediction says, by question.

    Attributes:
        remarks: What was written.
        turns: A conversation that was held.
        regions: Results that are about a part of the task, as they came.
        notes: What was written beside single answers.
    """

    values: dict[str, Any]
    remarks: dict[str, str]
    turns: list[dict[str, Any]]
    regions: list[dict[str, Any]]
    notes: dict[str, str]

    @property
    def comment(self) -> str:
        """Give what was written as one text."""
        if len(self.remarks) == 1:
            return next(iter(self.remarks.values()))
        return "\n\n".join(f"{name}: {text}" for name, text in self.remarks.items())


def _given(results: object) -> _Given:
    """Sort the results of an annotation by question."""
    names: dict[str, list[str]] = {}
    found = _Given({}, {}, [], [], {})
    for result in objects(results):
        inner = result.get("value")
        if not isinstance(inner, dict):
            continue
        name = as_text(result.get("from_name")) or "label"
        kind = as_text(result.get("type"))
        if isinstance(inner.get(_CHAT), dict):
            found.turns.append(inner[_CHAT])
            continue
        _sort(name, kind, inner, found, names)
        beside = result.get("meta")
        if isinstance(beside, dict) and (note := _said("text", beside.get("text"))):
            found.notes[name] = "\n".join(map(as_text, note)) if isinstance(note, list) else ""
        if _REGION & inner.keys():
            found.regions.append(result)
    found.values.update({name: _chosen(several) for name, several in names.items()})
    return found


def _chosen(names: list[str]) -> int | float | str:
    """Give choices as one text; a single one that spells a number is that level of a scale."""
    told = joined(names)
    number = number_of(told) if len(names) == 1 else None
    return told if number is None or str(number) != told else number


def _sort(name: str, kind: str, inner: Fields, found: _Given, names: dict[str, list[str]]) -> None:
    key = _key(kind, inner)
    said = _said(key, inner.get(key))
    if said is None:
        found.regions.append({"from_name": name, "type": kind, "value": inner})
    elif isinstance(said, int | float):
        if not _REGION & inner.keys():
            found.values[name] = said
    elif key in _WRITTEN:
        found.remarks[name] = "\n\n".join((*filter(None, (found.remarks.get(name),)), *said))
    else:
        # its place among the questions, until all its names are known
        found.values.setdefault(name, "")
        names.setdefault(name, []).extend(said)


def _key(kind: str, inner: Fields) -> str:
    """Find where an answer stands; the text of a region is none while it has a label."""
    there = (kind, *(x for x in inner if x in _KINDS or x.endswith("labels")), *_WRITTEN)
    return next((x for x in there if x in inner), "")


def _said(key: str, value: object) -> int | float | list[str] | None:
    """Give the number or the texts of an answer, None where it has neither."""
    if key in ("rating", "number"):
        return number_of(value)
    if key == "taxonomy" and isinstance(value, list):
        return [" / ".join(map(as_text, x)) if isinstance(x, list) else as_text(x) for x in value]
    several = value if isinstance(value, list) else [value]
    texts = [x for x in several if isinstance(x, str) and x]
    return texts or None


def _highlights(given: _Given, text: str, labeler: str, at: str | None) -> list[Fields]:
    """Make marks of the labelled stretches of the response; other regions stay as they are."""
    made: list[Fields] = []
    for region in tuple(given.regions):
        value = region["value"]
        start, end = value.get("start"), value.get("end")
        if isinstance(start, int) and isinstance(end, int) and value.get("text"):
            names = _said("labels", value.get(_key(as_text(region.get("type")), value)))
            if text[start:end] == value["text"] and isinstance(names, list):
                made.append({"kind": "highlight", "labeler": labeler, "start": start, "end": end,
                             "note": joined(names), **filled({"at": at})})  # fmt: skip
                given.regions.remove(region)
    return made


def _messages(turns: list[dict[str, Any]]) -> list[dict[str, Any]] | str:
    return to_turns([{**turn, "at": time_of(turn.get("createdAt"))} for turn in turns])


def _labels(given: _Given, labeler: str, annotation: Mapping[str, Any]) -> list[Fields]:
    """Make the labels of an annotation; a ground truth is decided, too."""
    at = time_of(annotation.get("updated_at"), annotation.get("created_at"))
    made: list[Fields] = []
    for metric, value in given.values.items():
        first = {} if made else {
            "comment": given.comment, "seconds": number_of(annotation.get("lead_time")),
        }  # fmt: skip
        if metric in given.notes:
            first["comment"] = given.notes[metric]
        made.append(answer(metric, labeler, value, at=at, **first))
    if annotation.get("ground_truth") is True:
        made += [
            {"metric": x["metric"], "labeler": labeler, "value": x["value"],
             "kind": "adjudication", **filled({"at": at})}
            for x in made
            if x["value"] is not None
        ]  # fmt: skip
    return made


def _scores(prediction: Mapping[str, Any]) -> list[Fields]:
    given = _given(prediction.get("result"))
    sure = number_of(prediction.get("score"))
    is_share = sure is not None and 0 <= sure <= 1
    return [
        {"metric": metric, "value": value, "scorer": as_text(prediction.get("model_version"))
         or "prediction"}
        | filled({
            "reasoning": given.notes.get(metric) or given.comment,
            "at": time_of(prediction.get("updated_at"), prediction.get("created_at")),
            "confidence": sure if is_share else None,
            "meta": filled({"score": None if is_share else sure, "regions": given.regions}),
        })
        for metric, value in given.values.items()
    ]  # fmt: skip


def _records(task: Fields) -> Iterator[Fields]:
    """Make the records of a task: one, and one for each conversation held in it."""
    data = task["data"] if isinstance(task["data"], dict) else {}
    base, rest = placed(data)
    known = {"id", "data", "predictions", *_ANNOTATIONS}
    kept = filled({key: value for key, value in task.items() if key not in known})
    meta = rest | ({"task": kept} if kept else {})
    labels: list[Fields] = []
    marks: list[Fields] = []
    details: list[Fields] = []
    chats: list[Fields] = []
    annotations = next((task[key] for key in _ANNOTATIONS if key in task), None)
    for number, annotation in enumerate(objects(annotations), start=1):
        given = _given(annotation.get("result"))
        labeler = labeler_of(annotation.get("completed_by"), number)
        at = time_of(annotation.get("updated_at"), annotation.get("created_at"))
        is_skipped = annotation.get("was_cancelled") is True or annotation.get("skipped") is True
        own = [] if is_skipped else _labels(given, labeler, annotation)
        if is_skipped:
            marks.append({"kind": "skip", "labeler": labeler, **filled({"at": at})})
        marks += _rejections(annotation, labeler)
        marks += _highlights(given, base.get("response", ""), labeler, at)
        details += _details(annotation, labeler, given, counted=bool(own))
        turns = _messages(given.turns) if given.turns else []
        if turns and isinstance(turns, list):
            chats.append({"id": annotation.get("id") or number, "messages": turns, "labels": own})
        else:
            labels += own
    scores = [x for one in objects(task.get("predictions")) for x in _scores(one)]
    meta = filled({**meta, "annotations": details})
    shared = filled({"scores": scores, "marks": marks, "meta": meta})
    for chat in chats:
        about, _ = placed(data, otherwise="context")
        own_id = f"{as_text(task.get('id'))}-{chat['id']}"
        yield {**about, **shared, **filled(chat), "id": own_id, "case": as_text(task.get("id"))}
    if labels or not chats:
        yield {"id": task.get("id"), **base, **shared, **filled({"labels": labels})}


def _rejections(annotation: Mapping[str, Any], labeler: str) -> list[Fields]:
    return [
        {"kind": "flag", "labeler": labeler_of(review.get("created_by"), number, "reviewer"),
         "note": f"The annotation of {labeler} was rejected.",
         **filled({"at": time_of(review.get("created_at"))})}
        for number, review in enumerate(objects(annotation.get("reviews")), start=1)
        if review.get("accepted") is False
    ]  # fmt: skip


_KEPT = ("reviews", "history", "last_action", "draft_created_at", "parent_annotation")


def _details(
    annotation: Mapping[str, Any], labeler: str, given: _Given, *, counted: bool
) -> list[Fields]:
    """Give what is kept of an annotation beside its labels."""
    kept = filled({key: annotation.get(key) for key in _KEPT} | {"regions": given.regions})
    kept |= {"ground_truth": True} if annotation.get("ground_truth") is True else {}
    if not counted:
        kept |= filled({"remarks": given.remarks, "answers": given.values})
        kept |= filled({"lead_time": annotation.get("lead_time")})
    return [{"id": annotation.get("id"), "labeler": labeler, **kept}] if kept else []


def _read_tasks(
    source: Source, sniffed: Sniffed, _mapping: ColumnMapping | None
) -> Iterator[Incoming]:
    records = "." if sniffed.shape == "object" and sniffed.records != "tasks" else sniffed.records
    for item in json_text.items(source, sniffed.shape, records):
        if isinstance(item, BadRow):
            yield item
        elif (task := _task(item.value)) is None:
            reason = "a task with data and annotations is expected"
            yield BadRow(item.line, "", excerpt_of(as_text(item.value)), reason)
        else:
            for fields in _records(task):
                yield checked(fields, item.line)


def _task(row: Any) -> Fields | None:  # noqa: ANN401 - a JSON value is anything
    """Give a task, also of an annotation that holds its task, as a storage has them."""
    if not isinstance(row, dict):
        return None
    task = row.get("task")
    if isinstance(task, dict) and isinstance(row.get("result"), list):
        annotation = {key: value for key, value in row.items() if key != "task"}
        row = {**task, "annotations": [annotation]}
    is_one = isinstance(row.get("data"), dict) and any(
        isinstance(row.get(key), list) for key in (*_ANNOTATIONS, "predictions")
    )
    return row if is_one else None


def _has_results(task: Fields) -> bool:
    """Tell whether what was annotated or predicted, if anything, stands as results."""
    entries = [x for key in (*_ANNOTATIONS, "predictions") for x in objects(task.get(key))]
    return all("result" in entry for entry in entries)


def _recognise_tasks(look: Look) -> str | None:
    whole = look.shape == "object" and look.records != "tasks"
    tasks = [_task(row) for row in ([dict(look.top)] if whole else look.rows)]
    fits = bool(tasks) and all(task is not None and _has_results(task) for task in tasks)
    return f"{look.words} with data and annotations of Label Studio" if fits else None


def _read_rows(
    source: Source, sniffed: Sniffed, _mapping: ColumnMapping | None
) -> Iterator[Incoming]:
    with source.again() as again:
        first = [x.values for x in islice(_rows(again, sniffed), _FIRST_ROWS)
                 if isinstance(x, RawRow)]  # fmt: skip
    plain = _plain(first, sniffed)
    for row in _rows(source, sniffed):
        if isinstance(row, BadRow):
            yield row
        else:
            yield checked(_record_of_row(row.values, plain, sniffed), row.line)


def _rows(source: Source, sniffed: Sniffed) -> Iterator[RawRow | BadRow]:
    if sniffed.shape == "table":
        for row in delimited.rows(source, sniffed.dialect):
            yield row if isinstance(row, BadRow) else RawRow(row.line, dict(row.cells))
        return
    for item in json_text.items(source, sniffed.shape, sniffed.records):
        if isinstance(item, BadRow):
            yield item
        elif isinstance(item.value, dict):
            yield RawRow(item.line, item.value)
        else:
            reason = "an object with annotation_id and annotator is expected"
            yield BadRow(item.line, "", excerpt_of(item.value), reason)


class _Plain(NamedTuple):
    """What plain texts of rows are: of all columns but these they are choices.

    Attributes:
        prose: Columns of data, and of what was written.
        written: Those of what was written.
        data: Columns that are filled where nobody has annotated; None where no row is such.
    """

    prose: frozenset[str]
    written: frozenset[str]
    data: frozenset[str] | None


def _plain(rows: list[Fields], sniffed: Sniffed) -> _Plain:
    """Tell data, choices and what was written apart by the first rows."""
    answers: dict[str, list[str]] = {}
    by_task: dict[tuple[str, str], set[str]] = {}
    bare = [filled(row) for row in rows if not row["annotation_id"]]
    given = frozenset(name for row in bare for name in row) if bare else None
    for row in rows:
        for name in _asked(row, sniffed, given):
            if isinstance(row[name], str) and row[name] and _results(row[name]) is None:
                answers.setdefault(name, []).append(row[name])
                by_task.setdefault((name, as_text(row.get("id"))), set()).add(row[name])
    prose = remarks_among(answers)
    if rows and _is_in_order(rows[0], sniffed):
        return _Plain(prose, prose, given)
    # a CSV has data and answers side by side; the data of a task is the same in all its rows
    written = frozenset(name for (name, _), texts in by_task.items() if len(texts) > 1)
    named = {name for name in answers if placed({name: "x" * 50})[0].keys() - {"response"}}
    data = named | {"text", "response", "answer", "output"}
    return _Plain(prose | (data & answers.keys()) - written, prose & written, given)


def _asked(row: Fields, sniffed: Sniffed, data: frozenset[str] | None) -> list[str]:
    """Give the keys of a row that may be answers."""
    names = list(row)
    if data is not None:
        names = [name for name in names if name not in data]
    elif _is_in_order(row, sniffed):
        names = names[names.index("id") + 1 : names.index("annotator")]
    return [name for name in names if name not in _BOOKKEEPING]


def _is_in_order(row: Fields, sniffed: Sniffed) -> bool:
    """Tell JSON-MIN, which has data before the id, answers behind it, then who answered.

    What was a CSV once has its columns in any order, whatever it was saved as.
    """
    if sniffed.shape == "table" or not {"id", "annotator"} <= row.keys():
        return False
    return sniffed.shape != "rows" or 0 < [*row].index("id") < [*row].index("annotator")


def _results(value: object) -> list[Fields] | None:
    """Give the results that a cell or key holds, None where it holds data."""
    opened = parsed(value) if isinstance(value, str) else value
    parts = opened if isinstance(opened, list) else [opened]
    told: list[Fields] = []
    for part in parts:
        if isinstance(part, str) and isinstance(opened, list):
            told.append({"choices": [part]})
        elif isinstance(part, dict) and ("role" in part and "content" in part):
            told.append({_CHAT: part})
        elif isinstance(part, dict) and _key("", part):
            told.append(part)
        else:
            return None
    return told or None


def _record_of_row(row: Fields, plain: _Plain, sniffed: Sniffed) -> Fields:
    asked = set(_asked(row, sniffed, plain.data))
    results: list[Fields] = []
    remarks: list[Fields] = []
    data: Fields = {}
    for name, value in row.items():
        told = _results(value) if name in asked else None
        if told is not None:
            results += [{"from_name": name, "value": one} for one in told]
        elif name in asked and _is_choice(value, name, plain):
            results.append({"from_name": name, "value": {"choices": [value]}})
        elif name in plain.written and isinstance(value, str):
            remarks.append({"from_name": name, "value": {"text": [value]}})
        elif name not in _BOOKKEEPING and not name.endswith("_transcript"):
            data[name] = value
    given = _given(results + remarks)
    fields, rest = placed(data, otherwise="context" if given.turns else "response")
    labeler = labeler_of(row.get("annotator"), 1)
    labels = _labels(given, labeler, row)
    own_id = as_text(row.get("id")) or as_text(row.get("annotation_id"))
    turns = _messages(given.turns) if given.turns else None
    if isinstance(turns, list):
        fields = {**fields, "messages": turns, "case": own_id}
        own_id = f"{own_id}-{as_text(row.get('annotation_id'))}"
    meta = rest | {"agreement": row.get("agreement")}
    if not labels:
        meta["remarks"] = given.remarks
    at = time_of(row.get("updated_at"), row.get("created_at"))
    marks = _highlights(given, fields.get("response", ""), labeler, at)
    entries = filled({"labels": labels, "marks": marks, "meta": filled(meta)})
    return {"id": own_id, **fields, **entries}


def _is_choice(value: object, name: str, plain: _Plain) -> bool:
    if not isinstance(value, str) or not value or name in plain.prose:
        return False
    # a number may be data as well, unless rows without annotation show which columns are
    return not is_remark(value) and (plain.data is not None or number_of(value) is None)


def _recognise_rows(look: Look) -> str | None:
    if look.shape == "table":
        fits = set(look.header) >= ROW_OF_ANNOTATION
    else:
        fits = bool(look.rows) and all(
            isinstance(row, dict) and row.keys() >= ROW_OF_ANNOTATION for row in look.rows
        )
    return f"{look.words} with annotation_id, annotator and lead_time" if fits else None


TASKS = Format(
    name="label-studio",
    title="Label Studio tasks (JSON)",
    suffixes=(".json",),
    recognised_by="JSON objects with data and a list of annotations or predictions",
    shapes=ITEMS,
    recognise=_recognise_tasks,
    read=_read_tasks,
)


def _remarks(look: Look) -> tuple[str, ...]:
    """Name the columns of numbers of which nobody can tell whether they are answers."""
    sniffed = Sniffed("", look.shape, "", look.dialect, look.records)
    rows = list(look.rows) if look.shape == "rows" else []
    if look.shape == "table":
        with open_stream(look.path) as source:
            first = islice(_rows(source, sniffed), _FIRST_ROWS)
            rows = [x.values for x in first if isinstance(x, RawRow)]
    if not rows or _is_in_order(rows[0], sniffed):
        return ()
    plain = _plain(rows, sniffed)
    if plain.data is not None:
        return ()
    asked = {name: None for row in rows for name in _asked(row, sniffed, None)}
    names = [x for x in asked if any(number_of(row.get(x)) is not None for row in rows)]
    told = f"{look.path.name}: {', '.join(names)} may be data or answers and stay beside; "
    return (f"{told}the export in JSON tells which are labels.",) if names else ()


ROWS = Format(
    name="label-studio-min",
    title="Label Studio rows (JSON-MIN, CSV)",
    suffixes=(".json", ".csv", ".tsv"),
    recognised_by="rows with annotation_id, annotator and lead_time",
    shapes=ITEMS | {"table"},
    recognise=_recognise_rows,
    read=_read_rows,
    remarks=_remarks,
)
