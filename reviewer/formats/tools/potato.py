"""Potato: what annotators answered, in the tool's own exports.

- `annotations.jsonl`: an annotator's answers to one item, without its text: labels for the records
  of the task's data, which are imported first;
- `user_state.json`: all that one annotator answered, the same way;
- `annotated_instances.jsonl` and `.tsv` of versions before 2, with the text that was shown. The
  JSON Lines name no annotator: they lie in a folder of the annotator's name, which is the labeler.

Of a schema's answers one that says yes or repeats its name is that choice, several are one text,
a number is a number, and what was written is the comment of the first label. Marked stretches are
highlights where the text stands beside, else they are left out, as is what the tool notes of
behaviour. Read from the exporters and the saved
state of potato-annotation 2.12 and from a table of a study that used version 1; no file of a study
itself was at hand.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from reviewer.formats import delimited, json_text
from reviewer.formats.annotations import answer, filled, is_remark, joined, labeler_of, number_of
from reviewer.formats.cells import excerpt_of
from reviewer.formats.format import ITEMS, Format, Look, Shape, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, Source
from reviewer.formats.mapping import Mapping as ColumnMapping
from reviewer.formats.paths import as_text
from reviewer.formats.record import checked

_EXPORTED = frozenset({"instance_id", "user_id", "labels"})
_SHOWN = frozenset({"displayed_text", "label_annotations"})
_STATE = "instance_id_to_label_to_value"
_COLUMNS = frozenset({"user", "instance_id", "displayed_text"})
_DIVIDER = ":::"
_SAYS_YES = ("true", "on")
_PLAIN = ("text_box", "textbox", "_data")


def _labels(schemas: Mapping[str, Any], labeler: str) -> tuple[list[Fields], list[str]]:
    """Make the labels of one annotator's answers, and give what was written."""
    labels: list[Fields] = []
    written: list[str] = []
    for schema, given in schemas.items():
        told = given if isinstance(given, dict) else {"": given}
        said = _said({name: x for name, x in told.items() if x not in (None, "", False)})
        if isinstance(said, str) and (is_remark(said) or _is_text(told)):
            written.append(said)
        elif said is not None:
            labels.append(answer(schema, labeler, said))
    if labels and written:
        known = labels[0].get("comment")
        labels[0]["comment"] = "\n\n".join(filter(None, (known, *written)))
        written = []
    return labels, written


def _is_text(told: Mapping[str, Any]) -> bool:
    return any(name.startswith(_PLAIN) for name in told)


def _said(told: Mapping[str, Any]) -> int | float | str | None:
    """Give what the answers to one schema say together."""
    names = []
    for name, value in told.items():
        text = as_text(value).strip()
        if text.lower() in _SAYS_YES or text in (name, ""):
            names.append(name)
        else:
            names.append(text)
    if len(names) == 1:
        number = number_of(names[0])
        return names[0] if number is None else number
    return joined(names) if names else None


def _entries(row: Fields, labeler: str, place: Fields) -> Iterator[Fields]:
    """Give the labels of an export without texts, each as a row of its own."""
    schemas = row["labels"] if isinstance(row.get("labels"), dict) else {}
    labels, written = _labels(schemas, labeler)
    for label in labels:
        yield {**place, **label}
    if written:
        # without a label there is nothing that it could stand beside
        for schema in schemas:
            yield {**place, "metric": schema, "labeler": labeler, "value": None,
                   "kind": "comment", "comment": "\n\n".join(written)}  # fmt: skip
            break


def _of_state(state: Fields, line: int) -> Iterator[Incoming]:
    labeler = labeler_of(state.get("user_id"), 1)
    held = state[_STATE]
    for instance, pairs in held.items() if isinstance(held, dict) else ():
        schemas: dict[str, Any] = {}
        for pair in pairs if isinstance(pairs, list) else ():
            match pair:
                case [{"schema": str(schema), "name": name}, value]:
                    schemas.setdefault(schema, {})[as_text(name)] = value
        if isinstance(pairs, dict):
            schemas = {name: x.get("labels", x) if isinstance(x, dict) else x
                       for name, x in pairs.items()}  # fmt: skip
        for fields in _entries({"labels": schemas}, labeler, {"id": instance}):
            yield checked(fields, line)


def _shown(row: Fields, labeler: str) -> Fields:
    schemas = row["label_annotations"] if isinstance(row["label_annotations"], dict) else {}
    labels, written = _labels(schemas, labeler)
    marks = []
    spans = row.get("span_annotations")
    for name, given in spans.items() if isinstance(spans, dict) else ():
        for span in given if isinstance(given, list) else [given]:
            match span:
                case {"start": int(start), "end": int(end)}:
                    note = as_text(span.get("annotation") or span.get("label")) or name
                    marks.append({"kind": "highlight", "labeler": labeler, "start": start,
                                  "end": end, "note": note})  # fmt: skip
    entries = {"labels": labels, "marks": marks, "meta": filled({"written": written})}
    return {"id": row.get("id"), "response": as_text(row["displayed_text"]), **filled(entries)}


def _read_json(
    source: Source, sniffed: Sniffed, _mapping: ColumnMapping | None
) -> Iterator[Incoming]:
    where = "." if sniffed.shape == "object" else sniffed.records
    folder = labeler_of(source.path.parent.name, 1)
    for item in json_text.items(source, sniffed.shape, where):
        row = item.value if isinstance(item, json_text.Item) else None
        if isinstance(item, BadRow):
            yield item
        elif isinstance(row, dict) and row.keys() >= _EXPORTED:
            place = {"id": row["instance_id"]}
            for fields in _entries(row, labeler_of(row["user_id"], 1), place):
                yield checked(fields, item.line)
        elif isinstance(row, dict) and row.keys() >= _SHOWN:
            yield checked(_shown(row, folder), item.line)
        elif isinstance(row, dict) and _STATE in row:
            yield from _of_state(row, item.line)
        else:
            reason = "an object with instance_id, user_id and labels is expected"
            yield BadRow(item.line, "", excerpt_of(as_text(row)), reason)


def _read_table(
    source: Source, sniffed: Sniffed, _mapping: ColumnMapping | None
) -> Iterator[Incoming]:
    for row in delimited.rows(source, sniffed.dialect):
        if isinstance(row, BadRow):
            yield row
            continue
        schemas: dict[str, dict[str, Any]] = {}
        rest: Fields = {}
        for column, cell in row.cells.items():
            schema, divider, name = column.partition(_DIVIDER)
            if divider and cell:
                text = cell.rpartition(_DIVIDER)[2]
                schemas.setdefault(schema, {})[name] = text
            elif not divider and column not in _COLUMNS:
                rest[column] = cell
        labels, written = _labels(schemas, labeler_of(row.cells["user"], 1))
        meta = filled({**rest, "written": written})
        fields = {"id": row.cells["instance_id"], "response": row.cells["displayed_text"]}
        yield checked({**fields, **filled({"labels": labels, "meta": meta})}, row.line)


def _recognise_json(look: Look) -> str | None:
    if look.shape == "object":
        return "the saved state of an annotator of Potato" if _STATE in look.top else None
    fits = bool(look.rows) and all(
        isinstance(row, dict) and (row.keys() >= _EXPORTED or row.keys() >= _SHOWN)
        for row in look.rows
    )
    return f"{look.words} with what annotators of Potato answered" if fits else None


def _recognise_table(look: Look) -> str | None:
    fits = set(look.header) >= _COLUMNS and any(_DIVIDER in name for name in look.header)
    return (
        f"{look.words} with displayed_text and columns such as schema:::answer" if fits else None
    )


_TABLE: frozenset[Shape] = frozenset({"table"})

ANSWERS = Format(
    name="potato",
    title="Potato annotations (JSON)",
    suffixes=(".jsonl", ".json"),
    recognised_by="JSON objects with instance_id, user_id and labels, or an annotator's state",
    shapes=ITEMS,
    recognise=_recognise_json,
    read=_read_json,
)
TABLE = Format(
    name="potato-table",
    title="Potato annotations (TSV, CSV)",
    suffixes=(".tsv", ".csv"),
    recognised_by="columns user, instance_id, displayed_text and such as schema:::answer",
    shapes=_TABLE,
    recognise=_recognise_table,
    read=_read_table,
)
