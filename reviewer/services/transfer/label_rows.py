"""Labels for analysts: a row an entry of the history, with everything a table needs beside it.

The columns and the type of each are the same in every row, so that nothing has to be guessed by
whoever reads them; an import takes the label back as it was given and leaves the rest.
"""

import json
from collections.abc import Collection, Iterable, Iterator

from reviewer.domain.record import (
    ANALYSIS,
    LABEL,
    OF_EVALUATION,
    RECORD,
    TEXT_KINDS,
    UNKNOWN,
    UNSURE,
    Field,
    Kind,
    Shape,
)
from reviewer.domain.rubric import Metric
from reviewer.formats.own_columns import LABEL_COLUMNS
from reviewer.formats.values import halves
from reviewer.formats.writing import Column, ColumnKind
from reviewer.services.transfer.standing import Fields, Standing, stands
from reviewer.store.records import Stored

_KINDS: dict[Kind, ColumnKind] = {
    Kind.NUMBER: "number",
    Kind.SHARE: "number",
    Kind.POSITION: "whole",
    Kind.TRUTH: "truth",
    Kind.VALUE: "value",
}
_MEANINGS = {
    "run": "the run of the evaluation",
    "id": "the evaluation, unique within its run",
    "metric": "what is labelled",
    "labeler": "who gave the label",
    "value": "the label as a number; yes is 1 and no is 0",
    "comment": "what the person says about it",
    "at": "when it was given (ISO 8601; without a zone it is UTC)",
    "kind": "label, adjudication, not_applicable, withdrawn or comment",
    "turn": "the turn it is about, from 0; empty for the whole evaluation",
    "seconds": "how long the person looked at it",
    "rubric_version": "the version of the rubric that the person saw",
    "selection_reason": "how the evaluation was chosen",
    "selection_prob": "the chance with which it was drawn",
    "judge_version": "the judge's version when the label was given",
    UNSURE: "the person was unsure",
    UNKNOWN: "what else the entry says, as JSON",
}
_FROM_LABEL = tuple(name for name in LABEL_COLUMNS[2:] if name in LABEL.keys)
_BESIDE = (UNSURE, *ANALYSIS.keys)
_LABEL_CELLS = frozenset(_FROM_LABEL)
_PLACE = frozenset({"run", "id"})


def kind_of(field: Field) -> ColumnKind:
    """Give what every cell of a field's column is; lists and objects are JSON."""
    return "text" if field.kind in TEXT_KINDS else _KINDS.get(field.kind, "json")


def columns_of(shape: Shape) -> dict[str, Column]:
    """Give the columns of an object's keys by name."""
    return {
        x.name: Column(x.name, kind_of(x), _MEANINGS.get(x.name) or x.title or _plain(x.name))
        for x in shape.fields
    }


def _plain(name: str) -> str:
    return name.replace("_", " ")


def columns(fields: Iterable[str]) -> tuple[Column, ...]:
    """Give the columns of a table of labels, with some fields of the evaluation."""
    known = columns_of(LABEL) | columns_of(ANALYSIS)
    known["value"] = known["value"]._replace(kind="number")
    known[UNSURE] = Column(UNSURE, "truth", _MEANINGS[UNSURE])
    known |= {name: Column(name, "text", _MEANINGS[name]) for name in ("run", "id", UNKNOWN)}
    told = columns_of(RECORD)
    return (
        *(known[name] for name in LABEL_COLUMNS[:-1]),
        *(told[name]._replace(name=OF_EVALUATION + name) for name in fields),
        known[UNKNOWN],
    )


class LabelRows:
    """Makes the rows of a table of labels."""

    def __init__(
        self, standing: Standing, metrics: dict[str, Metric], fields: tuple[str, ...]
    ) -> None:
        """Remember what counts, and which fields of the evaluation are told."""
        self._standing = standing
        self._scales = {name: scale_words(metric) for name, metric in metrics.items()}
        told = columns_of(RECORD)
        self._fields = [(name, OF_EVALUATION + name, told[name].kind) for name in fields]
        further = (name for _, name, _ in self._fields)
        self._blank: Fields = dict.fromkeys(
            ("run", "id", *_FROM_LABEL, *_BESIDE, *further, UNKNOWN)
        )
        self._of_metrics: dict[tuple[str, str], Fields] = {}

    def of(self, stored: Stored) -> Iterator[Fields]:
        """Give a row for every entry of an evaluation."""
        record = stored.fields
        labels = record.get("labels") or []
        if not labels:
            return
        current, standing = stands(labels)
        unsure = {id(x) for x in _unsure(labels, record.get("marks") or ())}
        told = {name: _cell(record.get(key), kind) for key, name, kind in self._fields}
        blank = self._blank | told | {"run": record["run"], "id": record["id"]}
        for label in labels:
            metric, is_whole = label["metric"], label.get("turn") is None
            auto, is_counted = self._standing.of(stored.key, metric)
            row = blank | self._of_metric(record["run"], metric)
            row["auto"], row["auto_text"] = halves(auto if is_whole else None)
            row[UNSURE] = id(label) in unsure
            row["current"] = id(label) in current
            row["counts"] = is_whole and is_counted and id(label) in standing
            put_label(row, label)
            yield row

    def _of_metric(self, run: str, metric: str) -> Fields:
        """Give what every row of a metric says in a run."""
        found = self._of_metrics.get((run, metric))
        if found is None:
            version = self._standing.version(run, metric)
            apart = " ".join(x for x in (version.version, version.apart) if x) if version else ""
            found = self._of_metrics[run, metric] = {
                "scorer": version.scorer if version else None,
                "scorer_version": apart or None,
                "scale": self._scales.get(metric),
            }
        return found


def put_label(row: Fields, label: Fields) -> None:
    """Put a label into its row; what has no column stands in the last one."""
    rest: Fields = {}
    for name, value in label.items():
        if name in _LABEL_CELLS:
            row[name] = value
        elif name not in _PLACE:
            rest[name] = value
    row["value"], row["value_text"] = halves(label.get("value"))
    row["kind"] = label.get("kind", "label")
    row[UNKNOWN] = _json(rest) if rest else None


def scale_words(metric: Metric) -> str:
    """Name a scale and what it permits, such as `ordinal: one of 1, 2, 3, 4, 5`."""
    return f"{metric.scale}: {metric.kind.describe()}"


def _cell(value: object, kind: ColumnKind) -> object:
    """Keep a column to one type: lists and objects become their JSON."""
    if value is None or kind != "json":
        return value if kind != "text" or isinstance(value, str | None) else _json(value)
    return _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unsure(labels: Iterable[Fields], marks: Collection[Fields]) -> Iterable[Fields]:
    """Give the labels, of each person and metric the last, that they are unsure of."""
    if not marks:
        return ()
    places = ("labeler", "metric")
    said = {
        tuple(mark.get(x) for x in places): mark.get("value") is not False
        for mark in marks
        if mark["kind"] == "unsure"
    }
    last = {
        place: label
        for label in labels
        if said.get(place := tuple(label.get(x) for x in places)) and label.get("turn") is None
    }
    return last.values()
