"""What an export says, told anew by the rules R7 and R8 alone, without a line of the program.

`told` leaves out times, numbers and the order of arrival: two exports that tell the same differ in
their history only.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Entry = dict[str, Any]


def read(file: Path) -> list[Record]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def moment(entry: Entry) -> float:
    text = entry.get("at")
    if text is None:
        return float("-inf")
    when = datetime.fromisoformat(text)
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def ordered(entries: list[Entry]) -> list[tuple[tuple[float, int], Entry]]:
    return sorted((((moment(x), n), x) for n, x in enumerate(entries)), key=lambda x: x[0])


class Person:
    """One labeler's entries on one metric, in their order."""

    def __init__(self) -> None:
        self.label: tuple[tuple[float, int], Entry] | None = None
        self.decision: tuple[tuple[float, int], Entry] | None = None
        self.comment: str | None = None
        self._places: dict[tuple[bool, str], tuple[float, int]] = {}

    def take(self, place: tuple[float, int], entry: Entry) -> None:
        kind = entry.get("kind", "label")
        decides = kind == "adjudication"
        if "uid" in entry:
            self._places.setdefault((decides, entry["uid"]), place)
        if "restores" in entry:
            place = self._places.get((decides, entry["restores"]), place)
        if decides:
            self.decision = None if entry["value"] is None else (place, entry)
            return
        self.comment = entry.get("comment")
        if kind == "comment":
            return
        self.label = (place, entry)
        if kind == "withdrawn" and "of" not in entry:
            self.decision = None

    @property
    def counts(self) -> bool:
        return self.label is not None and self.label[1].get("kind", "label") == "label"


def people(record: Record) -> dict[tuple[str, str], Person]:
    found: dict[tuple[str, str], Person] = {}
    for place, entry in ordered(record.get("labels") or []):
        if "turn" not in entry:
            person = found.setdefault((entry["metric"], entry["labeler"]), Person())
            person.take(place, entry)
    return found


def human(record: Record, metric: str, combine: str = "mean") -> float | None:
    """The human score of a metric: the latest decision, else the mean or latest of the labels."""
    mine = [x for (name, _), x in people(record).items() if name == metric]
    decisions = [x.decision for x in mine if x.decision]
    if decisions:
        return float(max(decisions, key=lambda x: x[0])[1]["value"])
    labels = [x.label for x in mine if x.counts and x.label]
    if not labels:
        return None
    if combine == "latest":
        return float(max(labels, key=lambda x: x[0])[1]["value"])
    return float(sum(x[1]["value"] for x in labels)) / len(labels)


def is_decided(record: Record, metric: str) -> bool:
    return any(x.decision for (name, _), x in people(record).items() if name == metric)


def answered(record: Record, labeler: str) -> set[str]:
    """The metrics that a labeler has answered."""
    return {
        metric
        for (metric, name), person in people(record).items()
        if name == labeler
        and person.label
        and person.label[1].get("kind", "label") in ("label", "not_applicable")
    }


_SAID = ("value", "blind", "selection_reason", "selection_prob", "rubric_version", "judge_version")


def told(records: list[Record]) -> dict[str, Any]:
    """Everything that stands, by evaluation; reveals are facts and no part of it."""
    return {record["id"]: _told(record) for record in records}


def _told(record: Record) -> dict[str, Any]:
    labels, comments, decided = {}, {}, {}
    places: list[tuple[tuple[float, int], str]] = []
    for (metric, name), person in people(record).items():
        who = f"{metric} {name}"
        comments[who] = person.comment
        if person.label and person.label[1].get("kind") != "withdrawn":
            place, entry = person.label
            labels[who] = [entry.get("kind"), *(entry.get(key) for key in _SAID)]
            places.append((place, f"label {who}"))
        if person.decision:
            place, entry = person.decision
            decided[who] = [entry["value"], entry.get("comment"), entry.get("claims")]
            places.append((place, f"decision {who}"))
    return {
        "labels": labels,
        "comments": {who: words for who, words in comments.items() if words},
        "decisions": decided,
        "order": [what for _, what in sorted(places)],
        "marks": _marks(record),
        "excluded": record.get("excluded"),
        "tags": record.get("tags") or [],
    }


def _marks(record: Record) -> list[Any]:
    """The marks that stand, by their places."""
    places: dict[str, int] = {}
    newest: dict[tuple[Any, ...], tuple[int, list[Any]]] = {}
    for n, mark in enumerate(record.get("marks") or []):
        if mark["kind"] == "reveal":
            continue
        if "uid" in mark:
            places[mark["uid"]] = n
        span = (mark.get("turn"), mark.get("start"), mark.get("end"))
        thing = (mark["kind"], mark["labeler"], mark.get("metric"),
                 *(span if mark["kind"] == "highlight" else ()))  # fmt: skip
        newest.pop(thing, None)
        if mark.get("value") not in (False, 0, ""):
            said = [*thing, mark.get("value"), mark.get("note")]
            newest[thing] = (places.get(mark.get("restores"), n), said)
    return [said for _, said in sorted(newest.values(), key=lambda x: x[0])]
