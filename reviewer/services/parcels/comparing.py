"""A package's entries against those that are here: new ones, known ones, and what differs."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from reviewer.domain.entries import current_labels, label_identity, moment
from reviewer.services.parcels.returned import Conflict, Fields, Place, Refused
from reviewer.services.transfer.admission import Admission
from reviewer.store.amending import Uniting

Signs = frozenset[Hashable]


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
        seen_there = _signs(fields["labels"])
        seen_here = _signs(known.get("labels") or ())
        for metric in theirs.keys() & mine.keys():
            a, b = mine[metric], theirs[metric]
            if _is_among(a, seen_there) or _is_among(b, seen_here) or _answer(a) == _answer(b):
                continue
            later = "here" if moment(a) > moment(b) else "there"
            values = a.get("value"), b.get("value")
            yield Conflict(*place, metric, *values, later, _kind(a), _kind(b))


def current(entries: Sequence[Fields], labeler: str) -> dict[str, Fields]:
    """Give a labeler's newest own entry by metric."""
    mine = current_labels(x for x in entries if x["labeler"] == labeler)
    return {metric: entry for (metric, _, _), entry in mine.items()}


def end_labels_only(line: Fields, known: Fields) -> None:
    """Let what a package takes back end no decision: it holds none, so it means none.

    An older program does not say what a withdrawal ends.
    """
    there = _signs(known.get("labels") or ())
    for label in line["labels"]:
        if _kind(label) == "withdrawn" and not _is_among(label, there):
            label["of"] = "label"


def settle_sight(line: Fields, known: Fields, labeler: str, *, blind: bool, repeat: bool) -> None:
    """Set of new answers whether they were given unseen.

    Who saw the auto scores here before answered in their sight, also in a package that has none;
    and in such a package there is nothing to reveal. A repeat begins unseen again. What an undo
    brought back was given when it was given first.
    """
    there = _signs(known.get("labels") or ())
    seen = [
        moment(mark)
        for mark in known.get("marks") or ()
        if mark["kind"] == "reveal" and mark["labeler"] == labeler
    ]
    first = None if repeat or not seen else min(seen)
    given = {x["uid"]: moment(x) for x in (*(known.get("labels") or ()), *line["labels"])}
    for label in line["labels"]:
        if _kind(label) == "comment" or _is_among(label, there):
            continue
        if first is not None and first <= given.get(label.get("restores"), moment(label)):
            label["blind"] = False
        elif blind:
            label["blind"] = True


def _signs(entries: Iterable[Fields]) -> Signs:
    """Give by what labels are known again: number, and what makes one the same without it."""
    return frozenset(sign for x in entries for sign in (label_identity(x), x.get("uid")) if sign)


def _is_among(label: Fields, signs: Signs) -> bool:
    return label_identity(label) in signs or label.get("uid") in signs


def new_entries(line: Fields, known: Fields, name: str) -> list[Fields]:
    """Give the labels or marks of a line that are not here yet."""
    union = Uniting(of_scores=label_identity)
    return union.new(0, name, known.get(name) or [], line[name], waits=False)


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
