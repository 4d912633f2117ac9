"""doccano: texts with a list of labels, one JSON object a line.

Labels that come again are categories, several of them one answer; texts that hardly do are what
people wrote for a text (translations, summaries), which is `expected` of it. Entities are
highlights of the text with their label, and their names are the answer. A comment stays with the
label. The export names nobody, so all labels are of `annotator 1`; its CSV (`text,label`) is told
from other tables by nothing and is read as one. Read from the tool's own examples and, for
entities, relations and comments, from the source of its exporter.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from reviewer.formats import json_text
from reviewer.formats.annotations import answer, filled, joined, labeler_of, remarks_among
from reviewer.formats.cells import excerpt_of
from reviewer.formats.format import ITEMS, Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import as_text
from reviewer.formats.record import checked

_FIRST_ROWS = 200
_TEXTS = ("text", "data")
_LABELS = ("label", "labels", "cats", "entities")
_KEYS = frozenset({"id", *_TEXTS, *_LABELS, "meta", "Comments", "comments", "relations",
                   "annotation_approver"})  # fmt: skip
_LABELER = labeler_of(None, 1)


def _spans(row: Fields) -> list[tuple[int, int, str]]:
    """Give the labelled stretches, as lists of three or as objects."""
    found = []
    for name in _LABELS:
        for one in row[name] if isinstance(row.get(name), list) else ():
            match one:
                case [int(start), int(end), str(label)]:
                    found.append((start, end, label))
                case {"start_offset": int(start), "end_offset": int(end), "label": str(label)}:
                    found.append((start, end, label))
    return found


def _names(row: Fields) -> list[str]:
    """Give the labels of the whole text."""
    return [
        one
        for name in _LABELS
        for one in (row[name] if isinstance(row.get(name), list) else ())
        if isinstance(one, str)
    ]


def _record(row: Fields, number: int, *, written: bool) -> Fields:
    names, spans = _names(row), _spans(row)
    text = next((as_text(row[key]) for key in _TEXTS if row.get(key) is not None), "")
    fields: Fields = {"id": as_text(row.get("id")) or f"{number}"}
    if written and names:
        fields |= {"input": text, "expected": names[0]}
    else:
        fields |= {"response": text}
    told = joined(names or {label for _, _, label in spans})
    remarks = row.get("Comments") or row.get("comments")
    comment = "\n\n".join(map(as_text, remarks if isinstance(remarks, list) else [remarks]))
    labels = [answer("label", _LABELER, told, comment=comment)] if told and not written else []
    marks = [
        {"kind": "highlight", "labeler": _LABELER, "start": start, "end": end, "note": label}
        for start, end, label in spans
    ]
    meta = {key: row.get(key) for key in ("relations", "annotation_approver")}
    meta |= {key: x for key, x in row.items() if key not in _KEYS}
    meta |= row["meta"] if isinstance(row.get("meta"), dict) else {"meta": row.get("meta")}
    meta["texts"] = names[1:] if written else []
    meta["comment"] = comment if not labels else ""
    return fields | filled({"labels": labels, "marks": marks, "meta": filled(meta)})


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    written = _is_written(source, sniffed)
    items = json_text.items(source, sniffed.shape, sniffed.records)
    for number, item in enumerate(items, start=1):
        if isinstance(item, BadRow):
            yield item
        elif not _is_one(item.value):
            reason = "an object with text and a list of labels is expected"
            yield BadRow(item.line, "", excerpt_of(as_text(item.value)), reason)
        else:
            yield checked(_record(item.value, number, written=written), item.line)


def _is_written(source: Source, sniffed: Sniffed) -> bool:
    """Tell whether the labels are texts that people wrote, by the first of them."""
    with source.again() as again:
        items = islice(json_text.items(again, sniffed.shape, sniffed.records), _FIRST_ROWS)
        rows = [x.value for x in items if isinstance(x, json_text.Item) and _is_one(x.value)]
    return bool(remarks_among({"label": [name for row in rows for name in _names(row)]}))


def _is_one(row: Any) -> bool:  # noqa: ANN401 - a JSON value is anything
    if not isinstance(row, dict) or not any(isinstance(row.get(x), str) for x in _TEXTS):
        return False
    return any(isinstance(row.get(name), list) for name in _LABELS)


def _is_all_labels(row: Fields) -> bool:
    held = [x for name in _LABELS for x in (row.get(name) or ()) if isinstance(row[name], list)]
    return len(held) == len(_names(row)) + len(_spans(row))


def _recognise(look: Look) -> str | None:
    fits = bool(look.rows) and all(
        _is_one(row) and row.keys() <= _KEYS and _is_all_labels(row) for row in look.rows
    )
    return f"{look.words} with text and a list of labels" if fits else None


FORMAT = Format(
    name="doccano",
    title="doccano texts with labels (JSON)",
    suffixes=(".jsonl", ".json"),
    recognised_by="JSON objects with text and a list of labels or entities, and little else",
    shapes=ITEMS,
    recognise=_recognise,
    read=_read,
)
