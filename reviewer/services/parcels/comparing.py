"""A package's entries against those that are here: new ones, known ones, and what differs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from reviewer.domain.values import parse_time, to_micros
from reviewer.services.parcels.returned import Conflict, Fields, Place, Refused
from reviewer.services.transfer.admission import Admission

ONE = timedelta(microseconds=1)


def conflicts(
    here: Mapping[Place, Fields],
    there: Mapping[Place, Fields],
    labeler: str,
    repeats: Sequence[Place],
) -> Iterator[Conflict]:
    """Give answers that differ, where neither side knows the other's; repeats are meant to."""
    for place, fields in there.items():
        known = here.get(place)
        if known is None or place in repeats:
            continue
        mine, theirs = (current(x.get("labels") or (), labeler) for x in (known, fields))
        seen_there = {identity(x) for x in fields["labels"]}
        seen_here = {identity(x) for x in known.get("labels") or ()}
        for metric in theirs.keys() & mine.keys():
            a, b = mine[metric], theirs[metric]
            if identity(a) in seen_there or identity(b) in seen_here or _answer(a) == _answer(b):
                continue
            later = "here" if _moment(a) > _moment(b) else "there"
            values = a.get("value"), b.get("value")
            yield Conflict(*place, metric, *values, later, _kind(a), _kind(b))


def current(entries: Sequence[Fields], labeler: str) -> dict[str, Fields]:
    """Give a labeler's newest own entry by metric."""
    return _newest(x for x in entries if x["labeler"] == labeler and _kind(x) != "adjudication")


def _newest(entries: Iterator[Fields]) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    for entry in entries:
        metric = entry["metric"]
        if metric not in found or _moment(entry) >= _moment(found[metric]):
            found[metric] = entry
    return found


def kept_decisions(line: Fields, known: Fields, labeler: str) -> list[Fields]:
    """Give a lead's decisions once more where the package takes back their own label.

    In a history a withdrawal takes both; a package holds no decision, so it means none.
    """
    every = [x for x in known.get("labels") or () if x["labeler"] == labeler]
    decided = _newest(x for x in every if _kind(x) in ("adjudication", "withdrawn"))
    known_here = {identity(x) for x in every}
    taken = _newest(
        x for x in line["labels"] if _kind(x) == "withdrawn" and identity(x) not in known_here
    )
    return [
        decision | {"at": (parse_time(taken[metric]["at"]) + ONE).isoformat()}
        for metric, decision in decided.items()
        if _kind(decision) == "adjudication"
        and metric in taken
        and _moment(decision) <= _moment(taken[metric])
    ]


def settle_sight(line: Fields, known: Fields, labeler: str, *, blind: bool, repeat: bool) -> None:
    """Set of new answers whether they were given unseen.

    Who saw the auto scores here before answered in their sight, also in a package that has none;
    and in such a package there is nothing to reveal. A repeat begins unseen again.
    """
    old = {identity(x) for x in known.get("labels") or ()}
    seen = [
        _moment(mark)
        for mark in known.get("marks") or ()
        if mark["kind"] == "reveal" and mark["labeler"] == labeler
    ]
    first = None if repeat or not seen else min(seen)
    for label in line["labels"]:
        if identity(label) in old:
            continue
        if first is not None and first <= _moment(label):
            label["blind"] = False
        elif blind:
            label["blind"] = True


def identity(entry: Fields) -> tuple[Any, ...]:
    """Name an entry by what makes it the same one, as an import does."""
    found = (entry.get(x) for x in ("metric", "labeler", "turn", "at"))
    return (*found, _kind(entry), str(entry.get("value")))


def new_marks(line: Fields, known: Fields) -> list[Fields]:
    """Give the marks of a line that are not here yet."""
    marks = known.get("marks") or ()
    return [mark for mark in line["marks"] if mark not in marks]


def brings(line: Fields, known: Fields) -> bool:
    """Tell whether a line holds an entry that is not here yet."""
    labels = Counter(identity(x) for x in known.get("labels") or ())
    labels.subtract(identity(x) for x in line["labels"])
    return min(labels.values(), default=0) < 0 or bool(new_marks(line, known))


def refused(place: Place, line: Fields, admission: Admission) -> list[Refused]:
    """Take out of a line the labels that the rubric does not let in by now, and say why."""
    found, kept = [], []
    for label in line["labels"]:
        problem = admission.label(label)
        if problem is None:
            kept.append(label)
        else:
            said = label.get("value")
            what = "" if said is None else f" {said!r}"
            words = f"the label{what} on {label['metric']} was left out: {problem[1]}."
            found.append(Refused(place, f"{place[0]}/{place[1]}: {words}"))
    line["labels"] = kept
    return found


def _answer(entry: Fields) -> tuple[str, Any]:
    return _kind(entry), entry.get("value")


def _kind(entry: Fields) -> str:
    return entry.get("kind") or "label"


def _moment(entry: Fields) -> int:
    return to_micros(entry.get("at")) or 0
